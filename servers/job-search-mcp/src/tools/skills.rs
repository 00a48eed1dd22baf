//! `extract_skills`.

use capability_documents::language;
use capability_kit::{Trouble, Work};
use resume_profile_mcp::shared;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reading::TEXT_BYTES_MAX;
use crate::skills::{self, SkillKind, SkillSpan};

/// Skills of one kind are listed to here.
const LISTED_MAX: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractSkillsArguments {
    /// The text, such as an advertisement.
    #[serde(default)]
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    #[serde(default)]
    file_text: Option<String>,
    /// Also return every mention with its place.
    #[serde(default)]
    spans: bool,
}

/// A mention in the text.
#[derive(Serialize, JsonSchema)]
pub(super) struct SkillMentionOut {
    text: String,
    kind: SkillKind,
    /// In characters.
    start: usize,
    end: usize,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ExtractSkillsOutput {
    /// Tools, methods, subjects; well-known ones by their usual name.
    knowledge: Vec<String>,
    /// Abilities and tasks, in the words of the text.
    skills: Vec<String>,
    /// tagger (trained on labelled English advertisements, with the list), or list.
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Every mention, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    mentions: Option<Vec<SkillMentionOut>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn extract(arguments: ExtractSkillsArguments, _: &Work) -> Result<ExtractSkillsOutput, Trouble> {
    let text = match (arguments.text, arguments.file_text) {
        (Some(text), None) | (None, Some(text)) if !text.trim().is_empty() => text,
        (Some(_), Some(_)) => {
            return Err(
                Trouble::bad_arguments("both text and a file were passed").hint("pass only one of them")
            );
        }
        _ => {
            return Err(Trouble::bad_arguments("text is missing or empty")
                .hint("pass the text itself; behind a gateway, a file's id works too"));
        }
    };
    let mut warnings = Vec::new();
    let cut = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    if cut.len() < text.len() {
        warnings.push(format!("only the first {TEXT_BYTES_MAX} bytes were read"));
    }
    let language = language(cut).map(|language| language.code);
    let is_english = language.as_deref().is_none_or(|code| code == "en");
    let found = if is_english { skills::find(cut) } else { skills::find_known(cut) };
    if !is_english {
        warnings.push("the tagger reads English only; here well-known names were looked for".to_owned());
    }
    Ok(ExtractSkillsOutput {
        knowledge: listed(cut, &found, SkillKind::Knowledge),
        skills: listed(cut, &found, SkillKind::Skill),
        method: if is_english { "tagger" } else { "list" },
        language,
        mentions: arguments.spans.then(|| mentions(cut, &found)),
        warnings,
    })
}

/// Each once, in the order of the text.
fn listed(text: &str, found: &[SkillSpan], kind: SkillKind) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for span in found.iter().filter(|span| span.kind == kind) {
        let written = &text[span.start..span.end];
        let name = shared::skill_name(written).unwrap_or(written);
        if names.len() < LISTED_MAX && !names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            names.push(name.to_owned());
        }
    }
    names
}

fn mentions(text: &str, found: &[SkillSpan]) -> Vec<SkillMentionOut> {
    let count = |bytes: usize| text[..bytes].chars().count();
    let shown = found.iter().map(|span| SkillMentionOut {
        text: text[span.start..span.end].to_owned(),
        kind: span.kind,
        start: count(span.start),
        end: count(span.end),
    });
    shown.collect()
}
