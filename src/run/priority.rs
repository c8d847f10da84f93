//! How urgent a run is within its workspace.

/// From -1000 to 1000; higher goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Priority(i16);

/// A number outside -1000 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("priority {0} is out of range; give a number from -1000 to 1000")]
pub struct InvalidPriority(pub i64);

impl Priority {
    /// Checks the range.
    pub fn new(value: i16) -> Result<Self, InvalidPriority> {
        if (-1000..=1000).contains(&value) { Ok(Self(value)) } else { Err(InvalidPriority(value.into())) }
    }

    /// The number.
    pub fn get(self) -> i16 {
        self.0
    }
}

impl<'de> serde::Deserialize<'de> for Priority {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl serde::de::Visitor<'_> for Reader {
            type Value = Priority;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number from -1000 to 1000")
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Priority, E> {
                let small = i16::try_from(value).map_err(|_| InvalidPriority(value));
                small.and_then(Priority::new).map_err(E::custom)
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Priority, E> {
                self.visit_i64(i64::try_from(value).unwrap_or(i64::MAX))
            }
        }
        deserializer.deserialize_i64(Reader)
    }
}

impl TryFrom<i16> for Priority {
    type Error = InvalidPriority;
    fn try_from(value: i16) -> Result<Self, InvalidPriority> {
        Self::new(value)
    }
}
