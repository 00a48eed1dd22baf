//! `[knowledge]`: answers from knowledge bases.

use toolgate_core::model::ModelName;

use super::problem::ConfigProblems;
use super::section::ConfigSection;

pub(super) const KEYS: &[&str] = &["model"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnowledgeSettings {
    /// The model that writes answers for those who ask for that. Without it, answers are passages.
    pub(crate) model: Option<ModelName>,
}

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> KnowledgeSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let Some(written) = section.string("model", problems) else { return KnowledgeSettings::default() };
    let model = ModelName::new(written.value);
    if let Err(why) = &model {
        problems.add(
            written.span,
            why.as_str(),
            "the name of a model",
            "`toolgate models list` shows those there are",
        );
    }
    KnowledgeSettings { model: model.ok() }
}
