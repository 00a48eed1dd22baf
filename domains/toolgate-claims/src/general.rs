//! The type of claims that comes with the gateway. An operator may register another one of its name.

use toolgate_core::PrincipalId;
use toolgate_core::claim::{ClaimType, ResolutionOption};
use toolgate_core::decision::OnTimeout;

pub(crate) const GENERAL: &str = "general";
/// The ways to resolve a general claim.
const OPTIONS: [(&str, &str); 3] = [
    ("confirmed", "The claim is true"),
    ("rejected", "The claim is not true"),
    ("undetermined", "The evidence does not decide it"),
];

/// The type that comes with the gateway, if it has this name.
pub(crate) fn named(name: &str) -> Option<ClaimType> {
    (name == GENERAL).then(general)
}

/// Levels of care alone ask people about it.
pub(crate) fn general() -> ClaimType {
    let option = |(name, title): (&str, &str)| ResolutionOption {
        name: name.to_owned(),
        title: Some(title.to_owned()),
        requires_approval: false,
        approval_roles: Vec::new(),
        quorum: 1,
        timeout_seconds: None,
        on_timeout: OnTimeout::Deny,
    };
    ClaimType {
        name: GENERAL.to_owned(),
        title: Some("Claim".to_owned()),
        description: None,
        options: OPTIONS.map(option).to_vec(),
        escalation: Vec::new(),
        version: 0,
        changed_by: PrincipalId::gateway(),
        changed_at_ms: 0,
    }
}
