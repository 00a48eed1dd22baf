//! `summarize_text`.

use std::sync::Arc;

use capability_kit::{LlmQuestion, Tool, Trouble, Work};
use capability_language::{Method, Summary, SummaryLength, SummaryOptions, detect, sentences, summarize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerNotes, RequestedMethod};
use crate::engine::AnalysisEngine;
use crate::input::{self, GivenText};

const DESCRIPTION: &str = "Summarizes a text. By default the summary consists of sentences of the text \
    itself, in their order, so that nothing is invented; `style: llm` writes a new text if the server has a \
    language model.";
const SENTENCES_MAX: usize = 100;
const WORDS_MAX: usize = 5_000;
const SENTENCES_DEFAULT: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SummaryArguments {
    /// The text.
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    file_text: Option<String>,
    /// Length in sentences, 1 to 100; 5 if neither this nor `max_words` is present.
    max_sentences: Option<usize>,
    /// Instead of `max_sentences`: length in words, 5 to 5000.
    max_words: Option<usize>,
    /// A question or some words that the summary should address.
    focus: Option<String>,
    /// `extractive` selects sentences of the text; `llm` writes a new text.
    style: Option<SummaryStyle>,
    /// ISO 639-1, such as `en`. Detected if omitted.
    language: Option<String>,
    /// Also list the selected sentences with their numbers and scores.
    #[serde(default)]
    sentences: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SummaryStyle {
    Extractive,
    Llm,
}

#[derive(Serialize, JsonSchema)]
struct SummaryOutput {
    #[serde(flatten)]
    summary: Summary,
    #[serde(flatten)]
    notes: AnswerNotes,
}

pub(super) fn tool(engine: &Arc<AnalysisEngine>) -> Tool {
    let engine = Arc::clone(engine);
    let run = move |arguments: SummaryArguments, _: &Work| sum_up(&engine, arguments);
    Tool::new("summarize_text", "Summarize text", DESCRIPTION, run)
}

fn sum_up(engine: &AnalysisEngine, arguments: SummaryArguments) -> Result<SummaryOutput, Trouble> {
    let length = length(arguments.max_sentences, arguments.max_words)?;
    let focus = arguments.focus.filter(|focus| !focus.trim().is_empty());
    let options = SummaryOptions { length, focus, language: input::language(arguments.language)? };
    let text = GivenText::load("text", arguments.text, arguments.file_text)?;
    let mut notes = AnswerNotes::default();
    let text = text.clipped(&mut notes);
    let by_llm = match arguments.style {
        Some(style) => style == SummaryStyle::Llm,
        None => engine.llm_default,
    };
    let told = if by_llm { ask(engine, text, &options, &mut notes) } else { None };
    let mut summary = match told {
        Some(summary) => summary,
        None => notes.locally(engine, RequestedMethod::Auto, |encoder| summarize(text, &options, encoder))?,
    };
    // They repeat the summary.
    if !arguments.sentences {
        summary.sentences.clear();
    }
    Ok(SummaryOutput { summary, notes })
}

fn length(sentences: Option<usize>, words: Option<usize>) -> Result<SummaryLength, Trouble> {
    match (sentences, words) {
        (None, None) => Ok(SummaryLength::Sentences(SENTENCES_DEFAULT)),
        (Some(count), None) if (1..=SENTENCES_MAX).contains(&count) => Ok(SummaryLength::Sentences(count)),
        (None, Some(count)) if (5..=WORDS_MAX).contains(&count) => Ok(SummaryLength::Words(count)),
        (Some(_), Some(_)) => Err(Trouble::bad_arguments("both max_sentences and max_words were passed")
            .hint("pass only one of them")),
        (Some(count), None) => {
            Err(Trouble::bad_arguments(format!("max_sentences: {count} is not from 1 to {SENTENCES_MAX}")))
        }
        (None, Some(count)) => {
            Err(Trouble::bad_arguments(format!("max_words: {count} is not from 5 to {WORDS_MAX}")))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SummaryReply {
    summary: String,
}

fn ask(
    engine: &AnalysisEngine,
    text: &str,
    options: &SummaryOptions,
    notes: &mut AnswerNotes,
) -> Option<Summary> {
    let length = match options.length {
        SummaryLength::Sentences(count) => format!("at most {count} sentences"),
        SummaryLength::Words(count) => format!("at most {count} words"),
    };
    let focus = options.focus.as_ref().map(|focus| format!(" It is about: {focus}.")).unwrap_or_default();
    let question = LlmQuestion {
        name: "summary",
        task: format!(
            "Sum the text up in {length}, in the language of the text. Say only what the text says.{focus}"
        ),
        text,
        schema: json!({
            "type": "object",
            "properties": { "summary": { "type": "string" } },
            "required": ["summary"],
            "additionalProperties": false,
        }),
    };
    super::asked::asked(engine, &question, notes, |told: SummaryReply| written(text, told, options))
}

/// Models are loose with lengths: an answer that is far too long is refused.
fn written(text: &str, told: SummaryReply, options: &SummaryOptions) -> Result<Summary, String> {
    let summary = told.summary.trim().to_owned();
    let (long, most) = match options.length {
        SummaryLength::Sentences(most) => (sentences(&summary).len(), most),
        SummaryLength::Words(most) => (summary.split_whitespace().count(), most),
    };
    if summary.is_empty() || long > most + most.div_ceil(2) {
        return Err("the summary is empty or much too long".to_owned());
    }
    let language = options.language.clone().or_else(|| detect(text).language);
    let sentences_total = sentences(text).len();
    Ok(Summary { summary, sentences: Vec::new(), sentences_total, language, method: Method::Llm })
}
