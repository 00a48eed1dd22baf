//! The stored rows of tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_core::registry::{Definition, ToolRow};

use super::reason;

/// The tools of one server by their own names.
pub(crate) type ToolRows = BTreeMap<Arc<str>, ToolRow>;

/// True if the pinned definition was never reviewed and never shown.
pub(crate) fn is_unreviewed(row: &ToolRow) -> bool {
    matches!(row.reason.as_deref(), Some(reason::NEW | reason::FLAGGED | reason::NEW_AND_TWICE))
}

/// The definition that a review is about.
pub(crate) fn subject(row: &ToolRow) -> &Definition {
    row.candidate.as_ref().unwrap_or(&row.pinned)
}
