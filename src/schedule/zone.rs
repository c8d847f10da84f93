//! Time zones by their IANA names.

use jiff::tz::TimeZone;

/// How much of a name is worth repeating; the longest has half as many letters.
const MAX_LETTERS: usize = 64;

/// Files beside the zones that stand for whichever zone a machine is set to.
const OF_THE_MACHINE: [&str; 3] = ["localtime", "posixrules", "Etc/Unknown"];

/// A time zone that this machine knows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

/// There is no such zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time zone; give an IANA name such as Europe/Berlin, or UTC")]
pub struct UnknownZone(pub String);

impl Zone {
    /// The zone of this name, which is spelt as the database of zones spells it.
    pub fn parse(name: &str) -> Result<Self, UnknownZone> {
        let unknown = || UnknownZone(name.chars().take(MAX_LETTERS).collect());
        let rules = TimeZone::get(name).map_err(|_| unknown())?;
        let name = rules.iana_name().ok_or_else(unknown)?.to_owned();
        if OF_THE_MACHINE.contains(&name.as_str()) {
            return Err(unknown());
        }
        Ok(Self { name, rules })
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Its rules.
    pub fn rules(&self) -> &TimeZone {
        &self.rules
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self { name: "UTC".to_owned(), rules: TimeZone::UTC }
    }
}

impl TryFrom<String> for Zone {
    type Error = UnknownZone;
    fn try_from(name: String) -> Result<Self, UnknownZone> {
        Self::parse(&name)
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> String {
        zone.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_known_by_its_iana_name() {
        assert_eq!(Zone::parse("europe/berlin").map(String::from), Ok("Europe/Berlin".into()));
        assert_eq!(Zone::parse("UTC").map(String::from), Ok("UTC".into()));
        for unknown in ["", "Mars/Olympus", "+02:00", "CEST+1"] {
            assert_eq!(Zone::parse(unknown), Err(UnknownZone(unknown.into())));
        }
    }
}
