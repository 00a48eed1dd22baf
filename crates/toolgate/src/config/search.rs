//! `[search]`: how tools are found.

use std::path::PathBuf;

use super::problem::ConfigProblems;
use super::section::ConfigSection;
use super::value::ReadContext;

pub(super) const KEYS: &[&str] = &["model"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchSettings {
    /// The folder of a model for semantic search; absolute. Without it, tools are found by words alone.
    pub(crate) model: Option<PathBuf>,
}

pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> SearchSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    // A missing model is detected when it is loaded: the gateway runs without one too.
    SearchSettings { model: ctx.places(section).path("model", ctx.folder, problems).map(|model| model.value) }
}
