//! What is wrong with a field or parameter, for whoever sent it: what was given, and what is allowed. The messages of the
//! deserialisers speak of Rust's types.

/// Translates a deserialiser's message about a field; any other message is returned as it is.
pub(super) fn plain(field: &str, words: &str) -> String {
    if is_time(field) && !words.starts_with("missing field") {
        return "not a time; write it as in 2026-11-20T09:00:00Z, with Z or an offset".to_owned();
    }
    if words.starts_with("UUID parsing failed") || words.contains("formatted UUID string") {
        return "not a full id; write it as in 01a1e292-4f58-704e-830f-f9086c87eddb".to_owned();
    }
    if let Some((given, expected)) = mismatch(words) {
        return format!("{} is not allowed; give {}", seen(given), allowed(expected));
    }
    if let Some(rest) = words.strip_prefix("unknown variant ") {
        let (given, choices) = rest.split_once(", expected ").unwrap_or((rest, ""));
        let choices = choices.trim_start_matches("one of ").replace('`', "");
        return format!("{:?} is not allowed; give {}", given.trim_matches('`'), choices.replace(" or ", ", "));
    }
    match words {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "not a whole number; give one, 0 or more"
        }
        "number too large to fit in target type" => "the number is too large; give a smaller one",
        "provided string was not `true` or `false`" => "neither true nor false; give one of them",
        "expected value" | "expected ident" => {
            "not allowed; give one of the words that the description of the API lists"
        }
        other => other,
    }
    .to_owned()
}

/// The names that are known, from a reader's "one of `a`, `b`".
pub(super) fn known_names(expected: &str) -> String {
    format!("there is {}", expected.trim_start_matches("one of ").replace('`', "").replace(" or ", ", "))
}

/// Fields that hold a time say so by their names.
fn is_time(field: &str) -> bool {
    let last = field.rsplit('.').next().unwrap_or_default();
    last.ends_with("_at") || ["at", "from", "since", "start_by", "until"].contains(&last)
}

fn mismatch(words: &str) -> Option<(&str, &str)> {
    let rest = words.strip_prefix("invalid type: ").or_else(|| words.strip_prefix("invalid value: "))?;
    rest.rsplit_once(", expected ")
}

fn seen(given: &str) -> String {
    let value = given.split_once(' ').map_or(given, |(_, value)| value);
    match given {
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
        "null" => "null".to_owned(),
        _ if given.starts_with("floating point") => given.trim_start_matches("floating point ").replace('`', ""),
        _ => value.replace('`', ""),
    }
}

fn allowed(expected: &str) -> String {
    let whole = |from: &str, until: u64| format!("a whole number from {from} to {until}");
    match expected {
        "a nonzero u16" => whole("1", u16::MAX.into()),
        "a nonzero u32" => whole("1", u32::MAX.into()),
        "u8" => whole("0", u8::MAX.into()),
        "u16" => whole("0", u16::MAX.into()),
        "u32" => whole("0", u32::MAX.into()),
        "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "i64" | "i32" | "i16" => "a whole number".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "text in quotes".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_readers_are_translated() {
        let told = [
            (
                "max_attempts",
                "invalid value: integer `0`, expected a nonzero u16",
                "0 is not allowed; give a whole number from 1 to 65535",
            ),
            (
                "timeout_seconds",
                "invalid type: floating point `1.5`, expected a nonzero u32",
                "1.5 is not allowed; give a whole number from 1 to 4294967295",
            ),
            (
                "after[0]",
                "UUID parsing failed: invalid character: found `x` at 0",
                "not a full id; write it as in 01a1e292-4f58-704e-830f-f9086c87eddb",
            ),
            ("hold", "invalid type: string \"yes\", expected a boolean", "\"yes\" is not allowed; give true or false"),
            ("runs", "invalid type: sequence, expected an object", "an array is not allowed; give an object"),
            (
                "policy",
                "unknown variant `stop`, expected `continue` or `hold`",
                "\"stop\" is not allowed; give continue, hold",
            ),
            (
                "role",
                "unknown variant `king`, expected one of `viewer`, `admin`",
                "\"king\" is not allowed; give viewer, admin",
            ),
            (
                "runs[1].available_at",
                "failed to parse four digit integer as year",
                "not a time; write it as in 2026-11-20T09:00:00Z, with Z or an offset",
            ),
            ("limit", "invalid digit found in string", "not a whole number; give one, 0 or more"),
            ("task", "task is empty", "task is empty"),
        ];
        for (field, words, expected) in told {
            assert_eq!(plain(field, words), expected);
        }
    }
}
