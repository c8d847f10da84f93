//! What a program says.

use std::collections::BTreeMap;

use runlane::executor::{Report, Stream};

use runlane::executor::process::ProcessTask;

use super::support::{LEASE, output, scene, sh, until};

fn log(stream: Stream, text: &str) -> Report {
    Report::Log { stream, text: text.into() }
}

#[tokio::test]
async fn lines_of_both_streams_are_reported() {
    let scene = sh(r"echo one; echo two >&2; printf 'a\000b\033[1m\377\tc\r\n'; printf unfinished");
    scene.run().await;
    assert_eq!(scene.lines(Stream::Stdout), ["one", "a\\0b\\x1b[1m\u{fffd}\tc", "unfinished"]);
    assert_eq!(scene.lines(Stream::Stderr), ["two"]);
}

#[tokio::test]
async fn progress_and_usage_are_reported_as_such() {
    let script = r#"
        echo '::runlane {"progress":0.25,"message":"a quarter"}'
        echo '::runlane {"usage":{"tokens":120}}'
        echo '::runlane {"progress":"?"}'
        echo '::runlane {"progress":1}' >&2"#;
    let scene = sh(script);
    scene.run().await;
    let mut reports = scene.reporter.all();
    let on_stderr = log(Stream::Stderr, r#"::runlane {"progress":1}"#);
    assert!(reports.contains(&on_stderr), "{reports:?}");
    reports.retain(|report| *report != on_stderr);
    let expected = [
        Report::Progress { fraction: 0.25, message: Some("a quarter".into()) },
        Report::Usage { amounts: BTreeMap::from([("tokens".into(), 120)]) },
        log(Stream::Note, "the next line begins with ::runlane but is not understood; it is kept as output"),
        log(Stream::Stdout, r#"::runlane {"progress":"?"}"#),
    ];
    assert_eq!(reports, expected);
}

#[tokio::test]
async fn a_line_of_python_is_seen_while_the_program_goes_on() {
    let program = "import os, time\nprint('first')\n\
        go_on = os.path.join(os.environ['RUNLANE_OUTPUT_DIR'], 'go-on')\n\
        while not os.path.exists(go_on): time.sleep(0.01)\n\
        print('last')";
    let scene = scene(ProcessTask::new(["python3", "-c", program]));
    let followed = scene.start(LEASE);
    until("the first line", || scene.lines(Stream::Stdout) == ["first"]).await;
    std::fs::write(scene.output("go-on"), "").expect("written");
    followed.completion().await;
    assert_eq!(scene.lines(Stream::Stdout), ["first", "last"]);
}

#[tokio::test]
async fn a_gibibyte_without_a_line_break_is_drained_and_cut() {
    let scene = sh("head -c 1073741824 /dev/zero; echo; echo the end").with(|task| task.limits.log_bytes = 100_000);
    assert_eq!(output(scene.run().await), None);
    let lines = scene.lines(Stream::Stdout);
    // A NUL is shown as two characters.
    assert!(lines.iter().map(String::len).sum::<usize>() <= 200_000);
    assert_eq!(lines.last().map(String::as_str), Some("the end"));
    let notes = scene.lines(Stream::Note);
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    let cut: u64 = note.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    assert!((1_073_600_000..1_073_800_000).contains(&cut), "{note}");
}

#[tokio::test]
async fn many_lines_arrive_in_order() {
    let scene = sh("seq 1 5000").with(|task| task.limits.log_bytes = 10 << 20);
    scene.run().await;
    let expected: Vec<String> = (1..=5000).map(|number| number.to_string()).collect();
    assert_eq!(scene.lines(Stream::Stdout), expected);
}
