//! The reasons why a tool is not simply active, as people read them. Rows are compared by these.

pub(crate) const NEW: &str = "new";
pub(crate) const FLAGGED: &str = "flagged";
pub(crate) const NEW_AND_TWICE: &str = "new, and listed twice with different definitions";
pub(crate) const TWICE: &str = "listed twice with different definitions";
pub(crate) const CHANGED: &str = "its definition changed";
pub(crate) const CHANGED_AND_FLAGGED: &str = "its definition changed and was flagged";
pub(crate) const CAME_BACK_CHANGED: &str = "it came back with another definition";
pub(crate) const KEEPS_CHANGING: &str = "its definition keeps changing";
pub(crate) const REJECTED: &str = "the definition its server offers was rejected";
pub(crate) const DIFFERS: &str = "some instances offer another definition";
pub(crate) const GONE: &str = "its server does not offer it any more";
pub(crate) const DISABLED: &str = "its server is disabled";
pub(crate) const SERVER_REMOVED: &str = "its server was removed";
