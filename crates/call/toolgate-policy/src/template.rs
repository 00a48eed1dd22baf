//! The built-in policies, in Cedar: the gates of the levels of care, the default guard, and the rules
//! beside every guard.

use toolgate_core::decision::PolicyTemplate;

use crate::source::{PolicyAuthor, PolicyPurpose, PolicyText};

const GUARD: &str = include_str!("templates/guard.cedar");
const DISCOVERY: &str = include_str!("templates/discovery.cedar");

/// The gates of all levels. Each applies from its own level on.
pub(crate) fn gates() -> impl Iterator<Item = PolicyText> {
    PolicyTemplate::ALL.into_iter().filter_map(|level| {
        let name = format!("built-in/{level}.cedar");
        let text = PolicyText::new(&name, PolicyPurpose::Gates, own_gates(level)?, PolicyAuthor::BuiltIn);
        Some(PolicyText { level, ..text })
    })
}

/// The gates that a level adds to those of the weaker ones.
fn own_gates(level: PolicyTemplate) -> Option<&'static str> {
    match level {
        PolicyTemplate::Exploratory => None,
        PolicyTemplate::Standard => Some(include_str!("templates/standard.cedar")),
        PolicyTemplate::Regulated => Some(include_str!("templates/regulated.cedar")),
        PolicyTemplate::AuditCritical => Some(include_str!("templates/audit_critical.cedar")),
    }
}

/// The default guard, used while there is no other.
pub(crate) fn guard() -> PolicyText {
    PolicyText::new("built-in/guard.cedar", PolicyPurpose::Guard, GUARD, PolicyAuthor::BuiltIn)
}

/// Lets everyone search for tools, however narrow the guard is. The visibility of results is another matter.
pub(crate) fn discovery() -> PolicyText {
    PolicyText::new("built-in/discovery.cedar", PolicyPurpose::Guard, DISCOVERY, PolicyAuthor::BuiltIn)
}
