//! Works out when a schedule is due from what a caller wrote, or says what is wrong with it and what to write instead.

use std::num::NonZeroU32;

use jiff::Timestamp;

use super::nearest_zone::nearest_zone;
use crate::clock::to_micros;
use crate::schedule::{Cron, Dst, InvalidCron, Timing, Zone};

/// When something is to be due, as a caller writes it: exactly one of `cron`, `every_seconds` and `at`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimingRequest {
    /// An expression of five fields, or a nickname such as `@daily`.
    pub cron: Option<String>,
    /// Whose clock the expression goes by; UTC unless given.
    pub timezone: Option<String>,
    /// What happens when that clock is changed.
    pub dst: Option<Dst>,
    /// How long it is from one slot to the next.
    pub every_seconds: Option<NonZeroU32>,
    /// The first slot of those; one interval from now unless given.
    pub starts_at: Option<Timestamp>,
    /// The only slot.
    pub at: Option<Timestamp>,
}

/// What is wrong with a request, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct TimingRefusal {
    /// What kind of mistake it is.
    pub kind: TimingMistake,
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: String,
    /// What to write instead.
    pub hint: String,
}

/// Kinds of mistakes in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingMistake {
    /// Nothing says when.
    Missing,
    /// Two fields exclude each other.
    Conflict,
    /// A value cannot be used.
    Invalid,
}

const ONE_OF: &str = "give one of cron, every_seconds and at";

/// The timing that is asked for. `anchor` is where the slots of an interval begin unless the request says so.
pub fn plan_timing(request: &TimingRequest, anchor: Timestamp, now: Timestamp) -> Result<Timing, TimingRefusal> {
    let TimingRequest { cron, timezone, dst, every_seconds, starts_at, at } = request;
    let conflict = |field, reason: &str| refusal(TimingMistake::Conflict, field, reason, ONE_OF);
    match (cron, every_seconds, at) {
        (Some(_), Some(_), _) => return Err(conflict("every_seconds", "both cron and every_seconds are given")),
        (Some(_), _, Some(_)) => return Err(conflict("at", "both cron and at are given")),
        (_, Some(_), Some(_)) => return Err(conflict("at", "both every_seconds and at are given")),
        _ => {}
    }
    let misplaced = |field: &'static str, reason: &str, hint| refusal(TimingMistake::Conflict, field, reason, hint);
    if cron.is_none() && timezone.is_some() {
        let hint = "leave the field out: intervals and instants do not depend on a time zone";
        return Err(misplaced("timezone", "timezone is given without cron", hint));
    }
    if cron.is_none() && dst.is_some() {
        return Err(misplaced(
            "dst",
            "dst is given without cron",
            "leave the field out: it applies only to cron expressions",
        ));
    }
    if every_seconds.is_none() && starts_at.is_some() {
        let hint = "leave the field out, or give an interval with every_seconds";
        return Err(misplaced("starts_at", "starts_at is given without every_seconds", hint));
    }
    match (cron, every_seconds, at) {
        (Some(cron), ..) => {
            let zone = zone(timezone.as_deref())?;
            Ok(Timing::Cron { cron: expression(cron)?, zone, dst: dst.unwrap_or_default() })
        }
        (_, Some(seconds), _) => Ok(Timing::Every { seconds: *seconds, from: to_micros(starts_at.unwrap_or(anchor)) }),
        (_, _, Some(at)) if *at <= now => {
            let hint = "give a time in the future; to run it now, submit a run";
            Err(refusal(TimingMistake::Invalid, "at", format!("{at} is in the past"), hint))
        }
        (_, _, Some(at)) => Ok(Timing::Once { at: to_micros(*at) }),
        (None, None, None) => Err(refusal(TimingMistake::Missing, "cron", "no time is given for the schedule", ONE_OF)),
    }
}

fn refusal(
    kind: TimingMistake,
    field: &'static str,
    reason: impl Into<String>,
    hint: impl Into<String>,
) -> TimingRefusal {
    TimingRefusal { kind, field, reason: reason.into(), hint: hint.into() }
}

fn expression(text: &str) -> Result<Cron, TimingRefusal> {
    Cron::parse(text).map_err(|error| {
        let hint = match &error {
            InvalidCron::Never => "check day of month and month: at least one of the days must exist in one of the months",
            InvalidCron::Unreadable(_) => {
                "write minute, hour, day of month, month, day of week, as in \"30 2 * * *\" for 2:30 every night, or @daily"
            }
        };
        refusal(TimingMistake::Invalid, "cron", format!("{text:?} {error}"), hint)
    })
}

fn zone(name: Option<&str>) -> Result<Zone, TimingRefusal> {
    let Some(name) = name else { return Ok(Zone::default()) };
    Zone::parse(name).map_err(|_| {
        let hint = match nearest_zone(name) {
            Some(near) => format!("did you mean {near}?"),
            None => "give an IANA name such as Europe/Berlin, or UTC".to_owned(),
        };
        refusal(TimingMistake::Invalid, "timezone", format!("{name:?} is not a time zone"), hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cron(text: &str) -> TimingRequest {
        TimingRequest { cron: Some(text.into()), ..TimingRequest::default() }
    }

    fn refused(request: &TimingRequest) -> (TimingMistake, &'static str, String) {
        let refusal = plan_timing(request, Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH).expect_err("refused");
        (refusal.kind, refusal.field, refusal.hint)
    }

    #[test]
    fn exactly_one_thing_says_when() {
        use TimingMistake::{Conflict, Missing};
        let every = NonZeroU32::new(60);
        let at = Some(Timestamp::MAX);
        let cases = [
            (TimingRequest::default(), Missing, "cron"),
            (TimingRequest { every_seconds: every, ..cron("@daily") }, Conflict, "every_seconds"),
            (TimingRequest { at, ..cron("@daily") }, Conflict, "at"),
            (TimingRequest { every_seconds: every, at, ..TimingRequest::default() }, Conflict, "at"),
            (TimingRequest { at, timezone: Some("UTC".into()), ..TimingRequest::default() }, Conflict, "timezone"),
            (TimingRequest { at, dst: Some(Dst::default()), ..TimingRequest::default() }, Conflict, "dst"),
            (TimingRequest { starts_at: at, ..cron("@daily") }, Conflict, "starts_at"),
        ];
        for (request, kind, field) in cases {
            let (found, named, _) = refused(&request);
            assert_eq!((found, named), (kind, field), "{request:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_to_write() {
        let (_, field, hint) = refused(&TimingRequest { timezone: Some("Europe/Berln".into()), ..cron("@daily") });
        assert_eq!((field, hint.as_str()), ("timezone", "did you mean Europe/Berlin?"));
        let never = plan_timing(&cron("0 0 30 2 *"), Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH);
        assert_eq!(never.expect_err("refused").to_string(), "\"0 0 30 2 *\" never fires: there is no such date");
        let past = TimingRequest { at: Some(Timestamp::UNIX_EPOCH), ..TimingRequest::default() };
        assert_eq!(refused(&past).1, "at");
    }
}
