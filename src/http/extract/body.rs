//! Bodies: JSON of a known form, not too large, every field known.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;

use super::json;
use super::words::{known_names, plain};
use crate::http::dto::Object;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;

/// A request's body, read.
pub(in crate::http) struct Body<T>(pub(in crate::http) T);

impl<T: DeserializeOwned> FromRequest<Server> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Server) -> Result<Self, Problem> {
        must_be_json(request.headers())?;
        let patience = server.api.limits.body_wait;
        let read = tokio::time::timeout(patience, Bytes::from_request(request, server)).await;
        let read = read
            .map_err(|_| Problem::new(Code::RequestTimeout, format!("the body was not complete after {patience:?}")))?;
        let bytes = read.map_err(|rejection| too_large_or_broken(&rejection))?;
        json::check(&bytes)?;
        parse(&bytes).map(Self)
    }
}

fn must_be_json(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("nothing");
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(Problem::new(Code::UnsupportedMediaType, format!("the content type is {given:?}"))
        .field("Content-Type")
        .hint("send JSON with `Content-Type: application/json`"))
}

fn too_large_or_broken(rejection: &axum::extract::rejection::BytesRejection) -> Problem {
    if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return Problem::new(Code::BodyTooLarge, "the body is larger than the server accepts")
            .hint("store large inputs elsewhere and pass their name in the payload");
    }
    Problem::new(Code::InvalidJson, "the body could not be read completely")
}

/// The message of the deserialiser names what it found; the path to the field is added.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read: Result<Object<T>, _> = serde_path_to_error::deserialize(&mut deserializer);
    read.map(|object| object.0).map_err(|error| {
        let path = error.path().to_string();
        let words = error.inner().to_string();
        // Where in the text it stands says less than the path does.
        let words = words.split(" at line ").next().unwrap_or_default().to_owned();
        let inner = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
        match (quoted(&words, "unknown field `"), quoted(&words, "missing field `")) {
            (Some(name), _) => {
                let detail = format!("there is no field {name:?}");
                let known = words.split_once(", expected ").map(|(_, known)| known_names(known));
                let problem = Problem::new(Code::UnknownField, detail).field(own_path(&path, name));
                known.map_or(problem.clone(), |known| problem.hint(known))
            }
            (_, Some(name)) => {
                Problem::new(Code::MissingField, format!("the field {name:?} is required")).field(inner(name))
            }
            _ => Problem::new(Code::InvalidField, plain(&path, &words)).field(path),
        }
    })
}

/// The path of an unknown field may or may not end in its name already.
fn own_path(path: &str, name: &str) -> String {
    if path == "." {
        name.to_owned()
    } else if path == name || path.ends_with(&format!(".{name}")) {
        path.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn quoted<'a>(words: &'a str, before: &str) -> Option<&'a str> {
    words.strip_prefix(before)?.split('`').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::dto::{SubmitBatch, SubmitRun};

    fn refusal<T: DeserializeOwned>(text: &str) -> (Code, Option<String>) {
        let problem = parse::<T>(text.as_bytes()).err().expect("refused");
        (problem.code(), problem.written("").field)
    }

    #[test]
    fn a_refusal_names_the_field() {
        let cases = [
            (r#"{"task":"a","prio":1}"#, Code::UnknownField, "prio"),
            (r#"{"payload":1}"#, Code::MissingField, "task"),
            (r#"{"task":7}"#, Code::InvalidField, "task"),
            (r#"{"task":""}"#, Code::InvalidField, "task"),
            (r#"{"task":"a","priority":1001}"#, Code::InvalidField, "priority"),
            (r#"{"task":"a","priority":70000}"#, Code::InvalidField, "priority"),
            (r#"{"task":"a","after":["x"]}"#, Code::InvalidField, "after[0]"),
            (r#"{"task":"a","key_mode":"keeps"}"#, Code::InvalidField, "key_mode"),
            (r#"{"task":"a","available_at":"soon"}"#, Code::InvalidField, "available_at"),
            ("[]", Code::InvalidField, "."),
            (r#"["a"]"#, Code::InvalidField, "."),
            ("null", Code::InvalidField, "."),
        ];
        for (text, code, field) in cases {
            assert_eq!(refusal::<SubmitRun>(text), (code, Some(field.to_owned())), "{text}");
        }
        assert_eq!(
            refusal::<SubmitBatch>(r#"{"runs":[{"task":"a"},{"task":"a","x":1}]}"#),
            (Code::UnknownField, Some("runs[1].x".to_owned()))
        );
        let array = refusal::<SubmitBatch>(r#"{"runs":[["a"]]}"#);
        assert_eq!(array, (Code::InvalidField, Some("runs[0]".to_owned())));
    }

    #[test]
    fn a_payload_is_kept_as_it_was_written() {
        let run = parse::<SubmitRun>(br#"{"task":"a","payload":{"b":1.50,"a":[ ]}}"#).expect("parsed");
        assert_eq!(run.payload.expect("a payload").as_str(), r#"{"b":1.50,"a":[ ]}"#);
        assert_eq!(parse::<SubmitRun>(br#"{"task":"a","payload":null}"#).expect("parsed").payload, None);
    }
}
