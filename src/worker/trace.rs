//! W3C trace context: the caller's trace goes on in the attempt, and from there to whatever the work calls.

use serde::Deserialize;

use crate::run::Json;

/// The context of an attempt: in the caller's trace, a span of its own. Without a caller's, there is none.
pub(super) fn child_of(metadata: Option<&Json>) -> Option<String> {
    #[derive(Deserialize)]
    struct Metadata {
        traceparent: String,
    }
    let metadata: Metadata = serde_json::from_str(metadata?.as_str()).ok()?;
    let (trace, flags) = parse(&metadata.traceparent)?;
    Some(format!("00-{trace}-{:016x}-{flags}", fastrand::u64(1..)))
}

/// The trace id of a context.
pub(super) fn trace_id(traceparent: &str) -> Option<&str> {
    parse(traceparent).map(|(trace, _)| trace)
}

/// Trace id and flags, if it is a context as version 00 of the standard has it.
fn parse(traceparent: &str) -> Option<(&str, &str)> {
    let mut parts = traceparent.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let set = |text: &str| text.bytes().any(|b| b != b'0');
    let valid = hex(version, 2) && version != "ff" && hex(trace, 32) && set(trace) && hex(span, 16) && set(span);
    (valid && hex(flags, 2)).then_some((trace, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_has_a_span_of_its_own_in_the_callers_trace() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let metadata = Json::parse(format!(r#"{{"traceparent":"00-{trace}-b7ad6b7169203331-01","team":"x"}}"#));
        let child = child_of(metadata.ok().as_ref()).expect("a context");
        assert_eq!(trace_id(&child), Some(trace));
        assert!(child.ends_with("-01") && !child.contains("b7ad6b7169203331"), "{child}");
    }

    #[test]
    fn what_is_not_a_context_is_left_alone() {
        for metadata in ["{}", "[1]", r#"{"traceparent":"00-00-00-00"}"#, r#"{"traceparent":7}"#] {
            assert_eq!(child_of(Json::parse(metadata).ok().as_ref()), None, "{metadata}");
        }
        assert_eq!(child_of(None), None);
        assert_eq!(parse("00-00000000000000000000000000000000-b7ad6b7169203331-01"), None);
    }
}
