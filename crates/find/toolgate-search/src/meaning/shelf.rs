//! The texts of all tools and their vectors. A text is embedded once, no matter how many tools and indexes
//! have it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock, Weak};

use toolgate_core::Digest;

use super::EmbeddingProgress;
use super::text::text;
use super::vector::Vector;
use crate::{Index, ToolDocument};

/// The number of unused texts whose vectors are kept: a returning server has them again.
const SPARE_TEXTS_MAX: usize = 10_000;
/// Indexes that are searched at the same time: the newest, and those of searches that began before it.
const VIEWS_MAX: usize = 4;

#[derive(Default)]
pub(super) struct VectorShelf {
    texts: BTreeMap<Digest, Arc<EmbeddedText>>,
    /// The tools of the newest index, by its order.
    tools: Vec<(Arc<ToolDocument>, Arc<EmbeddedText>)>,
    /// A tool for each different text among them.
    different: Vec<usize>,
    views: Vec<(Weak<Index>, EmbeddedTexts)>,
}

/// The texts of an index, by its order.
pub(super) type EmbeddedTexts = Arc<[Arc<EmbeddedText>]>;

/// The text that a tool is embedded by. Its vector comes later and then stays.
#[derive(Default)]
pub(super) struct EmbeddedText {
    vector: OnceLock<Vector>,
}

impl EmbeddedText {
    pub(super) fn vector(&self) -> Option<&Vector> {
        self.vector.get()
    }

    /// The first vector stays: a second one would be the same.
    pub(super) fn fill(&self, vector: Vector) {
        self.vector.get_or_init(|| vector);
    }
}

impl VectorShelf {
    /// Makes the tools of an index those that are to be embedded.
    pub(super) fn follow(&mut self, index: &Arc<Index>) {
        self.tools = self.tools_of(index);
        let mut seen = BTreeSet::new();
        let is_first = |(_, (_, text)): &(usize, &(_, Arc<EmbeddedText>))| seen.insert(Arc::as_ptr(text));
        self.different = self.tools.iter().enumerate().filter(is_first).map(|(place, _)| place).collect();
        self.view(index);
        self.clear();
    }

    /// The texts of an index, which need not be the newest.
    pub(super) fn view(&mut self, index: &Arc<Index>) -> EmbeddedTexts {
        let same = |(other, _): &&(Weak<Index>, EmbeddedTexts)| Weak::as_ptr(other) == Arc::as_ptr(index);
        if let Some((_, texts)) = self.views.iter().find(same) {
            return Arc::clone(texts);
        }
        let texts: EmbeddedTexts = self.tools_of(index).into_iter().map(|(_, text)| text).collect();
        self.views.retain(|(other, _)| other.strong_count() > 0);
        self.views.drain(..(self.views.len() + 1).saturating_sub(VIEWS_MAX));
        self.views.push((Arc::downgrade(index), Arc::clone(&texts)));
        texts
    }

    pub(super) fn progress(&self) -> EmbeddingProgress {
        let embedded = self.different.iter().filter(|place| self.tools[**place].1.vector().is_some()).count();
        EmbeddingProgress { texts: self.different.len(), embedded }
    }

    /// Some texts without a vector, each with its words.
    pub(super) fn missing(&self, count_max: usize) -> Vec<(String, Arc<EmbeddedText>)> {
        let tools = self.different.iter().map(|place| &self.tools[*place]);
        let missing = tools.filter(|(_, text)| text.vector().is_none()).take(count_max);
        missing.map(|(document, known)| (text(document), Arc::clone(known))).collect()
    }

    pub(super) fn embedded(&self) -> impl Iterator<Item = (&Digest, &Vector)> {
        self.texts.iter().filter_map(|(digest, text)| Some((digest, text.vector()?)))
    }

    pub(super) fn put(&mut self, digest: Digest, vector: Vector) {
        self.texts.entry(digest).or_default().fill(vector);
    }

    /// A document that is the same as in the newest index keeps its text without another look at it.
    fn tools_of(&mut self, index: &Index) -> Vec<(Arc<ToolDocument>, Arc<EmbeddedText>)> {
        let (texts, mut before) = (&mut self.texts, self.tools.iter().peekable());
        let tools = index.documents().map(|document| {
            while before.next_if(|(other, _)| other.name < document.name).is_some() {}
            let known = before.next_if(|(other, _)| Arc::ptr_eq(other, document));
            let known = known.map(|(_, known)| Arc::clone(known));
            let known =
                known.unwrap_or_else(|| Arc::clone(texts.entry(Digest::of(text(document))).or_default()));
            (Arc::clone(document), known)
        });
        tools.collect()
    }

    /// Unused texts have a limit.
    fn clear(&mut self) {
        let spare = self.texts.values().filter(|text| Arc::strong_count(text) == 1).count();
        let mut surplus = spare.saturating_sub(SPARE_TEXTS_MAX);
        self.texts.retain(|_, text| {
            let goes = surplus > 0 && Arc::strong_count(text) == 1;
            surplus -= usize::from(goes);
            !goes
        });
    }
}
