//! `classify_text`.

use std::collections::HashMap;
use std::sync::Arc;

use capability_kit::{LlmQuestion, Tool, Trouble, Work};
use capability_language::{
    Classification, LABELS_MAX, Label, LabelError, LabelScore, Labelling, Method, classify, detect,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerNotes, LocalFailure, RequestedMethod};
use crate::engine::AnalysisEngine;
use crate::input::GivenText;

const DESCRIPTION: &str = "Classifies a text with your own labels. Describe each label in a few words or \
    with examples: that helps most. `unsure` means that no label stands out.";

/// Scores in an answer: the others are of labels that do not fit.
const SCORES_SHOWN_MAX: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LabelsArguments {
    /// The text.
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    file_text: Option<String>,
    /// 1 to 1000 labels with different names: plain names, or objects with name, description and examples.
    labels: Vec<GivenLabel>,
    /// Any number of labels may fit, not just one.
    #[serde(default)]
    multi_label: bool,
    /// `auto` uses meaning if the server has an encoder, otherwise counting.
    #[serde(default)]
    method: RequestedMethod,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum GivenLabel {
    Name(String),
    Described(DescribedLabel),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DescribedLabel {
    name: String,
    /// The subject of texts with this label.
    #[serde(default)]
    description: Option<String>,
    /// Example texts.
    #[serde(default)]
    examples: Vec<String>,
}

impl From<GivenLabel> for Label {
    fn from(given: GivenLabel) -> Self {
        match given {
            GivenLabel::Name(name) => Label { name, ..Label::default() },
            GivenLabel::Described(DescribedLabel { name, description, examples }) => {
                Label { name, description, examples }
            }
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct LabelsOutput {
    #[serde(flatten)]
    found: Classification,
    #[serde(flatten)]
    notes: AnswerNotes,
}

pub(super) fn tool(engine: &Arc<AnalysisEngine>) -> Tool {
    let engine = Arc::clone(engine);
    let run = move |arguments: LabelsArguments, _: &Work| label(&engine, arguments);
    Tool::new("classify_text", "Classify text", DESCRIPTION, run)
}

fn label(engine: &AnalysisEngine, arguments: LabelsArguments) -> Result<LabelsOutput, Trouble> {
    let text = GivenText::load("text", arguments.text, arguments.file_text)?;
    let labels: Vec<Label> = arguments.labels.into_iter().map(Label::from).collect();
    let labelling = if arguments.multi_label { Labelling::Many } else { Labelling::One };
    let mut notes = AnswerNotes::default();
    let text = text.clipped(&mut notes);
    // Invalid labels are refused before the model is asked.
    let counted = classify(text, &labels, labelling, None).map_err(LocalFailure::trouble)?;
    let by_llm = arguments.method == RequestedMethod::Llm
        || (arguments.method == RequestedMethod::Auto && engine.llm_default);
    let told = if by_llm { ask(engine, text, &labels, labelling, &mut notes) } else { None };
    let mut found = match told {
        Some(found) => found,
        None => notes.locally(engine, arguments.method, |encoder| match encoder {
            Some(encoder) => classify(text, &labels, labelling, Some(encoder)),
            None => Ok(counted.clone()),
        })?,
    };
    found.scores.truncate(SCORES_SHOWN_MAX);
    // The one label is there by itself.
    if labelling == Labelling::One {
        found.labels.clear();
    }
    Ok(LabelsOutput { found, notes })
}

impl LocalFailure for LabelError {
    fn is_of_encoder(&self) -> bool {
        matches!(self, LabelError::Encode(_))
    }

    fn trouble(self) -> Trouble {
        let hint = match &self {
            LabelError::None => {
                "pass labels: plain names, or objects with name, description and examples".to_owned()
            }
            LabelError::Unnamed => "give every label a name".to_owned(),
            LabelError::Twice(_) => "pass every label once; letter case makes no difference".to_owned(),
            LabelError::TooMany { .. } => format!("pass at most {LABELS_MAX}, or classify in two steps"),
            LabelError::Encode(error) => return Trouble::internal(error.to_string()),
        };
        Trouble::bad_arguments(self.to_string()).hint(hint)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoresReply {
    scores: Vec<ReplyScore>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyScore {
    label: String,
    score: f64,
}

fn ask(
    engine: &AnalysisEngine,
    text: &str,
    labels: &[Label],
    labelling: Labelling,
    notes: &mut AnswerNotes,
) -> Option<Classification> {
    let names: Vec<&str> = labels.iter().map(|label| label.name.as_str()).collect();
    let described: Vec<String> = labels
        .iter()
        .map(|label| {
            let description =
                label.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
            let examples =
                label.examples.first().map(|text| format!(" (for example: {text})")).unwrap_or_default();
            format!("- {}{description}{examples}", label.name)
        })
        .collect();
    let rule = match labelling {
        Labelling::One => "Exactly one fits; the scores add up to 1.",
        Labelling::Many => {
            "Any number may fit; each score is from 0 to 1, and 0.5 or more means that it fits."
        }
    };
    let question = LlmQuestion {
        name: "labels",
        task: format!("Say how well each of these labels fits the text. {rule}\n{}", described.join("\n")),
        text,
        schema: json!({
            "type": "object",
            "properties": { "scores": { "type": "array", "items": {
                "type": "object",
                "properties": { "label": { "type": "string", "enum": names }, "score": { "type": "number" } },
                "required": ["label", "score"],
                "additionalProperties": false,
            } } },
            "required": ["scores"],
            "additionalProperties": false,
        }),
    };
    super::asked::asked(engine, &question, notes, |told: ScoresReply| judged(text, told, labels, labelling))
}

/// Labels that the model left out get the score 0; labels that were not given are ignored.
fn judged(
    text: &str,
    told: ScoresReply,
    labels: &[Label],
    labelling: Labelling,
) -> Result<Classification, String> {
    let mut scores: HashMap<&str, f64> = labels.iter().map(|label| (label.name.as_str(), 0.0)).collect();
    for ReplyScore { label, score } in &told.scores {
        let known =
            scores.get_mut(label.as_str()).ok_or_else(|| format!("{label:?} is none of the labels"))?;
        *known = score.clamp(0.0, 1.0);
    }
    let sum: f64 = scores.values().sum();
    if sum <= 0.0 && labelling == Labelling::One {
        return Err("no label has a score".to_owned());
    }
    let share = if labelling == Labelling::One { 1.0 / sum } else { 1.0 };
    let mut scores: Vec<LabelScore> = labels
        .iter()
        .map(|label| LabelScore { label: label.name.clone(), score: scores[label.name.as_str()] * share })
        .collect();
    scores.sort_by(|one, other| other.score.total_cmp(&one.score));
    let fits = |score: &&LabelScore| match labelling {
        Labelling::One => score.label == scores[0].label,
        Labelling::Many => score.score >= 0.5,
    };
    let fitting: Vec<String> = scores.iter().filter(fits).map(|score| score.label.clone()).collect();
    let unsure = fitting.is_empty() || (labelling == Labelling::One && scores[0].score < 0.5);
    Ok(Classification {
        label: Some(scores[0].label.clone()),
        labels: fitting,
        scores,
        unsure,
        language: detect(text).language,
        method: Method::Llm,
    })
}
