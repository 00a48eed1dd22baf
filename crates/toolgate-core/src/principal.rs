//! Who is asking. Identity comes from a verified credential, never from a path, a header or a default.

use std::fmt;
use std::sync::Arc;

/// The stable id of a principal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PrincipalId(Arc<str>);

impl PrincipalId {
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// Whoever may read the data folder: the CLI and `toolgate stdio`.
    pub fn local() -> Self {
        Self::new("local")
    }

    /// The gateway itself, when it lists or watches servers on its own account.
    pub fn gateway() -> Self {
        Self::new("gateway")
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a token may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Admin,
    Agent,
}

impl Role {
    pub const ALL: [Role; 2] = [Role::Admin, Role::Agent];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::Agent => "agent",
        }
    }

    pub fn parse(text: &str) -> Option<Role> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// A verified caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal {
    pub id: PrincipalId,
    pub role: Role,
}
