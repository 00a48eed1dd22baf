//! Levels of log messages, and which of them a client wants.

use toolgate_core::RawJson;
use toolgate_wire::ObjectMembers;

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

pub(crate) fn level_rank(level: &str) -> Option<usize> {
    LEVELS.iter().position(|one| *one == level)
}

/// True if a message's `level` reaches the client's threshold; a message without a level does.
pub(crate) fn level_passes(wanted: &str, params: &RawJson) -> bool {
    let level =
        ObjectMembers::of(params).ok().and_then(|members| members.get_str("level").map(|l| l.into_owned()));
    match (level.as_deref().and_then(level_rank), level_rank(wanted)) {
        (Some(level), Some(wanted)) => level >= wanted,
        _ => true,
    }
}
