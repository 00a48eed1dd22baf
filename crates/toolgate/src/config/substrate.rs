//! `[substrate]`: how long pointers remember where they led, and how often what nothing reaches is collected.

use std::time::Duration;

use toolgate_substrate::CollectionSettings;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &["moves_kept_seconds", "collect_grace_seconds", "collect_every_seconds"];

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubstrateSettings {
    pub(crate) collection: CollectionSettings,
    /// The time between two collections; `None` is never.
    pub(crate) collect_every: Option<Duration>,
}

impl Default for SubstrateSettings {
    fn default() -> Self {
        Self { collection: CollectionSettings::default(), collect_every: Some(DAY) }
    }
}

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> SubstrateSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let SubstrateSettings { mut collection, mut collect_every } = SubstrateSettings::default();
    if let Some(kept) = section.seconds("moves_kept_seconds", SecondsRange::ZeroOrMore, problems) {
        collection.moves_kept = kept;
    }
    if let Some(grace) = section.seconds("collect_grace_seconds", SecondsRange::Positive, problems) {
        collection.grace = grace;
    }
    if let Some(every) = section.seconds("collect_every_seconds", SecondsRange::ZeroOrMore, problems) {
        collect_every = (!every.is_zero()).then_some(every);
    }
    SubstrateSettings { collection, collect_every }
}
