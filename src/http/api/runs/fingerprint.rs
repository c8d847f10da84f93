//! Tells requests apart: the same request written differently has the same fingerprint.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::http::dto::SubmitRun;

/// A digest of what was asked for, whatever the order of its keys and the space between them. Numbers count as they were
/// written: not every one survives being read.
pub(super) fn of(request: &SubmitRun) -> Result<Vec<u8>, serde_json::Error> {
    let text = serde_json::to_string(request)?;
    let mut plain = String::new();
    write_plainly(&text, &mut plain)?;
    Ok(Sha256::digest(plain.as_bytes()).to_vec())
}

fn write_plainly(json: &str, into: &mut String) -> Result<(), serde_json::Error> {
    match json.as_bytes().first() {
        Some(b'{') => {
            let entries: BTreeMap<String, &RawValue> = serde_json::from_str(json)?;
            into.push('{');
            for (key, value) in entries {
                into.push_str(&serde_json::to_string(&key)?);
                into.push(':');
                write_plainly(value.get(), into)?;
                into.push(',');
            }
            into.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json)?;
            into.push('[');
            for item in items {
                write_plainly(item.get(), into)?;
                into.push(',');
            }
            into.push(']');
        }
        Some(b'"') => into.push_str(&serde_json::to_string(&serde_json::from_str::<String>(json)?)?),
        _ => into.push_str(json),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(body: &str) -> Vec<u8> {
        of(&serde_json::from_str(body).expect("a submission")).expect("a fingerprint")
    }

    #[test]
    fn only_what_is_asked_for_counts() {
        let one = fingerprint(r#"{"task":"a","payload":{"x":[1,{"y":"\u00e9"}],"z":null}}"#);
        assert_eq!(one, fingerprint(r#"{ "payload": {"z" : null, "x":[1, {"y":"é"} ]}, "task":"a" }"#));
        for other in [
            r#"{"task":"a","payload":{"x":[{"y":"é"},1],"z":null}}"#,
            r#"{"task":"a","payload":{"x":[1,{"y":"é"}]}}"#,
            r#"{"task":"a","payload":{"x":[1,{"y":"é"}],"z":null},"priority":1}"#,
        ] {
            assert_ne!(one, fingerprint(other), "{other}");
        }
        let large = |digits: &str| fingerprint(&format!(r#"{{"task":"a","payload":{digits}}}"#));
        assert_ne!(large("12345678901234567890123"), large("12345678901234567890124"));
    }
}
