//! Reads submissions from a file, a line each.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use runlane::run::explain_json_mistake;

use crate::cli::client::batch::Body;
use crate::cli::client::doc::Doc;

/// A line, and what is on it.
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// How many bytes it came with.
    pub(super) bytes: usize,
    /// A submission, or why it is none.
    pub(super) content: Result<Body, String>,
}

/// Lines one after the other; a file of any length is never in memory as a whole.
pub(super) struct Lines<R> {
    source: R,
    number: u64,
    usual: Body,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// `usual` is what holds for a line that does not say it itself.
    pub(super) fn new(source: R, usual: Body) -> Self {
        Self { source, number: 0, usual }
    }

    /// The next line that is not empty; `None` at the end.
    pub(super) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let bytes = self.source.read_until(b'\n', &mut buffer).await?;
            if bytes == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !buffer.trim_ascii().is_empty() {
                return Ok(Some(Line { number: self.number, bytes, content: self.submission(buffer.trim_ascii()) }));
            }
        }
    }

    fn submission(&self, line: &[u8]) -> Result<Body, String> {
        let value: Doc = serde_json::from_slice(line)
            .map_err(|error| format!("not JSON: {}", explain_json_mistake(line, &error)))?;
        let mut body: Body =
            value.read().map_err(|_| "not an object; write {\"task\": …, \"payload\": …}".to_owned())?;
        for (name, value) in &self.usual {
            body.entry(name.clone()).or_insert_with(|| value.clone());
        }
        match body.contains_key("task") {
            true => Ok(body),
            false => Err("no task; name it on the line, or for all lines on the command line".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn lines_are_counted_and_filled_up() {
        let text = "{\"payload\": 1}\n\n{\"task\": \"b\"}\nnope\n[1]";
        let usual: Body = serde_json::from_str(r#"{"task": "a", "queue": "q"}"#).expect("an object");
        let mut lines = Lines::new(text.as_bytes(), usual);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("readable") {
            found.push((line.number, line.content.map(|body| json!(body))));
        }
        assert_eq!(found[0], (1, Ok(json!({"payload": 1, "task": "a", "queue": "q"}))));
        assert_eq!(found[1], (3, Ok(json!({"task": "b", "queue": "q"}))));
        assert_eq!(
            found[2],
            (4, Err("not JSON: a value should stand here; text needs double quotes (column 2)".into()))
        );
        assert!(found[3].0 == 5 && found[3].1.as_ref().expect_err("refused").starts_with("not an object"));
    }
}
