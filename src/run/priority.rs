//! How urgent a run is within its workspace.

/// From -1000 to 1000; higher goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "i16")]
pub struct Priority(i16);

/// A number outside -1000 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("priority {0} is out of range; give a number from -1000 to 1000")]
pub struct InvalidPriority(pub i16);

impl Priority {
    /// Checks the range.
    pub fn new(value: i16) -> Result<Self, InvalidPriority> {
        if (-1000..=1000).contains(&value) { Ok(Self(value)) } else { Err(InvalidPriority(value)) }
    }

    /// The number.
    pub fn get(self) -> i16 {
        self.0
    }
}

impl TryFrom<i16> for Priority {
    type Error = InvalidPriority;
    fn try_from(value: i16) -> Result<Self, InvalidPriority> {
        Self::new(value)
    }
}
