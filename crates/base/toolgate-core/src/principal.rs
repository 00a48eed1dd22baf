//! The identity behind a request. It comes from a verified credential, never from a path, a header or a
//! default.

use std::fmt;
use std::sync::Arc;

/// The stable id of a principal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct PrincipalId(Arc<str>);

impl PrincipalId {
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The user of the command line, who can read the data folder.
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

    /// The text itself, not a copy.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The permissions of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything, tokens too.
    Admin,
    /// Runs the gateway: everything except tokens, approvals and policies.
    Operator,
    /// Decides on approvals.
    Approver,
    /// Reads the records.
    Auditor,
    /// Calls tools.
    Agent,
    /// Is a server: registers the instances of the one server whose name is the principal's id, and does nothing else.
    Server,
}

impl Role {
    pub const ALL: [Role; 6] =
        [Role::Admin, Role::Operator, Role::Approver, Role::Auditor, Role::Agent, Role::Server];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::Operator => "operator",
            Role::Approver => "approver",
            Role::Auditor => "auditor",
            Role::Agent => "agent",
            Role::Server => "server",
        }
    }

    pub fn parse(text: &str) -> Option<Role> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// The kind of holder that a token of this role has by default.
    pub fn usual_kind(self) -> PrincipalKind {
        match self {
            Role::Agent => PrincipalKind::Agent,
            Role::Server => PrincipalKind::Service,
            Role::Admin | Role::Operator | Role::Approver | Role::Auditor => PrincipalKind::Human,
        }
    }

    pub fn may_call_tools(self) -> bool {
        matches!(self, Role::Admin | Role::Operator | Role::Agent)
    }

    pub fn may_approve(self) -> bool {
        matches!(self, Role::Admin | Role::Approver)
    }
}

/// The kind of holder behind a credential. Only people count towards a quorum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrincipalKind {
    Human,
    Agent,
    Service,
}

impl PrincipalKind {
    pub const ALL: [PrincipalKind; 3] = [PrincipalKind::Human, PrincipalKind::Agent, PrincipalKind::Service];

    pub fn as_str(self) -> &'static str {
        match self {
            PrincipalKind::Human => "human",
            PrincipalKind::Agent => "agent",
            PrincipalKind::Service => "service",
        }
    }

    pub fn parse(text: &str) -> Option<PrincipalKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A verified caller.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Principal {
    /// The name given when the token was created (`--principal`), otherwise the token's own id: several
    /// tokens may belong to one principal.
    pub id: PrincipalId,
    pub kind: PrincipalKind,
    pub role: Role,
    pub groups: Arc<[String]>,
}

impl Principal {
    pub fn new(id: PrincipalId, role: Role) -> Self {
        Self { id, kind: role.usual_kind(), role, groups: Arc::default() }
    }

    /// The person who may read the data folder, at the command line.
    pub fn local() -> Self {
        Self::new(PrincipalId::local(), Role::Admin)
    }

    /// The agent behind `toolgate stdio`.
    pub fn stdio() -> Self {
        Self::new(PrincipalId::new("stdio"), Role::Agent)
    }

    /// True if this principal counts as a member of a group that a gate names. Admins count for every group.
    pub fn belongs_to(&self, group: &str) -> bool {
        self.role == Role::Admin || self.groups.iter().any(|one| one == group)
    }
}
