//! What is built in, in the words of Cedar: the gates of the four levels of care, what holds while nobody has written a
//! guard, and what stands beside every guard.

use toolgate_core::decision::Template;

use crate::source::{Author, Set, Text};

const STANDARD: &str = include_str!("templates/standard.cedar");
const REGULATED: &str = include_str!("templates/regulated.cedar");
const AUDIT_CRITICAL: &str = include_str!("templates/audit_critical.cedar");
const GUARD: &str = include_str!("templates/guard.cedar");
const DISCOVERY: &str = include_str!("templates/discovery.cedar");

/// The gates of all levels. Each holds from its own level on.
pub(crate) fn gates() -> impl Iterator<Item = Text> {
    let levels = [
        (Template::Standard, STANDARD),
        (Template::Regulated, REGULATED),
        (Template::AuditCritical, AUDIT_CRITICAL),
    ];
    levels.into_iter().map(|(level, text)| {
        let name = format!("built-in/{level}.cedar");
        Text { level, ..Text::new(&name, Set::Gates, text, Author::BuiltIn) }
    })
}

/// What holds while nobody has written a guard.
pub(crate) fn guard() -> Text {
    Text::new("built-in/guard.cedar", Set::Guard, GUARD, Author::BuiltIn)
}

/// Lets everybody look for tools, however narrow the guard is. What is found is another matter.
pub(crate) fn discovery() -> Text {
    Text::new("built-in/discovery.cedar", Set::Guard, DISCOVERY, Author::BuiltIn)
}
