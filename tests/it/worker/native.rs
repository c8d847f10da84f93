//! Functions as tasks: what they get, what they say, and what becomes of what they return.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use runlane::executor::native::{Context, TaskError};
use runlane::run::{Json, QueueName, RunId, Status};
use runlane::store::EventKind;
use runlane::worker::{Served, Task};
use serde::Deserialize;
use serde_json::json;

use super::{Rig, Working, quick, request};

#[derive(Deserialize)]
struct Email {
    to: String,
}

#[tokio::test]
async fn a_function_gets_its_payload_and_its_output_is_kept() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("send_email", |ctx, email: Email| async move {
        assert_eq!(ctx.attempt(), 1);
        Ok::<_, TaskError>(format!("sent to {}", email.to))
    }));
    let id = rig.submit(request("send_email", r#"{"to":"ada"}"#)).await;
    let run = rig.until(id, Status::Succeeded).await;
    assert_eq!(run.output, Some(Json::parse(r#""sent to ada""#).expect("JSON")));
    let summary = working.stop().await;
    assert_eq!((summary.finished, summary.lost), (1, 0));
}

#[tokio::test]
async fn a_panic_is_a_failed_attempt_and_the_worker_goes_on() {
    let rig = Rig::new().await;
    let working = Working::start(
        rig.worker()
            .task("explode", |_: Context, (): ()| async move {
                if true {
                    panic!("the fuse was short");
                }
                Ok::<_, TaskError>(())
            })
            .task("echo", |_, payload: serde_json::Value| async move { Ok::<_, TaskError>(payload) }),
    );
    let mut request_ = request("explode", "null");
    request_.max_attempts = std::num::NonZeroU16::MIN;
    let exploding = rig.submit(request_).await;
    let run = rig.until(exploding, Status::Failed).await;
    let error = run.error.expect("an error");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("panicked", "the function panicked: the fuse was short")
    );
    let echo = rig.submit(request("echo", "7")).await;
    rig.until(echo, Status::Succeeded).await;
    working.stop().await;
}

#[tokio::test]
async fn a_panic_before_anything_is_awaited_is_a_failed_attempt_too() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("early", |_: Context, names: Vec<String>| {
        let first = names[0].clone();
        async move { Ok::<_, TaskError>(first) }
    }));
    let id = rig.submit(request("early", "[]")).await;
    let error = rig.until(id, Status::Retrying).await.error.expect("an error");
    assert_eq!(error.code, "panicked");
    assert!(error.message.contains("index out of bounds"), "{}", error.message);
    assert_eq!(working.stop().await.finished, 1, "its slot is free again");
}

#[tokio::test]
async fn a_payload_that_does_not_fit_fails_at_once_and_says_why() {
    let rig = Rig::new().await;
    let working =
        Working::start(rig.worker().task("send_email", |_, email: Email| async move { Ok::<_, TaskError>(email.to) }));
    let id = rig.submit(request("send_email", r#"{"too":"ada"}"#)).await;
    let run = rig.until(id, Status::Failed).await;
    let error = run.error.expect("an error");
    assert_eq!((run.attempt, error.code.as_str()), (1, "invalid_payload"));
    assert!(error.message.contains("missing field `to`"), "{}", error.message);
    working.stop().await;
}

#[tokio::test]
async fn a_failure_says_whether_and_when_to_try_again() {
    let rig = Rig::new().await;
    let working = Working::start(
        rig.worker()
            .task("fatal", |_, (): ()| async move { Err::<(), _>(TaskError::new("no_such_user", "gone").fatal()) })
            .task("later", |_, (): ()| async move {
                Err::<(), _>(TaskError::new("rate_limited", "slow down").retry_after(Duration::from_secs(3600)))
            })
            .task("plain", |_, (): ()| async move { "x".parse::<u32>().map(drop) }),
    );
    let fatal = rig.submit(request("fatal", "null")).await;
    let run = rig.until(fatal, Status::Failed).await;
    assert_eq!((run.attempt, run.error.map(|error| error.code)), (1, Some("no_such_user".into())));
    let later = rig.submit(request("later", "null")).await;
    let run = rig.until(later, Status::Retrying).await;
    let wait = run.available_at.duration_since(run.started_at.expect("started"));
    assert!((3599..3700).contains(&wait.as_secs()), "{wait:?}");
    let plain = rig.submit(request("plain", "null")).await;
    let error = rig.until(plain, Status::Retrying).await.error.expect("an error");
    assert_eq!((error.code.as_str(), error.message.as_str()), ("failed", "invalid digit found in string"));
    working.stop().await;
}

#[tokio::test]
async fn what_a_function_says_becomes_events_in_order() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("talk", |ctx, (): ()| async move {
        ctx.log("first\0line").await?;
        ctx.progress(0.5, "half").await?;
        ctx.usage("tokens", 120).await?;
        Ok::<_, TaskError>(())
    }));
    let id = rig.submit(request("talk", "null")).await;
    rig.until(id, Status::Succeeded).await;
    let mut times = Vec::new();
    let mut without_time = |data: &Json| {
        let mut data: serde_json::Value = serde_json::from_str(data.as_str()).expect("JSON");
        times.push(data["said_at"].take().as_str().expect("a time").parse::<jiff::Timestamp>().expect("a time"));
        data
    };
    let events = rig.events(id).await.into_iter().map(|event| (event.kind, without_time(&event.data)));
    let expected = [
        (EventKind::Log, json!({"said_at": null, "stream": "stdout", "text": "first\\0line"})),
        (EventKind::Progress, json!({"said_at": null, "message": "half", "progress": 0.5})),
        (EventKind::Usage, json!({"said_at": null, "usage": {"tokens": 120}})),
    ];
    assert_eq!(events.collect::<Vec<_>>(), expected);
    assert!(times.is_sorted(), "{times:?}");
    working.stop().await;
}

#[tokio::test]
async fn using_more_than_the_limit_ends_the_run() {
    let rig = Rig::new().await;
    let executor = runlane::executor::native::Native::new(|ctx: Context, (): ()| async move {
        loop {
            ctx.usage("tokens", 40).await?;
            tokio::time::sleep(Duration::from_millis(5)).await;
            if ctx.is_cancelled() {
                return Err::<(), TaskError>(TaskError::new("stopped", "as told"));
            }
        }
    });
    let mut task = Task::new(Arc::new(executor));
    task.usage_limits.insert("tokens".into(), 100);
    let working = Working::start(rig.worker().task_with("think", task));
    let id = rig.submit(request("think", "null")).await;
    let run = rig.until(id, Status::Failed).await;
    let error = run.error.expect("an error");
    assert_eq!(error.code, "usage_limit");
    assert_eq!(error.message, "the attempt used more than its limit of 100 tokens");
    assert_eq!(run.attempt, 1);
    working.stop().await;
}

/// Counts how many run at once, and the most there ever were.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Crowd {
    async fn visit(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        self.all.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn no_more_than_its_slots_run_at_once_and_no_more_of_a_queue_than_its_limit() {
    let rig = Rig::new().await;
    let (all, narrow) = (Arc::new(Crowd::default()), Arc::new(Crowd::default()));
    let mut settings = quick();
    settings.queues = vec![
        Served { queue: QueueName::default(), concurrency: None },
        Served { queue: QueueName::parse("narrow").expect("a name"), concurrency: Some(2) },
    ];
    let (seen, seen_narrow) = (Arc::clone(&all), Arc::clone(&narrow));
    let working = Working::start(
        rig.worker()
            .settings(settings)
            .task("wide", move |_, (): ()| {
                let all = Arc::clone(&seen);
                async move {
                    all.visit().await;
                    Ok::<_, TaskError>(())
                }
            })
            .task("narrow", move |_, (): ()| {
                let narrow = Arc::clone(&seen_narrow);
                async move {
                    narrow.visit().await;
                    Ok::<_, TaskError>(())
                }
            }),
    );
    let mut ids: Vec<RunId> = Vec::new();
    for number in 0..40 {
        let mut run = request(if number % 2 == 0 { "narrow" } else { "wide" }, "null");
        if number % 2 == 0 {
            run.queue = QueueName::parse("narrow").expect("a name");
        }
        ids.push(rig.submit(run).await);
    }
    for id in ids {
        rig.until(id, Status::Succeeded).await;
    }
    assert_eq!((all.all.load(Ordering::SeqCst), narrow.all.load(Ordering::SeqCst)), (20, 20));
    assert_eq!(narrow.most.load(Ordering::SeqCst), 2);
    assert!(all.most.load(Ordering::SeqCst) <= 4);
    working.stop().await;
}
