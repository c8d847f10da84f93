//! Cron expressions: five fields or a nickname, as Vixie cron reads them.

use std::sync::Arc;

use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::DateTime;

/// The longest an expression may be.
const MAX_BYTES: usize = 200;

/// How far ahead an expression must match at least once. The rarest that do, a leap day that is also a certain weekday,
/// come round within forty years.
const HORIZON_YEARS: i16 = 50;

/// A cron expression that matches now and then.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cron {
    text: String,
    /// Shared, since schedules are copied and this is large.
    fields: Arc<croner::Cron>,
    follows_real_time: bool,
}

/// An expression that was refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCron {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It can be read, and no date suits it.
    #[error("never fires: there is no such date")]
    Never,
}

impl Cron {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, InvalidCron> {
        let unreadable = |reason: &str| InvalidCron::Unreadable(reason.to_owned());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.len() > MAX_BYTES {
            return Err(unreadable("is too long; 200 bytes are allowed"));
        }
        let spelt_out = match text.strip_prefix('@') {
            Some(nickname) => spell_out(nickname).ok_or_else(|| {
                unreadable("is no nickname; there are @yearly, @monthly, @weekly, @daily, @midnight and @hourly")
            })?,
            None => text.as_str(),
        };
        let parts: Vec<&str> = spelt_out.split(' ').collect();
        let [_, hour, day, _, weekday] = parts[..] else {
            return Err(unreadable("has not five fields: minute, hour, day of month, month, day of week"));
        };
        // Vixie's rule: both days have to suit if one of the fields begins with a star, otherwise one is enough.
        let both_days = day.starts_with('*') || weekday.starts_with('*');
        let parser =
            CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).dom_and_dow(both_days).build();
        let fields = parser.parse(spelt_out).map_err(|error| InvalidCron::Unreadable(readable(&error)))?;
        let cron = Self { follows_real_time: hour == "*" || hour.starts_with("*/"), text, fields: Arc::new(fields) };
        // Any date does to begin with; which one makes no difference over so many years.
        let start = jiff::civil::date(2000, 1, 1).at(0, 0, 0, 0);
        match cron.next_from(start) {
            Some(first) if first.year() < start.year() + HORIZON_YEARS => Ok(cron),
            _ => Err(InvalidCron::Never),
        }
    }

    /// The expression as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it goes by elapsed hours rather than by what the clock on the wall shows: the hour is `*` or `*/n`.
    pub fn follows_real_time(&self) -> bool {
        self.follows_real_time
    }

    /// The first time on the wall that it matches, from `start` on.
    pub(super) fn next_from(&self, start: DateTime) -> Option<DateTime> {
        let whole = start.with().second(0).subsec_nanosecond(0).build().ok()?;
        let from = if whole < start { whole.checked_add(jiff::Span::new().minutes(1)).ok()? } else { whole };
        self.fields.find_next_occurrence(&from, true).ok()
    }

    /// Whether it matches this time on the wall.
    pub fn matches(&self, time: DateTime) -> bool {
        self.fields.is_time_matching(&time).unwrap_or(false)
    }
}

impl PartialEq for Cron {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Cron {}

impl TryFrom<String> for Cron {
    type Error = InvalidCron;
    fn try_from(text: String) -> Result<Self, InvalidCron> {
        Self::parse(&text)
    }
}

impl From<Cron> for String {
    fn from(cron: Cron) -> String {
        cron.text
    }
}

fn spell_out(nickname: &str) -> Option<&'static str> {
    Some(match nickname.to_ascii_lowercase().as_str() {
        "yearly" | "annually" => "0 0 1 1 *",
        "monthly" => "0 0 1 * *",
        "weekly" => "0 0 * * 0",
        "daily" | "midnight" => "0 0 * * *",
        "hourly" => "0 * * * *",
        _ => return None,
    })
}

/// What the library says, in our voice.
fn readable(error: &croner::errors::CronError) -> String {
    use croner::errors::CronError;
    match error {
        CronError::InvalidPattern(said) | CronError::IllegalCharacters(said) | CronError::ComponentError(said) => {
            let said = said.trim_end_matches('.');
            let mut letters = said.chars();
            let first = letters.next().map(|letter| letter.to_lowercase().collect::<String>()).unwrap_or_default();
            format!("cannot be read: {first}{}", letters.as_str())
        }
        other => format!("cannot be read: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_has_five_fields_or_is_a_nickname() {
        for good in ["* * * * *", " 5  4 * * sun ", "0 0 1,15 * MON-FRI", "*/7 0-12/3 L * *", "0 9 * * 1#2", "@Hourly"]
        {
            assert!(Cron::parse(good).is_ok(), "{good}: {:?}", Cron::parse(good));
        }
        for bad in [
            "",
            "* * * *",
            "0 * * * * *",
            "61 * * * *",
            "0 24 * * *",
            "0 0 0 * *",
            "0 0 * 13 *",
            "0 0 * * 8",
            "@reboot",
            "@often",
            "a b c d e",
            "0 0 * * mon-",
            "5-1 * * * *",
        ] {
            assert!(matches!(Cron::parse(bad), Err(InvalidCron::Unreadable(_))), "{bad}: {:?}", Cron::parse(bad));
        }
    }

    #[test]
    fn one_that_never_fires_is_refused() {
        for never in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 *"] {
            assert_eq!(Cron::parse(never), Err(InvalidCron::Never), "{never}");
        }
        assert!(Cron::parse("0 0 29 2 *").is_ok());
        assert!(Cron::parse("0 0 30 2 MON").is_ok(), "either day will do, and Mondays there are");
    }

    #[test]
    fn two_days_that_are_both_given_are_alternatives_as_in_vixie_cron() {
        let day = |day| jiff::civil::date(2026, 11, day).at(0, 0, 0, 0);
        let either = Cron::parse("0 0 13 * FRI").expect("an expression");
        assert!(either.matches(day(13)) && either.matches(day(20)) && !either.matches(day(14)));
        let both = Cron::parse("0 0 */2 * FRI").expect("an expression");
        assert!(both.matches(day(13)) && !both.matches(day(20)) && !both.matches(day(15)));
    }

    #[test]
    fn the_next_time_is_a_whole_minute() {
        let cron = Cron::parse("*/5 * * * *").expect("an expression");
        let at = |hour, minute, second| jiff::civil::date(2026, 11, 16).at(hour, minute, second, 0);
        assert_eq!(cron.next_from(at(10, 0, 0)), Some(at(10, 0, 0)));
        assert_eq!(cron.next_from(at(10, 0, 1)), Some(at(10, 5, 0)));
        assert_eq!(cron.next_from(at(23, 59, 0)), Some(jiff::civil::date(2026, 11, 17).at(0, 0, 0, 0)));
    }
}
