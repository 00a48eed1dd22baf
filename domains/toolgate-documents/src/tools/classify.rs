//! `document.classify`: the caller's labels, each with a score and the passages that speak for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use docir::DocIr;
use engine_protocol::{ClassLabel, ClassScore, Classify, EvidenceSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::{Digest, Refusal};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;

use super::parse::artifact_refs;
use super::source::{self, DocumentIds};
use super::tier::TierArgument;
use crate::citing::CitationOutput;
use crate::content::{content_id, hex};
use crate::documents::Documents;
use crate::refusal::invalid;

pub(super) const CLASSIFY: ToolDefinition = ToolDefinition::reads(
    "document.classify",
    "Classify a document",
    "Scores a document against labels of yours, with the passages that speak for the best ones. A sentence about each label helps.",
);

const LABELS_MIN: usize = 2;
const LABELS_MAX: usize = 50;
const LABEL_CHARS_MAX: usize = 100;
const DESCRIPTION_CHARS_MAX: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ClassifyArguments {
    /// sha256:… of an artifact
    artifact: Option<String>,
    file_id: Option<String>,
    ref_id: Option<String>,
    #[schemars(length(min = 2, max = 50))]
    labels: Vec<LabelArgument>,
    #[serde(default)]
    tier: TierArgument,
}

#[derive(Deserialize, JsonSchema)]
struct LabelArgument {
    name: String,
    /// A sentence about what belongs to it
    description: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClassifyOutput {
    artifact: String,
    docir: String,
    /// The best first
    scores: Vec<LabelOutput>,
    /// meaning if a model took part, else words
    method: String,
}

#[derive(Serialize, JsonSchema)]
struct LabelOutput {
    label: String,
    /// From 0 to 1
    score: f32,
    evidence: Vec<EvidenceOutput>,
}

#[derive(Serialize, JsonSchema)]
struct EvidenceOutput {
    score: f32,
    citation: CitationOutput,
}

/// A document and its DocIR, to cite from.
struct ClassifiedDocument {
    artifact: Digest,
    docir: Digest,
    content: Arc<DocIr>,
}

pub(super) async fn classify(
    documents: Arc<Documents>,
    context: ToolContext,
    arguments: ClassifyArguments,
) -> Result<ToolReply<ClassifyOutput>, Refusal> {
    let ClassifyArguments { artifact, file_id, ref_id, labels, tier } = arguments;
    let labels = checked(labels)?;
    let found = source::find(&documents, &context, DocumentIds { artifact, file_id, ref_id }).await?;
    let name = found.name.as_ref().map(|name| name.as_str());
    let (media_type, author) = (Some(found.media_type.as_str()), Actor::of(&context.holder));
    let parsed = documents.parsed(found.digest, media_type, name, tier.into(), &author).await?;
    let request = Classify { docir: content_id(parsed.docir), labels };
    let classified = documents.engine.classify(request).await?;
    let content = documents.docir(parsed.docir).await?;
    let document = ClassifiedDocument { artifact: parsed.artifact, docir: parsed.docir, content };
    let data = ClassifyOutput {
        artifact: parsed.artifact.to_string(),
        docir: parsed.docir.to_string(),
        scores: classified.scores.into_iter().map(|score| document.label(score)).collect(),
        method: classified.method,
    };
    Ok(ToolReply::new(data).refs(artifact_refs([parsed.artifact, parsed.docir])))
}

impl ClassifiedDocument {
    fn label(&self, score: ClassScore) -> LabelOutput {
        let ClassScore { label, score, evidence } = score;
        LabelOutput { label, score, evidence: evidence.iter().filter_map(|span| self.cite(span)).collect() }
    }

    /// A passage that is not in the document is no evidence.
    fn cite(&self, span: &EvidenceSpan) -> Option<EvidenceOutput> {
        let characters = usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?;
        let (artifact, docir) = (hex(self.artifact), hex(self.docir));
        let citation = docir::cite(&self.content, &artifact, &docir, &span.item, characters)?;
        Some(EvidenceOutput { score: span.score, citation: citation.into() })
    }
}

fn checked(labels: Vec<LabelArgument>) -> Result<Vec<ClassLabel>, Refusal> {
    if !(LABELS_MIN..=LABELS_MAX).contains(&labels.len()) {
        let message = format!("`labels` has {LABELS_MIN} to {LABELS_MAX} labels; this has {}", labels.len());
        return Err(invalid(message, "labels").hint("give the labels among which to choose"));
    }
    let mut names = BTreeSet::new();
    for label in &labels {
        let fits = !label.name.trim().is_empty() && label.name.chars().count() <= LABEL_CHARS_MAX;
        if !fits {
            let message = format!("the name of a label has 1 to {LABEL_CHARS_MAX} characters");
            return Err(invalid(message, "labels").hint("put the rest into its description"));
        }
        let description = label.description.as_deref().unwrap_or_default();
        if description.chars().count() > DESCRIPTION_CHARS_MAX {
            let message =
                format!("the description of a label has at most {DESCRIPTION_CHARS_MAX} characters");
            return Err(invalid(message, "labels").hint("a sentence or two are enough"));
        }
        if !names.insert(label.name.as_str()) {
            let message = format!("the label {:?} is given twice", label.name);
            return Err(invalid(message, "labels").hint("name each label once"));
        }
    }
    Ok(labels
        .into_iter()
        .map(|LabelArgument { name, description }| ClassLabel { name, description })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(name: &str) -> LabelArgument {
        LabelArgument { name: name.to_owned(), description: None }
    }

    #[test]
    fn labels_are_few_and_each_has_its_own_name() {
        assert_eq!(checked(vec![label("invoice"), label("letter")]).expect("fits").len(), 2);
        let long = LabelArgument { description: Some("x".repeat(1_001)), ..label("a") };
        for bad in [
            vec![],
            vec![label("alone")],
            (0..=LABELS_MAX).map(|number| label(&number.to_string())).collect(),
            vec![label("twice"), label("twice")],
            vec![label(" "), label("b")],
            vec![label(&"x".repeat(101)), label("b")],
            vec![long, label("b")],
        ] {
            let refusal = checked(bad).expect_err("refused");
            assert!(!refusal.hint.is_empty(), "{refusal:?}");
        }
    }
}
