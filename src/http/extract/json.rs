//! Looks through JSON once, before anything is made of it: well-formed, not too deep, no key twice, no NUL.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::http::problem::{Code, Problem};
use crate::run::explain_json_mistake;

/// How many arrays and objects may be within each other.
pub(super) const DEEPEST: usize = 64;

/// Refuses JSON that two readers could understand differently, or that a database cannot hold.
pub(super) fn check(bytes: &[u8]) -> Result<(), Problem> {
    let found = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let looked = Look { depth: 0, found: &found }.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    match (found.into_inner(), looked) {
        (Some(problem), _) => Err(problem),
        (None, Err(_)) if bytes.is_empty() => {
            Err(Problem::new(Code::InvalidJson, "the body is empty").hint("send a JSON object"))
        }
        (None, Err(error)) => {
            let detail = format!("the body is not JSON: {}", explain_json_mistake(bytes, &error));
            Err(Problem::new(Code::InvalidJson, detail).hint("send a JSON object in UTF-8"))
        }
        (None, Ok(())) => Ok(()),
    }
}

/// One value, so many levels down. An error of the reader has no code, so what was found is laid aside.
#[derive(Clone, Copy)]
struct Look<'a> {
    depth: usize,
    found: &'a RefCell<Option<Problem>>,
}

impl Look<'_> {
    fn refuse<E: Error>(self, problem: Problem) -> E {
        self.found.replace(Some(problem));
        E::custom("refused")
    }

    fn inside<E: Error>(self) -> Result<Self, E> {
        if self.depth == DEEPEST {
            let detail = format!("arrays and objects are nested more than {DEEPEST} deep");
            return Err(self.refuse(Problem::new(Code::JsonTooDeep, detail)));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn text<E: Error>(self, text: &str) -> Result<(), E> {
        if !text.contains('\0') {
            return Ok(());
        }
        let problem = Problem::new(Code::NulCharacter, "the JSON contains \\u0000, which cannot be stored");
        Err(self.refuse(problem.hint("remove it or encode it differently")))
    }
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        while items.next_element_seed(inside)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.text(&key)?;
            entries.next_value_seed(inside)?;
            if let Some(key) = keys.replace(key) {
                let detail = format!("the key {key:?} appears twice in the same object");
                return Err(self.refuse(Problem::new(Code::DuplicateKey, detail).field(key)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<Code> {
        check(text.as_bytes()).err().map(|problem| problem.code())
    }

    #[test]
    fn what_two_readers_could_understand_differently_is_refused() {
        assert_eq!(code(r#"{"a":{"b":1,"c":[1,2.5,null,true,"x"]}}"#), None);
        assert_eq!(code(r#"{"a":{"b":1,"\u0062":2}}"#), Some(Code::DuplicateKey));
        assert_eq!(code(r#"["a\u0000"]"#), Some(Code::NulCharacter));
        assert_eq!(code(r#"{"\u0000":1}"#), Some(Code::NulCharacter));
        assert_eq!(code(r#"["a\\u0000"]"#), None);
        for text in ["", "{", "{} {}", "{'a':1}", "\u{feff}{}", "[1,]", "NaN"] {
            assert_eq!(code(text), Some(Code::InvalidJson), "{text}");
        }
        assert_eq!(check(b"\"\xff\"").err().map(|problem| problem.code()), Some(Code::InvalidJson));
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(code(&nested(DEEPEST)), None);
        assert_eq!(code(&nested(DEEPEST + 1)), Some(Code::JsonTooDeep));
        assert_eq!(code(&nested(100_000)), Some(Code::JsonTooDeep));
    }
}
