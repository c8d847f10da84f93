//! One event, as a line.

use crate::cli::client::render::{Paint, shown};
use crate::cli::client::seen::Event;

/// The mark of a new attempt, before what it says.
pub(super) fn attempt(number: u32, paint: Paint) -> String {
    format!("{}\n", paint.quiet(&format!("── attempt {number}")))
}

/// Standard output as it was written. A line of standard error begins with `stderr │`, everything else with `──`.
pub(super) fn of(event: &Event, timestamps: bool, paint: Paint) -> String {
    let said = &event.data;
    let words = match event.kind.as_str() {
        "log" => {
            let text = said.text.as_deref().unwrap_or_default();
            let lines: Vec<String> =
                text.trim_end_matches('\n').split('\n').map(|line| shown(line, paint.is_on())).collect();
            match said.stream.as_deref() {
                Some("note") => paint.quiet(&format!("── {}", lines.join(" "))),
                Some("stderr") => {
                    let mark = paint.warn("stderr │");
                    lines.iter().map(|line| format!("{mark} {line}")).collect::<Vec<_>>().join("\n")
                }
                _ => lines.join("\n"),
            }
        }
        "progress" => {
            let percent = said.progress.unwrap_or_default() * 100.0;
            let message = shown(said.message.as_deref().unwrap_or_default(), false);
            paint.quiet(format!("── {percent:.0}% {message}").trim_end())
        }
        "usage" => {
            let amounts: Vec<String> = said.usage.iter().map(|(unit, amount)| format!("{amount} {unit}")).collect();
            paint.quiet(&format!("── used {}", shown(&amounts.join(", "), false)))
        }
        other => paint.quiet(&format!("── {}", shown(other, false))),
    };
    match said.said_at.or(event.at).filter(|_| timestamps) {
        Some(at) => format!("{} {words}\n", paint.quiet(&at.strftime("%Y-%m-%d %H:%M:%S%.3fZ").to_string())),
        None => format!("{words}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::client::doc::Doc;
    use serde_json::json;

    fn line(kind: &str, data: serde_json::Value) -> String {
        let event =
            crate::cli::client::seen::read(&Doc::of(&json!({"seq": 1, "kind": kind, "data": data}))).expect("an event");
        of(&event, false, Paint::none())
    }

    #[test]
    fn output_stands_as_it_was_written_and_the_rest_is_marked() {
        assert_eq!(line("log", json!({"stream": "stdout", "text": "one\ntwo\n"})), "one\ntwo\n");
        assert_eq!(line("log", json!({"stream": "stderr", "text": "one\ntwo\n"})), "stderr │ one\nstderr │ two\n");
        assert_eq!(line("log", json!({"stream": "note", "text": "cut here"})), "── cut here\n");
        assert_eq!(line("progress", json!({"progress": 0.42, "message": "resizing"})), "── 42% resizing\n");
        assert_eq!(line("usage", json!({"usage": {"tokens": 120}})), "── used 120 tokens\n");
    }
}
