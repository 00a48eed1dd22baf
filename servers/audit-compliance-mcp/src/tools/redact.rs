//! `redact`.

use capability_documents::DocumentKind;
use capability_kit::{FileInput, Tool, Trouble, TroubleCode, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given;
use crate::personal::PersonalKind;
use crate::redaction::{self, Redacted, RedactionError, RedactionOrder};

/// Terms of one call, and characters of a term.
const TERMS_MAX: usize = 200;
const TERM_CHARS: std::ops::RangeInclusive<usize> = 2..=500;
/// Boxes in one answer.
const BOXES_MAX: usize = 50;

const DESCRIPTION: &str = "Redacts a PDF or a text for good: terms and kinds of personal data. Redacted pages become \
    pictures with black boxes and a text layer of their other words; metadata, comments, attachments, hidden layers and \
    earlier versions are dropped; the result is read again to verify it. Returns a ref_id of the new file. Text that is \
    only visible in pictures is not found.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Redact {
    /// The PDF or text file, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of file_data: the ref_id that a tool of this server gave before.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Instead of a file: a text.
    #[serde(default)]
    text: Option<String>,
    /// Words or phrases to redact wherever they stand, in any case.
    #[serde(default)]
    terms: Vec<String>,
    /// Kinds of personal data to redact.
    #[serde(default)]
    kinds: Vec<PersonalKind>,
    /// Keep personal data that is less certain than this, from 0 to 1.
    #[serde(default)]
    confidence_min: f64,
}

#[derive(Serialize, JsonSchema)]
struct RedactOutput {
    /// The redacted file.
    ref_id: String,
    bytes: usize,
    /// The number of redacted places.
    redacted: usize,
    /// True: the result was read, and none of the terms is in it.
    verified: bool,
    /// Pages that became pictures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    picture_pages: Vec<u32>,
    /// The first black boxes: page, left, top, right, bottom.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boxes: Vec<[f32; 5]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new("redact", "Redact a document", DESCRIPTION, run)
}

fn run(arguments: Redact, work: &Work) -> Result<RedactOutput, Trouble> {
    let Redact { file_data, file_type, source_ref_id, text, terms, kinds, confidence_min } = arguments;
    let order = order(terms, kinds, confidence_min)?;
    if let Some(text) = text {
        let result = redaction::text(&text, &order).map_err(trouble)?;
        return output(result, "text/plain", "redacted.txt", work);
    }
    let file = given::file(FileInput { file_data, file_type, source_ref_id }, work)?;
    let kind = DocumentKind::of(&file.bytes, file.media_type.as_deref()).map_err(given::trouble)?;
    match kind {
        DocumentKind::Pdf => {
            let tell = |done: usize, all: usize| {
                work.progress(done as f64, all as f64, format!("page {} of {all}", done + 1))
            };
            let result = redaction::pdf(&file.bytes, &order, &tell).map_err(trouble)?;
            output(result, "application/pdf", "redacted.pdf", work)
        }
        DocumentKind::Text | DocumentKind::Markdown | DocumentKind::Html => {
            let text = capability_documents::decode(&file.bytes).text;
            let result = redaction::text(&text, &order).map_err(trouble)?;
            output(result, kind.media_type(), "redacted.txt", work)
        }
        other => Err(Trouble::unsupported(format!("{} cannot be redacted", other.name()))
            .hint("convert it to PDF first: see convert_to_pdf of media-transform-mcp")),
    }
}

fn order(
    terms: Vec<String>,
    kinds: Vec<PersonalKind>,
    confidence_min: f64,
) -> Result<RedactionOrder, Trouble> {
    if terms.len() > TERMS_MAX {
        return Err(Trouble::bad_arguments(format!("there are more than {TERMS_MAX} terms"))
            .hint("call redact again with the result"));
    }
    let letters = |term: &str| term.chars().filter(|it| it.is_alphanumeric()).count();
    if let Some(term) = terms.iter().find(|it| !TERM_CHARS.contains(&letters(it))) {
        return Err(Trouble::bad_arguments(format!("the term {term:?} is too short or too long"))
            .hint("a term has 2 to 500 letters and digits"));
    }
    Ok(RedactionOrder { terms, kinds, confidence_min })
}

fn output(result: Redacted, media_type: &str, name: &str, work: &Work) -> Result<RedactOutput, Trouble> {
    let ref_id = work.keep(&result.bytes, media_type, name)?.into_string();
    let boxes = result.boxes.iter().take(BOXES_MAX).map(|it| {
        let [left, top, right, bottom] = it.bounds;
        [it.page as f32, left, top, right, bottom]
    });
    Ok(RedactOutput {
        ref_id,
        bytes: result.bytes.len(),
        redacted: result.count,
        verified: true,
        picture_pages: result.pictures,
        boxes: boxes.collect(),
        warnings: result.warnings,
    })
}

fn trouble(error: RedactionError) -> Trouble {
    let message = error.to_string();
    match error {
        RedactionError::Nothing => Trouble::bad_arguments(message).hint("pass terms, kinds, or both"),
        RedactionError::Encrypted => {
            Trouble::new(TroubleCode::Locked, message).hint("remove the encryption first")
        }
        RedactionError::Unreadable(_) => {
            Trouble::unreadable(message).hint("open and save it anew, or pass another copy")
        }
        RedactionError::TooLong(_) => Trouble::new(TroubleCode::TooLarge, message).hint("split it"),
        RedactionError::StillThere(_) => Trouble::unsupported(message)
            .hint("this file hides text in a way that cannot be redacted here; nothing was returned"),
    }
}
