//! `extract_keywords`.

use std::sync::Arc;

use capability_kit::{LlmQuestion, Tool, Trouble, Work};
use capability_language::{Keyword, KeywordOptions, Keywords, Method, Positions, detect, keywords};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerNotes, RequestedMethod};
use crate::engine::AnalysisEngine;
use crate::input::{self, GivenText};

const DESCRIPTION: &str = "Finds the key phrases of a text, best first; `spans` adds their positions. Use it to index, tag or skim a text.";
const TOP_K_MAX: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeywordsArguments {
    /// The text.
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    file_text: Option<String>,
    /// The number of phrases, 1 to 200.
    #[serde(default = "ten")]
    top_k: usize,
    /// ISO 639-1, such as `en`. Detected if omitted.
    language: Option<String>,
    /// `auto` uses meaning if the server has an encoder, otherwise counting.
    #[serde(default)]
    method: RequestedMethod,
    /// Also return the positions of each phrase.
    #[serde(default)]
    spans: bool,
}

fn ten() -> usize {
    10
}

#[derive(Serialize, JsonSchema)]
struct KeywordsOutput {
    #[serde(flatten)]
    found: Keywords,
    #[serde(flatten)]
    notes: AnswerNotes,
}

pub(super) fn tool(engine: &Arc<AnalysisEngine>) -> Tool {
    let engine = Arc::clone(engine);
    let run = move |arguments: KeywordsArguments, _: &Work| extract(&engine, arguments);
    Tool::new("extract_keywords", "Extract keywords", DESCRIPTION, run)
}

fn extract(engine: &AnalysisEngine, arguments: KeywordsArguments) -> Result<KeywordsOutput, Trouble> {
    if !(1..=TOP_K_MAX).contains(&arguments.top_k) {
        return Err(Trouble::bad_arguments(format!(
            "top_k: {} is not from 1 to {TOP_K_MAX}",
            arguments.top_k
        )));
    }
    let text = GivenText::load("text", arguments.text, arguments.file_text)?;
    let options = KeywordOptions { top_k: arguments.top_k, language: input::language(arguments.language)? };
    let mut notes = AnswerNotes::default();
    let text = text.clipped(&mut notes);
    let by_llm = arguments.method == RequestedMethod::Llm
        || (arguments.method == RequestedMethod::Auto && engine.llm_default);
    let told = if by_llm { ask(engine, text, &options, &mut notes) } else { None };
    let mut found = match told {
        Some(found) => found,
        None => notes.locally(engine, arguments.method, |encoder| keywords(text, &options, encoder))?,
    };
    if !arguments.spans {
        found.keywords.iter_mut().for_each(|keyword| keyword.offsets.clear());
    }
    Ok(KeywordsOutput { found, notes })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeywordsReply {
    keywords: Vec<String>,
}

fn ask(
    engine: &AnalysisEngine,
    text: &str,
    options: &KeywordOptions,
    notes: &mut AnswerNotes,
) -> Option<Keywords> {
    let question = LlmQuestion {
        name: "keywords",
        task: format!(
            "List the {} key phrases that say best what the text is about, the best first, as they are written in it.",
            options.top_k
        ),
        text,
        schema: json!({
            "type": "object",
            "properties": { "keywords": { "type": "array", "items": { "type": "string" } } },
            "required": ["keywords"],
            "additionalProperties": false,
        }),
    };
    super::asked::asked(engine, &question, notes, |told: KeywordsReply| listed(text, told, options))
}

/// With the actual positions of the phrases; phrases that are not in the text are dropped.
fn listed(text: &str, told: KeywordsReply, options: &KeywordOptions) -> Result<Keywords, String> {
    let positions = Positions::new(text);
    let mut seen = std::collections::HashSet::new();
    let phrases: Vec<String> =
        told.keywords.into_iter().filter(|phrase| seen.insert(phrase.to_lowercase())).collect();
    let total = phrases.len().max(1) as f64;
    let found: Vec<Keyword> = phrases
        .into_iter()
        .enumerate()
        .filter_map(|(rank, phrase)| placed(text, &positions, phrase, 1.0 - rank as f64 / total))
        .take(options.top_k)
        .collect();
    if found.is_empty() {
        return Err("none of its phrases is in the text".to_owned());
    }
    let language = options.language.clone().or_else(|| detect(text).language);
    Ok(Keywords { keywords: found, language, method: Method::Llm })
}

fn placed(text: &str, positions: &Positions<'_>, phrase: String, score: f64) -> Option<Keyword> {
    const OFFSETS_MAX: usize = 20;
    let phrase = phrase.trim().to_owned();
    let mut places: Vec<_> =
        text.match_indices(&phrase).map(|(start, hit)| start..start + hit.len()).collect();
    if places.is_empty() && text.is_ascii() {
        let lower = text.to_ascii_lowercase();
        let wanted = phrase.to_lowercase();
        places = lower.match_indices(&wanted).map(|(start, hit)| start..start + hit.len()).collect();
    }
    let count = places.len();
    let offsets = places.into_iter().take(OFFSETS_MAX).map(|place| positions.span(place)).collect();
    (count > 0 && !phrase.is_empty()).then_some(Keyword { phrase, score, count, offsets })
}
