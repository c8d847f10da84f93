//! The tasks of a worker are exchanged while it works.

use std::sync::Arc;

use runlane::executor::native::TaskError;
use runlane::run::{Json, Status};
use runlane::worker::TaskSet;
use tokio::sync::Notify;

use super::{Rig, Working, request};

fn says(tasks: TaskSet, name: &str, word: &'static str) -> TaskSet {
    tasks.task(name, move |_, _: Json| async move { Ok::<_, TaskError>(word) })
}

#[tokio::test]
async fn tasks_are_replaced_and_what_is_under_way_goes_on() {
    let rig = Rig::new().await;
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let waits = {
        let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
        move |_, _: Json| {
            let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
            async move {
                begun.notify_one();
                go_on.notified().await;
                Ok::<_, TaskError>("as it was begun")
            }
        }
    };
    let working = Working::start(rig.worker().task("greet", waits));
    let old = rig.submit(request("greet", "null")).await;
    begun.notified().await;

    let tasks = says(says(TaskSet::new(), "greet", "hello"), "part", "goodbye");
    working.tasks.replace(tasks).expect("replaced");
    let (greet, part) = (rig.submit(request("greet", "null")).await, rig.submit(request("part", "null")).await);
    let output = |run: runlane::run::Run| run.output.map(|json| json.as_str().to_owned());
    assert_eq!(output(rig.until(greet, Status::Succeeded).await).as_deref(), Some("\"hello\""));
    assert_eq!(output(rig.until(part, Status::Succeeded).await).as_deref(), Some("\"goodbye\""));
    go_on.notify_one();
    let run = rig.until(old, Status::Succeeded).await;
    assert_eq!((run.attempt, output(run).as_deref()), (1, Some("\"as it was begun\"")));
    working.stop().await;
}

#[tokio::test]
async fn tasks_that_cannot_be_leave_a_worker_what_it_has() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().tasks(says(TaskSet::new(), "greet", "hello")));
    let twice = says(says(TaskSet::new(), "part", "a"), "part", "b");
    let refused = working.tasks.replace(twice).expect_err("refused");
    assert_eq!(refused.to_string(), "task part is given twice");
    let names: Vec<String> = working.tasks.names().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["greet"]);
    working.stop().await;
}
