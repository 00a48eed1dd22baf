//! `parse_document`: a file becomes text with sections.

use capability_kit::{FileInput, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given::{self, Ocr};
use crate::parsed::{Characters, ParsedDocument};
use crate::reading::ScanEngine;
use crate::sections::{self, ResumeSection, SectionKind};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParseResumeArguments {
    /// The file, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension, such as `application/pdf` or `pdf`. Detected from the content if
    /// omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of `file_data`: the `ref_id` of a stored file.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// For protected files.
    #[serde(default)]
    password: Option<String>,
    /// OCR of scanned pages: `auto` if this machine supports it, or `never`.
    #[serde(default)]
    ocr: Ocr,
}

/// A part of the document.
#[derive(Serialize, JsonSchema)]
pub(super) struct SectionOut {
    /// As in the document; empty for the part before the first heading.
    heading: String,
    kind: SectionKind,
    /// In characters of the parsed text.
    start: usize,
    end: usize,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ParseResumeOutput {
    /// The parsed document, stored as JSON: its text, and lines with their offsets and looks. Pass it as
    /// `source_ref_id`.
    ref_id: String,
    page_count: usize,
    chars: usize,
    /// ISO 639-1; null if it could not be detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    sections: Vec<SectionOut>,
    warnings: Vec<String>,
}

pub(super) fn parse(
    arguments: ParseResumeArguments,
    work: &Work,
    eyes: &ScanEngine,
) -> Result<ParseResumeOutput, Trouble> {
    let ParseResumeArguments { file_data, file_type, source_ref_id, password, ocr } = arguments;
    let eyes = if ocr == Ocr::Never { &ScanEngine::Closed } else { eyes };
    let input = FileInput { file_data, file_type, source_ref_id };
    let parsed = given::document(input, password.as_deref(), eyes, work)?;
    let id = work.keep(&parsed.to_json(), ParsedDocument::MEDIA_TYPE, "parsed.json")?;
    let characters = Characters::of(&parsed.text);
    let sections =
        sections::find(&parsed).iter().filter_map(|section| shown(&parsed, &characters, section)).collect();
    let mut warnings = parsed.warnings.clone();
    if parsed.is_blank() {
        warnings.push("there is no text in it".to_owned());
    }
    Ok(ParseResumeOutput {
        ref_id: id.into_string(),
        page_count: parsed.page_count,
        chars: characters.at(parsed.text.len()),
        language: parsed.language.clone(),
        sections,
        warnings,
    })
}

fn shown(
    parsed: &ParsedDocument,
    characters: &Characters<'_>,
    section: &ResumeSection,
) -> Option<SectionOut> {
    let heading = section.heading.map(|index| parsed.lines[index].span);
    let spans = || heading.into_iter().chain(section.spans.iter().map(|(_, span)| *span));
    let start = spans().map(|span| span.start).min()?;
    let end = spans().map(|span| span.end).max()?;
    Some(SectionOut {
        heading: heading.map_or_else(String::new, |span| span.of(&parsed.text).to_owned()),
        kind: section.kind,
        start: characters.at(start),
        end: characters.at(end),
    })
}
