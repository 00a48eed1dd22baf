//! The levels of care, as people read them.

/// The meaning of a level of care.
pub(super) fn care(template: &str) -> &'static str {
    match template {
        "exploratory" => "no gates of its own",
        "standard" => "asks about promotions and external writes",
        "regulated" => "also asks about schema changes and decisions on claims",
        "audit_critical" => "asks about every write and every external action",
        _ => "",
    }
}
