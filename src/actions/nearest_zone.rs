//! Guesses which time zone was meant by a name that is none.

/// The zone whose name is nearest, if one is near enough to be meant.
pub(super) fn nearest_zone(name: &str) -> Option<String> {
    let wanted = name.trim().replace(' ', "_").to_lowercase();
    if wanted.len() < 3 || wanted.len() > 64 {
        return None;
    }
    let scored = jiff::tz::db().available().map(|zone| {
        let known = zone.as_str().to_lowercase();
        // Who names a city alone means the city.
        let city = known.rsplit('/').next().unwrap_or_default();
        let last = wanted.rsplit('/').next().unwrap_or_default();
        let whole = distance(&wanted, &known);
        let by_city = distance(last, city) + usize::from(wanted.contains('/'));
        (whole.min(by_city), whole, zone.to_string())
    });
    let (near, _, zone) = scored.min()?;
    (near <= wanted.chars().count().div_ceil(4).min(3)).then_some(zone)
}

/// How many letters have to be changed, added or left out.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, known) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *known);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood_and_nonsense_is_not() {
        for (given, meant) in [
            ("Europe/Berln", Some("Europe/Berlin")),
            ("Berlin", Some("Europe/Berlin")),
            ("new york", Some("America/New_York")),
            ("America/NewYork", Some("America/New_York")),
            ("Asia/Tokio", Some("Asia/Tokyo")),
            ("Mars/Olympus", None),
            ("", None),
        ] {
            assert_eq!(nearest_zone(given).as_deref(), meant, "{given}");
        }
    }
}
