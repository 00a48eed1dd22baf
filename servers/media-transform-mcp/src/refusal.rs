//! The errors, in the kit's form.

use capability_documents::DocumentError;
use capability_kit::{Trouble, TroubleCode};
use capability_typeset::TypesetError;

pub(crate) fn of_typeset(error: &TypesetError) -> Trouble {
    let code = match error {
        TypesetError::TooLarge { .. } => TroubleCode::TooLarge,
        TypesetError::Set { .. } => TroubleCode::Internal,
        TypesetError::Standard { .. } => TroubleCode::Unsupported,
        TypesetError::Empty { .. }
        | TypesetError::Json { .. }
        | TypesetError::Template { .. }
        | TypesetError::Option { .. }
        | TypesetError::Picture { .. } => TroubleCode::BadArguments,
    };
    Trouble::new(code, error.to_string()).hint(error.hint())
}

pub(crate) fn of_document(error: &DocumentError) -> Trouble {
    let (code, hint) = match error {
        DocumentError::Unsupported { .. } => (
            TroubleCode::Unsupported,
            "PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown and plain text can be read",
        ),
        DocumentError::Locked { .. } => (TroubleCode::Locked, "pass its password as password"),
        DocumentError::TooLarge { .. } => (TroubleCode::TooLarge, "send a smaller file, or a part of it"),
        _ => (TroubleCode::Unreadable, "check that the file is complete and of the declared type"),
    };
    Trouble::new(code, error.to_string()).hint(hint)
}
