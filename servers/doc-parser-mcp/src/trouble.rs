//! What agents are told about documents that cannot be read.

use capability_documents::DocumentError;
use capability_kit::{Trouble, TroubleCode};

pub(crate) fn told(error: &DocumentError, password: Option<&str>) -> Trouble {
    let (code, hint) = match error {
        DocumentError::Empty => (TroubleCode::Unreadable, "send the whole file; it has no content now"),
        DocumentError::Unsupported { found } if found.starts_with("a picture") => (
            TroubleCode::Unsupported,
            "text in pictures is read by a tool for pictures, such as image-ocr-mcp:extract",
        ),
        DocumentError::Unsupported { .. } => (
            TroubleCode::Unsupported,
            "convert it to PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown or plain text and try again",
        ),
        DocumentError::Damaged { .. } => (
            TroubleCode::Unreadable,
            "send the file again, whole; or open it in its program and save it anew",
        ),
        DocumentError::Locked { format } if *format != "PDF" => {
            (TroubleCode::Locked, "save it without a password; only PDF files can be opened with one here")
        }
        DocumentError::Locked { .. } if password.is_some() => {
            (TroubleCode::Locked, "the password that was given does not open it; ask for the right one")
        }
        DocumentError::Locked { .. } => (TroubleCode::Locked, "give its password as `password`"),
        DocumentError::TooLarge { .. } => (
            TroubleCode::TooLarge,
            "give a smaller document, or split it; a file that unpacks to so much may be an attack",
        ),
        DocumentError::NoSuchPage { .. } => {
            (TroubleCode::BadArguments, "ask for pages that are there, or leave `pages` out")
        }
    };
    Trouble::new(code, error.to_string()).hint(hint)
}
