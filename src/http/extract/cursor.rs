//! Cursors: where the next page of a list begins, in a form that invites nobody to make one up.

use std::str::FromStr;

use crate::http::problem::{Code, Problem};

/// Tells cursors of different lists apart.
fn mark(list: &str) -> String {
    format!("{list}:")
}

/// The cursor after `item` of a list.
pub(in crate::http) fn to_cursor(list: &str, item: &impl ToString) -> String {
    (mark(list) + &item.to_string()).bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// The item after which to go on.
pub(in crate::http) fn from_cursor<T: FromStr>(list: &str, cursor: Option<&str>) -> Result<Option<T>, Problem> {
    let Some(cursor) = cursor else { return Ok(None) };
    let item = decode(cursor).and_then(|text| text.strip_prefix(&mark(list))?.parse().ok());
    match item {
        Some(item) => Ok(Some(item)),
        None => Err(Problem::new(Code::InvalidCursor, "the cursor is not valid for this list")
            .field("cursor")
            .hint("pass next_cursor unchanged, or start without a cursor")),
    }
}

fn decode(cursor: &str) -> Option<String> {
    let digits = cursor.as_bytes().chunks(2);
    let bytes = digits.map(|pair| match pair {
        [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
        _ => None,
    });
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::LaneName;

    #[test]
    fn a_cursor_leads_back_to_its_item_in_its_own_list_only() {
        let lane = LaneName::parse("straße 7").expect("a name");
        let cursor = to_cursor("lanes", &lane);
        assert!(matches!(from_cursor::<LaneName>("lanes", Some(&cursor)), Ok(Some(found)) if found == lane));
        assert!(from_cursor::<LaneName>("runs", Some(&cursor)).is_err());
        for made_up in ["", "x", "zz", "é", "00", &cursor[..9]] {
            assert!(from_cursor::<LaneName>("lanes", Some(made_up)).is_err(), "{made_up}");
        }
        assert!(matches!(from_cursor::<LaneName>("lanes", None), Ok(None)));
    }
}
