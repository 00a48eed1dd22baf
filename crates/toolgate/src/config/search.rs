//! `[search]`: how tools are found.

use std::path::PathBuf;

use super::problem::Problems;
use super::section::Section;
use super::value::Context;

pub(super) const KEYS: [&str; 1] = ["model"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchSettings {
    /// The folder of a model for semantic search; absolute. Without it, tools are found by words alone.
    pub(crate) model: Option<PathBuf>,
}

pub(super) fn read(section: &Section<'_>, ctx: &Context<'_>, problems: &mut Problems) -> SearchSettings {
    section.refuse_unknown_keys(&KEYS, &[], problems);
    // A missing model is detected when it is loaded: the gateway runs without one too.
    SearchSettings { model: ctx.places(section).path("model", ctx.folder, problems).map(|model| model.value) }
}
