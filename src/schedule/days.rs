//! The two day fields of a cron expression, which belong together.

use jiff::civil::{Date, Weekday};

use super::field::{DAY, WEEKDAY, has, number};

/// The days that suit an expression, whatever the month.
#[derive(Clone, Debug)]
pub(super) struct Days {
    of_month: OfMonth,
    of_week: OfWeek,
    /// Whether a day has to suit both fields.
    both: bool,
}

/// Days of the month, one bit each.
#[derive(Clone, Debug, Default)]
struct OfMonth {
    plain: u64,
    last: bool,
    /// Those of which the nearest working day is meant.
    nearest: u64,
    last_working: bool,
}

/// Days of the week, one bit each, Sunday the lowest.
#[derive(Clone, Debug, Default)]
struct OfWeek {
    plain: u64,
    /// Those of which the first in a month is meant, the second, and so on.
    nth: [u64; 5],
    /// Those of which the last in a month is meant.
    last: u64,
}

impl Days {
    pub(super) fn read(day: &str, weekday: &str) -> Result<Self, String> {
        let any = |text| if text == "?" { "*" } else { text };
        let (day, weekday) = (any(day), any(weekday));
        // Vixie's rule: both have to suit if one of the fields begins with a star, otherwise one is enough.
        let both = day.starts_with('*') || weekday.starts_with('*');
        Ok(Self { of_month: OfMonth::read(day)?, of_week: OfWeek::read(weekday)?, both })
    }

    pub(super) fn suit(&self, date: Date) -> bool {
        let (of_month, of_week) = (self.of_month.suit(date), self.of_week.suit(date));
        if self.both { of_month && of_week } else { of_month || of_week }
    }
}

impl OfMonth {
    fn read(text: &str) -> Result<Self, String> {
        let mut days = Self::default();
        days.plain = DAY.read_list(text, |item| {
            match item.to_ascii_uppercase().as_str() {
                "L" => days.last = true,
                "LW" => days.last_working = true,
                item => match item.strip_suffix('W') {
                    Some(day) => days.nearest |= 1 << DAY.value(day)?,
                    None => return Ok(false),
                },
            }
            Ok(true)
        })?;
        Ok(days)
    }

    fn suit(&self, date: Date) -> bool {
        let (day, length) = (date.day(), date.days_in_month());
        let nearest = |to: i8| has(self.nearest, to) || self.last_working && to == length;
        has(self.plain, day)
            || self.last && day == length
            // A working day is at most two days away.
            || ((day - 2).max(1)..=(day + 2).min(length)).any(|to| nearest(to) && working_day_nearest(to, date) == day)
    }
}

impl OfWeek {
    fn read(text: &str) -> Result<Self, String> {
        let mut days = Self::default();
        let plain = WEEKDAY.read_list(text, |item| {
            let (day, which) = match item.split_once('#') {
                Some((day, which)) => (day, which),
                None => match item.strip_suffix(['L', 'l']) {
                    Some(day) => (day, "L"),
                    None => return Ok(false),
                },
            };
            let day = 1 << (WEEKDAY.value(day)? % 7);
            match number(which) {
                Some(which @ 1..=5) => days.nth[usize::from(which) - 1] |= day,
                _ if which.eq_ignore_ascii_case("L") => days.last |= day,
                _ => return Err(format!("{item:?} is not a day of the month; # takes 1 to 5, or L for the last")),
            }
            Ok(true)
        })?;
        // Sunday is both 0 and 7.
        days.plain = plain & 0x7f | plain >> 7;
        Ok(days)
    }

    fn suit(&self, date: Date) -> bool {
        let (day, weekday) = (date.day(), date.weekday().to_sunday_zero_offset());
        let nth = self.nth[usize::from(day.unsigned_abs() - 1) / 7];
        has(self.plain | nth, weekday) || has(self.last, weekday) && day + 7 > date.days_in_month()
    }
}

/// The working day nearest to this day of the month that `date` is in, and in the same month.
fn working_day_nearest(day: i8, date: Date) -> i8 {
    match date.weekday().wrapping_add(day - date.day()) {
        Weekday::Saturday if day == 1 => day + 2,
        Weekday::Saturday => day - 1,
        Weekday::Sunday if day == date.days_in_month() => day - 2,
        Weekday::Sunday => day + 1,
        _ => day,
    }
}
