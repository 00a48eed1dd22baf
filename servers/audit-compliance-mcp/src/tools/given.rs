//! The input of a tool: a file or a text.

use capability_documents::DocumentError;
use capability_kit::{FileInput, LoadedFile, Trouble, TroubleCode, Work};

use crate::content::PlacedText;

/// Bytes of a file, and of a text.
const FILE_BYTES_MAX: usize = 128 << 20;
const TEXT_BYTES_MAX: usize = 2 << 20;

/// The file of a call, within limits.
pub(super) fn file(input: FileInput, work: &Work) -> Result<LoadedFile, Trouble> {
    let file = input.load(work)?;
    if file.bytes.is_empty() {
        return Err(Trouble::unreadable("the file is empty").hint("pass a file with content"));
    }
    if file.bytes.len() > FILE_BYTES_MAX {
        return Err(Trouble::new(
            TroubleCode::TooLarge,
            format!("the file has more than {FILE_BYTES_MAX} bytes"),
        )
        .hint("split it"));
    }
    Ok(file)
}

/// A text, or the text of a file: exactly one is given.
pub(super) fn text(text: Option<String>, input: FileInput, work: &Work) -> Result<PlacedText, Trouble> {
    let has_file = input.file_data.is_some() || input.source_ref_id.is_some();
    let placed = match text {
        Some(_) if has_file => {
            return Err(
                Trouble::bad_arguments("both text and a file were passed").hint("pass only one of them")
            );
        }
        Some(text) => PlacedText::of_text(text),
        None if !has_file => {
            return Err(Trouble::bad_arguments("no text was passed")
                .hint("pass text, or a file as file_data (Base64) or source_ref_id"));
        }
        None => of_file(&file(input, work)?)?,
    };
    if placed.text.trim().is_empty() {
        return Err(Trouble::unreadable("there is no text in it")
            .hint("scanned pages have to be read by OCR first: see extract_text of doc-parser-mcp"));
    }
    if placed.text.len() > TEXT_BYTES_MAX {
        return Err(Trouble::new(
            TroubleCode::TooLarge,
            format!("the text has more than {TEXT_BYTES_MAX} bytes"),
        )
        .hint("split it"));
    }
    Ok(placed)
}

/// The text of a file with its places.
pub(super) fn of_file(file: &LoadedFile) -> Result<PlacedText, Trouble> {
    PlacedText::of_file(&file.bytes, file.media_type.as_deref()).map_err(trouble)
}

/// A file that could not be read.
pub(super) fn trouble(error: DocumentError) -> Trouble {
    let message = error.to_string();
    match error {
        DocumentError::Empty => Trouble::unreadable(message).hint("pass a file with content"),
        DocumentError::Unsupported { .. } => Trouble::unsupported(message)
            .hint("pass PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown or text"),
        DocumentError::Damaged { .. } => {
            Trouble::unreadable(message).hint("open and save it anew, or pass another copy")
        }
        DocumentError::Locked { .. } => {
            Trouble::new(TroubleCode::Locked, message).hint("remove the password first")
        }
        DocumentError::TooLarge { .. } => Trouble::new(TroubleCode::TooLarge, message).hint("split it"),
        DocumentError::NoSuchPage { .. } => Trouble::bad_arguments(message).hint("pass pages that exist"),
    }
}
