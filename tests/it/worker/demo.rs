//! The demo tasks do what their names say, and refuse what they cannot do.

use runlane::run::{Json, Status};
use runlane::worker::with_demo_tasks;

use super::{Rig, Working, request};

#[tokio::test]
async fn the_demo_tasks_do_what_their_names_say() {
    let rig = Rig::new().await;
    let working = Working::start(with_demo_tasks(rig.worker()));
    let cases = [
        ("echo", r#"{"a":1}"#, r#"{"a":1}"#),
        ("sleep", r#"{"seconds":0.05}"#, r#"{"slept_seconds":0.05}"#),
        ("fail", r#"{"times":0}"#, r#"{"succeeded_at_attempt":1}"#),
        (
            "send_email",
            r#"{"to":"ada@example.org","subject":"hi"}"#,
            r#"{"bytes":0,"message_id":"9d8b75516ff630bc@example.org"}"#,
        ),
        (
            "resize_image",
            r#"{"source":"cat.png","width":640,"height":480}"#,
            r#"{"bytes":76800,"height":480,"width":640}"#,
        ),
        ("summarize_text", r#"{"text":"one two three","max_words":2}"#, r#"{"summary":"one two …","words":3}"#),
        ("webhook_delivery", r#"{"url":"https://example.org/hook"}"#, r#"{"bytes_sent":4,"status":200}"#),
    ];
    for (task, payload, output) in cases {
        let id = rig.submit(request(task, payload)).await;
        let run = rig.until(id, Status::Succeeded).await;
        assert_eq!(run.output.as_ref().map(Json::as_str), Some(output), "{task}");
    }
    working.stop().await;
}

#[tokio::test]
async fn the_demo_tasks_refuse_what_they_cannot_do() {
    let rig = Rig::new().await;
    let working = Working::start(with_demo_tasks(rig.worker()));
    for (task, payload, field) in [
        ("sleep", r#"{"seconds":-1}"#, "seconds"),
        ("send_email", r#"{"to":"nobody","subject":"hi"}"#, "to"),
        ("resize_image", r#"{"source":"x","width":0,"height":1}"#, "width"),
        ("summarize_text", r#"{"text":" "}"#, "text"),
        ("webhook_delivery", r#"{"url":"ftp://example.org"}"#, "url"),
        ("send_email", r#"{"to":"a@b","subject":"hi","cc":"c@d"}"#, "cc"),
    ] {
        let id = rig.submit(request(task, payload)).await;
        let error = rig.until(id, Status::Failed).await.error.expect("an error");
        assert_eq!(error.code, "invalid_payload", "{task}: {}", error.message);
        assert!(error.message.contains(field), "{task}: {}", error.message);
    }
    working.stop().await;
}
