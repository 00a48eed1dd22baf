//! `redact`.

use std::sync::{Arc, OnceLock};

use capability_documents::DocumentKind;
use capability_kit::{FileInput, Tool, Trouble, TroubleCode, Work};
use capability_ocr::OcrSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given;
use crate::personal::PersonalKind;
use crate::redaction::{self, MarkupKind, PictureEyes, Redacted, RedactionError, RedactionOrder};

/// Terms of one call, and characters of a term.
const TERMS_MAX: usize = 200;
const TERM_CHARS: std::ops::RangeInclusive<usize> = 2..=500;
/// Boxes in one answer.
const BOXES_MAX: usize = 50;

const DESCRIPTION: &str = "Redacts a PDF, page, Markdown file or text for good: terms and kinds of personal data. Redacted \
    pages become pictures with black boxes and a text layer of their other words; metadata, comments, attachments, hidden \
    layers, scripts and earlier versions are dropped; the result is read again to verify it. Words in pictures are read by \
    OCR; where they could not be, verified is false and warnings name the pages. Returns a ref_id of the new file.";

/// The OCR engine is searched with the first PDF, so that the server starts at once.
pub(super) struct LazyPictureEyes {
    settings: OcrSettings,
    eyes: OnceLock<PictureEyes>,
}

impl LazyPictureEyes {
    pub(super) fn new(settings: OcrSettings) -> Arc<Self> {
        Arc::new(Self { settings, eyes: OnceLock::new() })
    }

    fn get(&self) -> &PictureEyes {
        self.eyes.get_or_init(|| PictureEyes::find(&self.settings))
    }
}

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
    /// True: all that the result shows was searched, and none of the terms is in it. False: something to see could not be
    /// searched; warnings say what.
    verified: bool,
    /// Pages with pictures or letters that could not be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsearched_pages: Vec<u32>,
    /// Pages that became pictures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    picture_pages: Vec<u32>,
    /// The first black boxes: page, left, top, right, bottom.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boxes: Vec<[f32; 5]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn tool(eyes: Arc<LazyPictureEyes>) -> Tool {
    Tool::new("redact", "Redact a document", DESCRIPTION, move |arguments, work: &Work| {
        run(arguments, work, &eyes)
    })
}

fn run(arguments: Redact, work: &Work, eyes: &LazyPictureEyes) -> Result<RedactOutput, Trouble> {
    let Redact { file_data, file_type, source_ref_id, text, terms, kinds, confidence_min } = arguments;
    let order = order(terms, kinds, confidence_min)?;
    if let Some(text) = text {
        let kind = DocumentKind::of(text.as_bytes(), None).ok().filter(|it| *it == DocumentKind::Html);
        return of_text(&text, kind.unwrap_or(DocumentKind::Text), &order, work);
    }
    let file = given::file(FileInput { file_data, file_type, source_ref_id }, work)?;
    let kind = DocumentKind::of(&file.bytes, file.media_type.as_deref()).map_err(given::trouble)?;
    match kind {
        DocumentKind::Pdf => {
            let tell = |done: usize, all: usize| {
                work.progress(done as f64, all as f64, format!("step {} of {all}", done + 1))
            };
            let result = redaction::pdf(&file.bytes, &order, eyes.get(), &tell).map_err(trouble)?;
            output(result, "application/pdf", "redacted.pdf", work)
        }
        DocumentKind::Text | DocumentKind::Markdown | DocumentKind::Html => {
            of_text(&capability_documents::decode(&file.bytes).text, kind, &order, work)
        }
        other => Err(Trouble::unsupported(format!("{} cannot be redacted", other.name()))
            .hint("convert it to PDF first: see convert of media-transform-mcp")),
    }
}

/// A text with or without markup.
fn of_text(
    text: &str,
    kind: DocumentKind,
    order: &RedactionOrder,
    work: &Work,
) -> Result<RedactOutput, Trouble> {
    let result = match kind {
        DocumentKind::Html => redaction::markup(text, MarkupKind::Html, order),
        DocumentKind::Markdown => redaction::markup(text, MarkupKind::Markdown, order),
        _ => redaction::text(text, order),
    };
    let name = format!("redacted.{}", kind.name_short());
    output(result.map_err(trouble)?, kind.media_type(), &name, work)
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
        verified: result.is_verified,
        unsearched_pages: result.unsearched,
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
        RedactionError::TooLong(_) | RedactionError::TooLarge(_) | RedactionError::TooMuch(_) => {
            Trouble::new(TroubleCode::TooLarge, message).hint("split it")
        }
        RedactionError::StillThere(_) => Trouble::unsupported(message)
            .hint("this file hides text in a way that cannot be redacted here; nothing was returned"),
    }
}
