//! Cron expressions: five fields or a nickname, as Vixie cron reads them.

use jiff::civil::DateTime;

use super::days::Days;
use super::field::{HOUR, MINUTE, MONTH, has};

/// The longest an expression may be.
const MAX_BYTES: usize = 200;

/// How far ahead an expression must match at least once. The rarest that do, a leap day that is also a certain weekday,
/// come round within forty years.
const HORIZON_YEARS: i16 = 50;

/// A cron expression that matches now and then.
///
/// It has five fields, with white space between them, or is one of `@yearly` (or `@annually`), `@monthly`, `@weekly`,
/// `@daily` (or `@midnight`) and `@hourly`. There are no seconds, no years and no `@reboot`. Case makes no difference.
///
/// | field | values | besides |
/// |---|---|---|
/// | minute | 0-59 | |
/// | hour | 0-23 | |
/// | day of the month | 1-31 | `L`: the last; `15W`: the working day (Monday to Friday) nearest to the 15th, in the same month; `LW`: the last working day; `?`: as `*` |
/// | month | 1-12, `JAN`-`DEC` | |
/// | day of the week | 0-7, `SUN`-`SAT`; 0 and 7 are Sunday | `MON#2`: the second Monday of the month, up to 5; `FRIL`, `5L` or `FRI#L`: the last Friday; `?`: as `*` |
///
/// A field is `*`, or a list with commas of single values, ranges `a-b`, and steps `*/n` or `a-b/n`. A step counts from
/// the beginning of its range, and starts afresh with it: `*/7` in the minutes is 0, 7, …, 56 and then 0 again. A range
/// may not run backwards (`SAT-MON`); `SUN` may begin one and end one. A step needs a range (`5/10` is refused).
///
/// Days are Vixie's: where both the day of the month and the day of the week are given, one of them is enough. Where
/// one of the two fields begins with `*` (or is `?`), both have to suit: `0 0 13 * FRI` is every 13th and every Friday,
/// `0 0 */2 * FRI` is the Fridays among the odd days.
///
/// An expression whose hour field begins with `*` follows elapsed time when the clock is changed, see [`super::Dst`].
///
/// One that no date suits, such as the 30th of February, is refused.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cron {
    text: String,
    minutes: u64,
    hours: u64,
    days: Days,
    months: u64,
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
                unreadable("is not a nickname; use @yearly, @monthly, @weekly, @daily, @midnight and @hourly")
            })?,
            None => text.as_str(),
        };
        let parts: Vec<&str> = spelt_out.split(' ').collect();
        let [minute, hour, day, month, weekday] = parts[..] else {
            return Err(unreadable("must have five fields: minute, hour, day of month, month, day of week"));
        };
        let in_full = |reason: String| InvalidCron::Unreadable(format!("cannot be read: {reason}"));
        let cron = Self {
            minutes: MINUTE.read(minute).map_err(in_full)?,
            hours: HOUR.read(hour).map_err(in_full)?,
            days: Days::read(day, weekday).map_err(in_full)?,
            months: MONTH.read(month).map_err(in_full)?,
            follows_real_time: hour.starts_with('*'),
            text,
        };
        // Any date does to begin with; which one makes no difference over so many years.
        let start = jiff::civil::date(2000, 1, 1).at(0, 0, 0, 0);
        cron.next_from(start).map(|_| ()).ok_or(InvalidCron::Never)?;
        Ok(cron)
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
        let (mut date, mut hour, mut minute) = (from.date(), from.hour(), from.minute());
        while date.year() - start.year() < HORIZON_YEARS {
            if !has(self.months, date.month()) {
                date = date.last_of_month();
            } else if self.days.suit(date)
                && let Some((hour, minute)) = self.next_time(hour, minute)
            {
                return Some(date.at(hour, minute, 0, 0));
            }
            (date, hour, minute) = (date.tomorrow().ok()?, 0, 0);
        }
        None
    }

    /// The first time of day that it matches, from this one on.
    fn next_time(&self, hour: i8, minute: i8) -> Option<(i8, i8)> {
        if has(self.hours, hour)
            && let Some(minute) = first_from(self.minutes, minute)
        {
            return Some((hour, minute));
        }
        Some((first_from(self.hours, hour + 1)?, first_from(self.minutes, 0)?))
    }

    /// Whether it matches this time on the wall.
    pub fn matches(&self, time: DateTime) -> bool {
        let whole = time.second() == 0 && time.subsec_nanosecond() == 0;
        let suits = has(self.minutes, time.minute()) && has(self.hours, time.hour()) && has(self.months, time.month());
        whole && suits && self.days.suit(time.date())
    }
}

/// The smallest of the values that is not below `least`.
fn first_from(values: u64, least: i8) -> Option<i8> {
    let rest = values & (u64::MAX << least);
    (rest != 0).then_some(rest.trailing_zeros() as i8)
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
