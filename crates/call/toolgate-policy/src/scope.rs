//! The scope of a policy, parsed once, so that a call is evaluated only against policies that may concern it.
//! The scope cannot fail, so excluded policies neither match nor err.

use cedar_policy::{ActionConstraint, EntityUid, Policy, PrincipalConstraint, ResourceConstraint};
use toolgate_core::{Principal, Tool};

use crate::entity::{GROUP, ROLE, SERVER, TOOL, principal_type};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PolicyScope {
    principal: ScopeSide,
    resource: ScopeSide,
    /// The canonical names it applies to; `None` for all.
    actions: Option<Vec<String>>,
}

/// A policy's condition on a principal or a resource: its type, and its identity or membership.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ScopeSide {
    is: Option<String>,
    exactly: Option<(String, String)>,
    within: Option<(String, String)>,
}

impl PolicyScope {
    pub(crate) fn of(policy: &Policy) -> PolicyScope {
        let principal = match policy.principal_constraint() {
            PrincipalConstraint::Any => ScopeSide::default(),
            PrincipalConstraint::Is(name) => ScopeSide::is(name.to_string()),
            PrincipalConstraint::Eq(uid) => ScopeSide::exactly(pair(&uid)),
            PrincipalConstraint::In(uid) => ScopeSide::within(pair(&uid)),
            PrincipalConstraint::IsIn(name, uid) => {
                ScopeSide { is: Some(name.to_string()), ..ScopeSide::within(pair(&uid)) }
            }
        };
        let resource = match policy.resource_constraint() {
            ResourceConstraint::Any => ScopeSide::default(),
            ResourceConstraint::Is(name) => ScopeSide::is(name.to_string()),
            ResourceConstraint::Eq(uid) => ScopeSide::exactly(pair(&uid)),
            ResourceConstraint::In(uid) => ScopeSide::within(pair(&uid)),
            ResourceConstraint::IsIn(name, uid) => {
                ScopeSide { is: Some(name.to_string()), ..ScopeSide::within(pair(&uid)) }
            }
        };
        let actions = match policy.action_constraint() {
            ActionConstraint::Any => None,
            ActionConstraint::Eq(uid) => Some(vec![unescaped(&uid)]),
            ActionConstraint::In(uids) => Some(uids.iter().map(unescaped).collect()),
        };
        PolicyScope { principal, resource, actions }
    }

    /// True if it applies to every principal, action and resource.
    pub(crate) fn is_open(&self) -> bool {
        self.actions.is_none()
            && self.principal == ScopeSide::default()
            && self.resource == ScopeSide::default()
    }

    pub(crate) fn fits(&self, principal: &Principal, tool: &Tool) -> bool {
        let name = tool.name.as_str();
        let action = self.actions.as_ref().is_none_or(|names| names.iter().any(|one| one == name));
        action && self.resource.fits_tool(tool) && self.principal.fits_principal(principal)
    }
}

impl ScopeSide {
    pub(crate) fn fits_principal(&self, principal: &Principal) -> bool {
        let belongs = |kind: &str, id: &str| match kind {
            GROUP => principal.groups.iter().any(|group| group == id),
            ROLE => principal.role.as_str() == id,
            _ => false,
        };
        self.fits(principal_type(principal.kind), principal.id.as_str(), belongs)
    }

    pub(crate) fn fits_tool(&self, tool: &Tool) -> bool {
        let belongs = |kind: &str, id: &str| kind == SERVER && tool.server.as_str() == id;
        self.fits(TOOL, tool.name.as_str(), belongs)
    }

    pub(crate) fn is(name: String) -> ScopeSide {
        ScopeSide { is: Some(name), ..ScopeSide::default() }
    }

    pub(crate) fn exactly(entity: (String, String)) -> ScopeSide {
        ScopeSide { exactly: Some(entity), ..ScopeSide::default() }
    }

    pub(crate) fn within(entity: (String, String)) -> ScopeSide {
        ScopeSide { within: Some(entity), ..ScopeSide::default() }
    }

    fn fits(&self, kind: &str, id: &str, belongs: impl Fn(&str, &str) -> bool) -> bool {
        let itself = |other: &(String, String)| other.0 == kind && other.1 == id;
        self.is.as_ref().is_none_or(|name| name == kind)
            && self.exactly.as_ref().is_none_or(itself)
            && self.within.as_ref().is_none_or(|other| itself(other) || belongs(&other.0, &other.1))
    }
}

fn pair(uid: &EntityUid) -> (String, String) {
    (uid.type_name().to_string(), unescaped(uid))
}

fn unescaped(uid: &EntityUid) -> String {
    uid.id().unescaped().to_owned()
}
