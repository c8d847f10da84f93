//! A JSON document that is passed on as it was written: the order of its keys, and every digit of its numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Doc(Box<RawValue>);

impl Doc {
    /// Of something that can always be written down.
    pub(super) fn of(value: &impl Serialize) -> Self {
        to_raw_value(value).map(Self).unwrap_or_default()
    }

    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// A field of an object, understood.
    pub(super) fn field<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let fields: BTreeMap<String, Doc> = self.read().ok()?;
        fields.get(name)?.read().ok()
    }

    pub(super) fn is_null(&self) -> bool {
        self.0.get() == "null"
    }

    /// A value a line: `jq` does not mind, and people can read it.
    pub(super) fn indented(&self) -> String {
        let (mut text, mut depth) = (String::new(), 0);
        let mut tokens = tokens(self.0.get()).peekable();
        while let Some(token) = tokens.next() {
            let empty = matches!(token, "{" | "[") && tokens.peek().is_some_and(|next| matches!(*next, "}" | "]"));
            match token {
                _ if empty => {
                    text.push_str(token);
                    text.extend(tokens.next());
                }
                "{" | "[" => {
                    depth += 1;
                    text.push_str(token);
                    new_line(&mut text, depth);
                }
                "}" | "]" => {
                    depth -= 1;
                    new_line(&mut text, depth);
                    text.push_str(token);
                }
                "," => {
                    text.push(',');
                    new_line(&mut text, depth);
                }
                ":" => text.push_str(": "),
                other => text.push_str(other),
            }
        }
        text
    }
}

fn new_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
}

/// Strings, numbers and words whole; braces, brackets, commas and colons each alone. The text is known to be JSON.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let length = match first {
            '"' => string_length(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find(|c: char| c.is_ascii_whitespace() || ",:]}".contains(c)).unwrap_or(rest.len()),
        };
        let (token, remainder) = rest.split_at(length);
        rest = remainder;
        Some(token)
    })
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

impl Default for Doc {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl fmt::Display for Doc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_indented_without_being_changed() {
        let text = r#"{"z":[1.00,{"a\"}":"x, y: [z]"}],"e":{},"n": [ ],"big":12345678901234567890123}"#;
        let doc: Doc = serde_json::from_str(text).expect("JSON");
        let expected = "{\n  \"z\": [\n    1.00,\n    {\n      \"a\\\"}\": \"x, y: [z]\"\n    }\n  ],\n  \"e\": {},\n  \
                        \"n\": [],\n  \"big\": 12345678901234567890123\n}";
        assert_eq!(doc.indented(), expected);
    }
}
