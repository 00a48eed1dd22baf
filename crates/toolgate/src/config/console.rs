//! `[console]`: the pages for people.

use std::time::Duration;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &["enabled", "login_seconds"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConsoleSettings {
    /// True if there are pages at all.
    pub(crate) enabled: bool,
    /// The lifetime of a login.
    pub(crate) login: Duration,
}

impl Default for ConsoleSettings {
    fn default() -> Self {
        Self { enabled: true, login: Duration::from_secs(12 * 60 * 60) }
    }
}

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> ConsoleSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = ConsoleSettings::default();
    ConsoleSettings {
        enabled: section.boolean("enabled", problems).map_or(usual.enabled, |enabled| enabled.value),
        login: section.seconds("login_seconds", SecondsRange::Positive, problems).unwrap_or(usual.login),
    }
}
