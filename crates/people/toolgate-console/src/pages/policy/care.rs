//! The levels of care, as people read them.

use toolgate_core::decision::PolicyTemplate;

/// The meaning of a level of care.
pub(super) fn care(template: &str) -> &'static str {
    PolicyTemplate::parse(template).map_or("", PolicyTemplate::meaning)
}
