//! The messages about unreadable documents.

use capability_documents::DocumentError;
use capability_kit::{Trouble, TroubleCode};

pub(crate) fn told(error: &DocumentError, password: Option<&str>) -> Trouble {
    let (code, hint) = match error {
        DocumentError::Empty => (TroubleCode::Unreadable, "send the whole file; it is empty now"),
        DocumentError::Unsupported { found } if found.starts_with("a picture") => {
            (TroubleCode::Unsupported, "use a tool that reads pictures, such as image-ocr-mcp:extract")
        }
        DocumentError::Unsupported { .. } => (
            TroubleCode::Unsupported,
            "convert it to PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown or plain text and try again",
        ),
        DocumentError::Damaged { .. } => (
            TroubleCode::Unreadable,
            "send the complete file again, or open it in its program and save it again",
        ),
        DocumentError::Locked { format } if *format != "PDF" => {
            (TroubleCode::Locked, "save it without a password; only PDF files can be opened with one here")
        }
        DocumentError::Locked { .. } if password.is_some() => {
            (TroubleCode::Locked, "the password is wrong; ask for the right one")
        }
        DocumentError::Locked { .. } => (TroubleCode::Locked, "pass its password as `password`"),
        DocumentError::TooLarge { .. } => (
            TroubleCode::TooLarge,
            "send a smaller document, or split it; a file that unpacks to this much may be an attack",
        ),
        DocumentError::NoSuchPage { .. } => {
            (TroubleCode::BadArguments, "ask for existing pages, or omit `pages`")
        }
    };
    Trouble::new(code, error.to_string()).hint(hint)
}
