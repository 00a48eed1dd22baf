//! The built-in policies, in Cedar: the gates of the four levels of care, the default guard, and the rules
//! beside every guard.

use toolgate_core::decision::PolicyTemplate;

use crate::source::{PolicyAuthor, PolicyPurpose, PolicyText};

const STANDARD: &str = include_str!("templates/standard.cedar");
const REGULATED: &str = include_str!("templates/regulated.cedar");
const AUDIT_CRITICAL: &str = include_str!("templates/audit_critical.cedar");
const GUARD: &str = include_str!("templates/guard.cedar");
const DISCOVERY: &str = include_str!("templates/discovery.cedar");

/// The gates of all levels. Each applies from its own level on.
pub(crate) fn gates() -> impl Iterator<Item = PolicyText> {
    let levels = [
        (PolicyTemplate::Standard, STANDARD),
        (PolicyTemplate::Regulated, REGULATED),
        (PolicyTemplate::AuditCritical, AUDIT_CRITICAL),
    ];
    levels.into_iter().map(|(level, text)| {
        let name = format!("built-in/{level}.cedar");
        PolicyText { level, ..PolicyText::new(&name, PolicyPurpose::Gates, text, PolicyAuthor::BuiltIn) }
    })
}

/// The default guard, used while there is no other.
pub(crate) fn guard() -> PolicyText {
    PolicyText::new("built-in/guard.cedar", PolicyPurpose::Guard, GUARD, PolicyAuthor::BuiltIn)
}

/// Lets everyone search for tools, however narrow the guard is. The visibility of results is another matter.
pub(crate) fn discovery() -> PolicyText {
    PolicyText::new("built-in/discovery.cedar", PolicyPurpose::Guard, DISCOVERY, PolicyAuthor::BuiltIn)
}
