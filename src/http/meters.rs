//! The metrics of requests, by method, path and status: looked up once for each and not for every request.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};

/// Tells the recorder in use what the metrics mean.
pub fn describe() {
    describe_counter!("runlane_http_requests_total", "HTTP requests answered, by method, path and status");
    describe_histogram!(
        "runlane_http_request_seconds",
        Unit::Seconds,
        "Time until the response began, by method and path"
    );
}

/// Those that were used so far, by path.
#[derive(Default)]
pub(in crate::http) struct Meters(RwLock<HashMap<String, Answers>>);

type Answers = HashMap<(&'static str, StatusCode), Meter>;

#[derive(Clone)]
struct Meter {
    requests: Counter,
    seconds: Histogram,
}

impl Meters {
    pub(in crate::http) fn answered(&self, method: &Method, path: &str, status: StatusCode, took: Duration) {
        let meter = self.of(name(method), path, status);
        meter.requests.increment(1);
        meter.seconds.record(took.as_secs_f64());
    }

    fn of(&self, method: &'static str, path: &str, status: StatusCode) -> Meter {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(meter) = known.get(path).and_then(|answers| answers.get(&(method, status))) {
            return meter.clone();
        }
        drop(known);
        let mut meters = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let answers = meters.entry(path.to_owned()).or_default();
        answers.entry((method, status)).or_insert_with(|| Meter::of(method, path, status)).clone()
    }
}

impl Meter {
    fn of(method: &'static str, path: &str, status: StatusCode) -> Self {
        let labels =
            [("method", method.to_owned()), ("path", path.to_owned()), ("status", status.as_u16().to_string())];
        Self {
            requests: counter!("runlane_http_requests_total", &labels),
            seconds: histogram!("runlane_http_request_seconds", &labels[..2]),
        }
    }
}

/// Any word can be sent as a method; those that no route has are one.
fn name(method: &Method) -> &'static str {
    match method.as_str() {
        "DELETE" => "DELETE",
        "GET" => "GET",
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        "PATCH" => "PATCH",
        "POST" => "POST",
        "PUT" => "PUT",
        _ => "other",
    }
}
