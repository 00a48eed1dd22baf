//! The users of a credential, as its owner names them.

use std::fmt;
use std::str::FromStr;

use super::holder::CredentialHolder;
use crate::PrincipalId;
use crate::scope::AgentName;

/// Somebody who may use a credential: `agent:NAME`, `principal:ID` or `group:NAME`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum CredentialUser {
    /// Every session of an agent definition.
    Agent(AgentName),
    /// One principal, in all of its sessions.
    Principal(PrincipalId),
    /// Every principal with this group.
    Group(String),
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{0:?} names no user of a credential: write `agent:NAME`, `principal:ID` or `group:NAME`, with 1 to {max} characters",
    max = CredentialUser::CHARS_MAX
)]
pub struct BadCredentialUser(String);

impl CredentialUser {
    pub const CHARS_MAX: usize = 256;

    /// True if it means this holder.
    pub fn admits(&self, holder: &CredentialHolder) -> bool {
        match self {
            CredentialUser::Agent(agent) => *agent == holder.agent,
            CredentialUser::Principal(principal) => *principal == holder.principal.id,
            CredentialUser::Group(group) => holder.principal.groups.iter().any(|one| one == group),
        }
    }
}

impl FromStr for CredentialUser {
    type Err = BadCredentialUser;

    fn from_str(text: &str) -> Result<Self, BadCredentialUser> {
        let bad = || BadCredentialUser(text.to_owned());
        let (kind, name) = text.split_once(':').ok_or_else(bad)?;
        let fits = (1..=Self::CHARS_MAX).contains(&name.chars().count()) && !name.contains(char::is_control);
        match kind {
            "agent" => AgentName::new(name).map(CredentialUser::Agent).map_err(|_| bad()),
            "principal" if fits => Ok(CredentialUser::Principal(PrincipalId::new(name))),
            "group" if fits => Ok(CredentialUser::Group(name.to_owned())),
            _ => Err(bad()),
        }
    }
}

impl TryFrom<String> for CredentialUser {
    type Error = BadCredentialUser;

    fn try_from(text: String) -> Result<Self, BadCredentialUser> {
        text.parse()
    }
}

impl From<CredentialUser> for String {
    fn from(user: CredentialUser) -> Self {
        user.to_string()
    }
}

impl fmt::Display for CredentialUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CredentialUser::Agent(agent) => write!(f, "agent:{agent}"),
            CredentialUser::Principal(principal) => write!(f, "principal:{principal}"),
            CredentialUser::Group(group) => write!(f, "group:{group}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SessionId;
    use crate::{Principal, PrincipalKind, Role};

    fn holder(id: &str, agent: &str, groups: &[&str]) -> CredentialHolder {
        let groups: Vec<String> = groups.iter().map(ToString::to_string).collect();
        CredentialHolder {
            principal: Principal {
                id: PrincipalId::new(id),
                kind: PrincipalKind::Agent,
                role: Role::Agent,
                groups: groups.into(),
            },
            agent: AgentName::new(agent).expect("a name"),
            session: SessionId::new("ses_1"),
            run: None,
            call: None,
        }
    }

    #[test]
    fn a_user_is_read_as_it_is_written_and_nothing_else_is() {
        for text in ["agent:applicant", "principal:ann@example.com", "principal:a:b", "group:recruiting"] {
            assert_eq!(text.parse::<CredentialUser>().map(|user| user.to_string()), Ok(text.to_owned()));
        }
        for bad in ["", "*", "ann", "agent:", "agent:a b", "principal:", "group:a\nb", "tenant:x", "Agent:x"]
        {
            assert!(bad.parse::<CredentialUser>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_those_who_are_named_are_meant() {
        let ann = holder("ann", "applicant", &["recruiting"]);
        let means = |text: &str| text.parse::<CredentialUser>().expect("a user").admits(&ann);
        assert!(means("agent:applicant") && means("principal:ann") && means("group:recruiting"));
        assert!(!means("agent:ann") && !means("principal:applicant") && !means("group:ann"));
        // Nobody has a group that was not given to them.
        let admin = CredentialHolder {
            principal: Principal::new(PrincipalId::new("root"), Role::Admin),
            ..ann.clone()
        };
        assert!(!"group:recruiting".parse::<CredentialUser>().expect("a user").admits(&admin));
    }
}
