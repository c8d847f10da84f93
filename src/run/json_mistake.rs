//! What is wrong with text that should be JSON, in words for whoever wrote it.

/// Says what is wrong and where; the parser's own words are for programmers.
pub fn explain_json_mistake(text: &[u8], error: &serde_json::Error) -> String {
    let words = error.to_string();
    let what = words.split(" at line ").next().unwrap_or_default();
    let what = match what {
        _ if text.trim_ascii().is_empty() => return "it is empty".to_owned(),
        _ if std::str::from_utf8(text).is_err() => "it is not UTF-8 text",
        "EOF while parsing a list" => "it ends inside an array; a ] is missing",
        "EOF while parsing an object" => "it ends inside an object; a } is missing",
        "EOF while parsing a string" => "it ends inside a string; a \" is missing",
        "EOF while parsing a value" => "it ends where a value should follow",
        "expected `:`" => "a : is missing after a key",
        "expected `,` or `]`" => "a , or ] is missing",
        "expected `,` or `}`" => "a , or } is missing",
        "key must be a string" => "a key in double quotes should stand here",
        "trailing comma" => "a comma with nothing after it",
        "trailing characters" => "more text after the end of the value",
        "expected value" | "expected ident" => "a value should stand here; text needs double quotes",
        "invalid escape" => "an escape that does not exist; write a backslash as \\\\",
        "invalid number" => "a malformed number",
        "number out of range" => "a number that is too large",
        "recursion limit exceeded" => "arrays and objects are nested too deeply",
        _ if what.starts_with("control character") => {
            "a line break or control character inside a string; write it as \\n or \\u000a"
        }
        _ if what.contains("escape") || what.contains("unicode") || what.contains("surrogate") => {
            "a malformed \\u escape"
        }
        _ => "a mistake",
    };
    let line = if text.trim_ascii().contains(&b'\n') { format!("line {}, ", error.line()) } else { String::new() };
    format!("{what} ({line}column {})", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &[u8]) -> String {
        explain_json_mistake(text, &serde_json::from_slice::<serde_json::Value>(text).expect_err("not JSON"))
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let told: &[(&[u8], &str)] = &[
            (b"", "it is empty"),
            (b" \n", "it is empty"),
            (b"\"\xff\"", "it is not UTF-8 text (column 2)"),
            (b"[1", "it ends inside an array; a ] is missing (column 2)"),
            (b"{\"a\":", "it ends where a value should follow (column 5)"),
            (b"{\"a\" 1}", "a : is missing after a key (column 6)"),
            (b"{\"a\": 1\n\"b\": 2}", "a , or } is missing (line 2, column 1)"),
            (b"{bad", "a key in double quotes should stand here (column 2)"),
            (b"nope", "a value should stand here; text needs double quotes (column 2)"),
            (b"1 2", "more text after the end of the value (column 3)"),
            (
                b"\"a\nb\"",
                "a line break or control character inside a string; write it as \\n or \\u000a (line 2, column 0)",
            ),
        ];
        for (text, words) in told {
            assert_eq!(said(text), *words, "{}", String::from_utf8_lossy(text));
        }
    }
}
