//! What the bearer of a token is, and what that allows.

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks.
    Viewer,
    /// Looks, and submits runs.
    Submitter,
    /// Also cancels, pauses, resumes, and sets queues and lanes.
    Operator,
    /// Everything, workspaces and tokens included.
    Admin,
    /// Executes runs.
    Worker,
}

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// See what there is.
    Read,
    /// Ask for new runs.
    Submit,
    /// Change what is under way, and how queues and lanes go.
    Operate,
    /// Change who may do what.
    Administer,
    /// Claim runs, and say what came of them.
    Work,
}

/// A text that names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no role {0:?}; a role is viewer, submitter, operator, admin or worker")]
pub struct InvalidRole(pub String);

impl Role {
    /// Every role.
    pub const ALL: [Role; 5] = [Role::Viewer, Role::Submitter, Role::Operator, Role::Admin, Role::Worker];

    /// Its name in the database and in every interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Submitter => "submitter",
            Role::Operator => "operator",
            Role::Admin => "admin",
            Role::Worker => "worker",
        }
    }

    /// The role that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// What it allows.
    pub fn permissions(self) -> &'static [Permission] {
        use Permission::{Operate, Read, Submit, Work};
        match self {
            Role::Viewer => &[Read],
            Role::Submitter => &[Read, Submit],
            Role::Operator => &[Read, Submit, Operate],
            Role::Admin => &Permission::ALL,
            Role::Worker => &[Read, Work],
        }
    }

    /// Whether it allows this.
    pub fn may(self, permission: Permission) -> bool {
        self.permissions().contains(&permission)
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Role {
    type Err = InvalidRole;
    fn from_str(word: &str) -> Result<Self, InvalidRole> {
        Self::from_word(word).ok_or_else(|| InvalidRole(word.to_owned()))
    }
}

impl Permission {
    /// Every permission.
    pub const ALL: [Permission; 5] =
        [Permission::Read, Permission::Submit, Permission::Operate, Permission::Administer, Permission::Work];

    /// Its name in every interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Permission::Read => "read",
            Permission::Submit => "submit",
            Permission::Operate => "operate",
            Permission::Administer => "administer",
            Permission::Work => "work",
        }
    }
}

impl std::fmt::Display for Permission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_may_do_exactly_what_the_table_says() {
        const YES: bool = true;
        const NO: bool = false;
        #[rustfmt::skip]
        let table = [
            //                 read submit operate administer work
            (Role::Viewer,    [YES, NO,    NO,     NO,        NO]),
            (Role::Submitter, [YES, YES,   NO,     NO,        NO]),
            (Role::Operator,  [YES, YES,   YES,    NO,        NO]),
            (Role::Admin,     [YES, YES,   YES,    YES,       YES]),
            (Role::Worker,    [YES, NO,    NO,     NO,        YES]),
        ];
        assert_eq!(table.map(|(role, _)| role), Role::ALL);
        for (role, row) in table {
            assert_eq!(Permission::ALL.map(|permission| role.may(permission)), row, "{role}");
        }
    }

    #[test]
    fn a_role_is_found_by_its_word() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            assert_eq!(serde_json::to_value(role).expect("a word"), role.as_str());
        }
        assert_eq!("Admin".parse::<Role>(), Err(InvalidRole("Admin".into())));
    }
}
