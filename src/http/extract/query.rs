//! Queries: every parameter known, each given once.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::words::{known_names, plain};
use crate::http::problem::{Code, Problem};

/// A request's query, read.
pub(in crate::http) struct Query<T>(pub(in crate::http) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parse(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let (path, words) = (error.path().to_string(), error.inner().to_string());
        let named = |before: &str| words.strip_prefix(before).and_then(|rest| rest.split_once('`'));
        match (named("unknown field `"), named("duplicate field `")) {
            (Some((name, known)), _) => Problem::new(Code::UnknownParameter, format!("there is no parameter {name:?}"))
                .field(name)
                .hint(known_names(known.trim_start_matches(", expected "))),
            (_, Some((name, _))) => {
                Problem::new(Code::InvalidParameter, format!("the parameter {name:?} is given twice")).field(name)
            }
            _ => Problem::new(Code::InvalidParameter, plain(&path, &words)).field(path),
        }
    })
}
