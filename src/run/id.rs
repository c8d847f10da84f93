//! Identifiers. Runs are named by whoever submits them, so that an ambiguous answer can be settled by asking again.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub uuid::Uuid);

        impl $name {
            /// A new one, ordered after those made before it in this process.
            #[expect(clippy::new_without_default, reason = "a default that differs each time would surprise")]
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                uuid::Uuid::parse_str(text).map(Self)
            }
        }
    )+};
}

pub(crate) use ids;

ids! {
    /// Names a run.
    RunId;
    /// Names one start of a worker process.
    WorkerId;
    /// Names a schedule.
    ScheduleId;
    /// Names a grant.
    GrantId;
}
