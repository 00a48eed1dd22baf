//! The class of a document among the caller's labels, with the sentences that speak for it.

use std::sync::Arc;

use capability_language::{Label, LabelError, Labelling, Lexicon, Method, clip, detect, sentences};
use docir::{BodyItem, DocIr, ItemKind};
use engine_protocol::{
    ClassLabel, ClassScore, Classified, Classify, EngineErrorCode, EngineFault, EvidenceSpan,
};
use sentence_encoder::Encoder;

use crate::contents::Contents;
use crate::fault::{bad_request, hinted, internal};
use crate::lexical::word_shares;
use crate::model::{ModelSlot, cosine, unit_vectors};

/// The best labels have evidence, and each so many sentences of it.
const LABELS_WITH_EVIDENCE: usize = 3;
const EVIDENCE_MAX: usize = 3;
/// Sentences that are looked at for evidence, spread over the document.
const SENTENCES_MAX: usize = 256;
/// Sentences of fewer characters say too little to be evidence.
const SENTENCE_CHARS_MIN: usize = 20;

pub(crate) fn classify(
    contents: &Contents,
    model: &ModelSlot,
    classify: &Classify,
) -> Result<Classified, EngineFault> {
    let bytes = contents.read(&classify.docir)?;
    let document = DocIr::read(&bytes).map_err(|error| {
        let message = format!("the DocIR cannot be read: {error}");
        hinted(EngineErrorCode::Unreadable, message, "parse the document again")
    })?;
    let items = document.items();
    let text: Vec<&str> = items.iter().map(|item| &*item.text).collect();
    let text = text.join("\n");
    let text = clip(&text).text;
    let model = model.get()?;
    let labels: Vec<Label> = classify.labels.iter().map(label).collect();
    let judged = capability_language::classify(text, &labels, Labelling::One, model.as_deref())
        .map_err(|error| refused(&error))?;
    let scores = judged.scores.into_iter().map(|score| (score.label, score.score as f32)).collect();
    let evidence = Evidence::new(&items, text, model);
    Ok(Classified {
        scores: evidence.with(scores, &classify.labels)?,
        method: if judged.method == Method::Embeddings { "meaning" } else { "words" }.to_owned(),
    })
}

fn label(label: &ClassLabel) -> Label {
    Label { name: label.name.clone(), description: label.description.clone(), examples: Vec::new() }
}

fn refused(error: &LabelError) -> EngineFault {
    match error {
        LabelError::Encode(error) => internal("classifying", error),
        error => bad_request(error.to_string(), "give each label a name of its own"),
    }
}

/// A sentence that may be evidence.
struct Witness {
    item: String,
    start: u64,
    end: u64,
    text: String,
}

struct Evidence {
    witnesses: Vec<Witness>,
    lexicon: Lexicon,
    model: Option<Arc<dyn Encoder>>,
}

impl Evidence {
    fn new(items: &[BodyItem<'_>], text: &str, model: Option<Arc<dyn Encoder>>) -> Self {
        let witnesses: Vec<Witness> =
            items.iter().filter(|item| !matches!(item.kind, ItemKind::Table)).flat_map(witnesses).collect();
        let stride = witnesses.len().div_ceil(SENTENCES_MAX).max(1);
        let witnesses = witnesses.into_iter().step_by(stride).collect();
        Self { witnesses, lexicon: Lexicon::of(detect(text).language.as_deref()), model }
    }

    /// Scores of labels, the best first, with the evidence of the first ones.
    fn with(
        &self,
        scores: Vec<(String, f32)>,
        labels: &[ClassLabel],
    ) -> Result<Vec<ClassScore>, EngineFault> {
        let texts: Vec<&str> = self.witnesses.iter().map(|witness| witness.text.as_str()).collect();
        let vectors = match &self.model {
            Some(model) => unit_vectors(&**model, &texts)?,
            None => Vec::new(),
        };
        let mut scored = Vec::new();
        for (rank, (label, score)) in scores.into_iter().enumerate() {
            let said = labels.iter().find(|one| one.name == label).map(words_of_label).unwrap_or_default();
            let evidence = match rank < LABELS_WITH_EVIDENCE {
                true => self.of(&self.marks(&said, &texts, &vectors)?),
                false => Vec::new(),
            };
            scored.push(ClassScore { label, score, evidence });
        }
        Ok(scored)
    }

    /// The weight of each sentence for a label, from 0 to 1.
    fn marks(&self, label: &str, texts: &[&str], vectors: &[Vec<f32>]) -> Result<Vec<f32>, EngineFault> {
        let Some(model) = &self.model else { return Ok(word_shares(label, texts, &self.lexicon)) };
        let label = unit_vectors(&**model, &[label])?;
        let label = label.first().map(Vec::as_slice).unwrap_or_default();
        Ok(vectors.iter().map(|vector| cosine(vector, label).max(0.0)).collect())
    }

    fn of(&self, marks: &[f32]) -> Vec<EvidenceSpan> {
        let mut best: Vec<(&Witness, f32)> = self.witnesses.iter().zip(marks.iter().copied()).collect();
        best.retain(|(_, score)| *score > 0.0);
        best.sort_by(|one, other| other.1.total_cmp(&one.1));
        let span = |(witness, score): (&Witness, f32)| EvidenceSpan {
            item: witness.item.clone(),
            start: witness.start,
            end: witness.end,
            score,
        };
        best.into_iter().take(EVIDENCE_MAX).map(span).collect()
    }
}

fn words_of_label(label: &ClassLabel) -> String {
    let name = label.name.replace(['_', '-', '/', '.'], " ");
    match &label.description {
        Some(description) => format!("{name}: {description}"),
        None => name,
    }
}

fn witnesses(item: &BodyItem<'_>) -> Vec<Witness> {
    let positions = capability_language::Positions::new(&item.text);
    let mut found = Vec::new();
    for sentence in sentences(&item.text) {
        let span = positions.span(sentence.start..sentence.end());
        if span.end - span.start >= SENTENCE_CHARS_MIN {
            found.push(Witness {
                item: item.pointer.clone(),
                start: span.start as u64,
                end: span.end as u64,
                text: sentence.text.to_owned(),
            });
        }
    }
    found
}
