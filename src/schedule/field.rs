//! Reads one field of a cron expression: values, ranges, steps and lists of them.

/// What a field may hold.
pub(super) struct Field {
    /// What one of its values is called.
    noun: &'static str,
    first: u8,
    last: u8,
    /// What people call its values, from the first on.
    names: &'static [&'static str],
}

pub(super) const MINUTE: Field = Field { noun: "minute", first: 0, last: 59, names: &[] };
pub(super) const HOUR: Field = Field { noun: "hour", first: 0, last: 23, names: &[] };
pub(super) const DAY: Field = Field { noun: "day of the month", first: 1, last: 31, names: &[] };
pub(super) const MONTH: Field = Field {
    noun: "month",
    first: 1,
    last: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
/// Sunday is both the first and the last, so that it can begin a range and end one.
pub(super) const WEEKDAY: Field = Field {
    noun: "day of the week",
    first: 0,
    last: 7,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"],
};

impl Field {
    /// The values that the field's text stands for, one bit each.
    pub(super) fn read(&self, text: &str) -> Result<u64, String> {
        self.read_list(text, |_| Ok(false))
    }

    /// Likewise, where `special` gets each item first and says whether it took it.
    pub(super) fn read_list(
        &self,
        text: &str,
        mut special: impl FnMut(&str) -> Result<bool, String>,
    ) -> Result<u64, String> {
        if text == "*" {
            return Ok(bits(self.first, self.last, 1));
        }
        let mut values = 0;
        for item in text.split(',') {
            if !special(item)? {
                values |= self.item(item)?;
            }
        }
        Ok(values)
    }

    fn item(&self, item: &str) -> Result<u64, String> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(number(step).filter(|step| *step > 0))),
            None => (item, None),
        };
        let step = match step {
            Some(Some(step)) => Some(step),
            Some(None) => return Err(format!("{item:?} has no step; give a number from 1 to 255 after the /")),
            None => None,
        };
        match (range, range.split_once('-'), step) {
            ("*", _, Some(step)) => Ok(bits(self.first, self.last, step)),
            ("*", _, None) => Err("* stands alone, or has a step".to_owned()),
            (_, Some((from, to)), step) => self.range(from, to, step.unwrap_or(1)),
            (_, None, Some(_)) => Err(format!("{item:?} has a step but no range; give */n or a-b/n")),
            (value, None, None) => self.value(value).map(|value| bits(value, value, 1)),
        }
    }

    fn range(&self, from: &str, to: &str, step: u8) -> Result<u64, String> {
        let (first, mut last) = (self.value(from)?, self.value(to)?);
        // By name, Sunday ends the week unless it is all of it.
        if self.last == WEEKDAY.last && last == 0 && first > 0 && number(to).is_none() {
            last = self.last;
        }
        if first > last {
            return Err(format!("the range {from}-{to} runs backwards"));
        }
        Ok(bits(first, last, step))
    }

    /// A single value, by its number or its name.
    pub(super) fn value(&self, text: &str) -> Result<u8, String> {
        let named = || self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let by_name = || named().and_then(|at| u8::try_from(at).ok()).map(|at| at + self.first);
        let value = number(text).or_else(by_name).filter(|value| (self.first..=self.last).contains(value));
        value.ok_or_else(|| format!("{text:?} is not a valid {}; use {} to {}", self.noun, self.first, self.last))
    }
}

/// A number in plain digits.
pub(super) fn number(text: &str) -> Option<u8> {
    // Rust would also read a sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Whether the value is among them.
pub(super) fn has(values: u64, value: i8) -> bool {
    values >> value & 1 == 1
}

fn bits(first: u8, last: u8, step: u8) -> u64 {
    (first..=last).step_by(step.into()).fold(0, |bits, value| bits | 1 << value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(field: &Field, text: &str) -> Result<Vec<u8>, String> {
        field.read(text).map(|bits| (0..64).filter(|bit| bits >> bit & 1 == 1).collect())
    }

    #[test]
    fn a_field_is_a_list_of_values_ranges_and_steps() {
        assert_eq!(values(&HOUR, "*/7"), Ok(vec![0, 7, 14, 21]));
        assert_eq!(values(&MINUTE, "5,1-3,50-59/4,007"), Ok(vec![1, 2, 3, 5, 7, 50, 54, 58]));
        assert_eq!(values(&MONTH, "jan,Mar-MAY,dec"), Ok(vec![1, 3, 4, 5, 12]));
        assert_eq!(values(&DAY, "*/15"), Ok(vec![1, 16, 31]));
        assert_eq!(values(&MINUTE, "*/255"), Ok(vec![0]));
    }

    #[test]
    fn sunday_begins_a_range_and_ends_one() {
        for (text, days) in [
            ("SUN-TUE", vec![0, 1, 2]),
            ("FRI-SUN", vec![5, 6, 7]),
            ("5-7", vec![5, 6, 7]),
            ("SUN-SUN", vec![0]),
            ("0-sun", vec![0]),
            ("0-7", (0..=7).collect()),
            ("*/7", vec![0, 7]),
        ] {
            assert_eq!(values(&WEEKDAY, text), Ok(days), "{text}");
        }
        assert!(values(&WEEKDAY, "5-0").is_err());
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in [
            "",
            ",",
            "1,",
            ",1",
            "1,,2",
            "60",
            "-1",
            "+1",
            "1-",
            "-",
            "1-2-3",
            "5-1",
            "*-5",
            "1/2",
            "/2",
            "*/",
            "*/0",
            "*/256",
            "1-5/0",
            "1-5/2/2",
            "*,5",
            "5,*",
            "**",
            "*5",
            "1 2",
            "٣",
            "mon",
            "1mon",
            "99999999999999999999",
            "1.5",
            "0x1",
            "?",
            "L",
        ] {
            assert!(values(&MINUTE, text).is_err(), "{text}: {:?}", values(&MINUTE, text));
        }
        for text in ["0", "13", "janfeb", "january", "1jan", "mon", "ja"] {
            assert!(values(&MONTH, text).is_err(), "{text}");
        }
    }
}
