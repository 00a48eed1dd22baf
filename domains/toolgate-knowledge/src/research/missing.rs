//! The gaps of a domain: questions without an answer, pointers without a passage, parts that a single document backs.

use std::collections::BTreeSet;

use toolgate_core::pointer::PointerPath;

use super::facets::SubjectFacet;
use super::walk::AnsweredQuestion;
use crate::ports::FoundPassage;

/// Gaps of each kind that are named.
const NAMED_MAX: usize = 10;

/// Something that the documents do not say, or that only one of them says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MissingPart {
    pub(crate) what: String,
    pub(crate) why: &'static str,
}

pub(crate) const UNANSWERED: &str = "no passage answers it";
pub(crate) const SILENT: &str = "no passage of this pointer is about the topic";
pub(crate) const SINGLE: &str = "only one document speaks of it";

pub(crate) fn missing(
    questions: &[AnsweredQuestion],
    pointers: &[PointerPath],
    facets: &[SubjectFacet],
    found: &[FoundPassage],
) -> Vec<MissingPart> {
    let unanswered = questions.iter().filter(|one| one.packed.passages.is_empty());
    let unanswered = unanswered.map(|one| part(one.question.question.clone(), UNANSWERED));
    let speaking: BTreeSet<&PointerPath> = found.iter().map(|one| &one.pointer).collect();
    let silent = pointers.iter().filter(|pointer| !speaking.contains(pointer));
    let silent = silent.map(|pointer| part(pointer.to_string(), SILENT));
    let documents: BTreeSet<&str> = found.iter().map(|one| one.passage.hit.path.as_str()).collect();
    // Where there is one document, all of it is backed by that one alone, and saying so tells nothing.
    let single = facets.iter().filter(|facet| documents.len() > 1 && facet.documents == 1);
    let single = single.map(|facet| part(facet.text.clone(), SINGLE));
    unanswered.take(NAMED_MAX).chain(silent.take(NAMED_MAX)).chain(single.take(NAMED_MAX)).collect()
}

fn part(what: String, why: &'static str) -> MissingPart {
    MissingPart { what, why }
}
