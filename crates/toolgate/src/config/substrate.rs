//! `[substrate]`: how long the moves of pointers are retained.

use toolgate_substrate::PointerSettings;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &["moves_kept_seconds"];

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> PointerSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = PointerSettings::default();
    let moves_kept = section.seconds("moves_kept_seconds", SecondsRange::ZeroOrMore, problems);
    PointerSettings { moves_kept: moves_kept.unwrap_or(usual.moves_kept) }
}
