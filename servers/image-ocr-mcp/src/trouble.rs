//! Errors of the library in the words of the kit.

use capability_kit::{Trouble, TroubleCode};
use capability_ocr::OcrError;

pub(crate) fn trouble_of(error: &OcrError) -> Trouble {
    let code = match error {
        OcrError::Unavailable | OcrError::ModelMissing { .. } => TroubleCode::Unavailable,
        OcrError::UnknownLanguage { .. } | OcrError::NotAPicture => TroubleCode::Unsupported,
        OcrError::Empty | OcrError::Damaged { .. } => TroubleCode::Unreadable,
        OcrError::TooLarge { .. } => TroubleCode::TooLarge,
        OcrError::TesseractTimedOut { .. } => TroubleCode::TimedOut,
        OcrError::LoadModel { .. }
        | OcrError::RunModel { .. }
        | OcrError::StartTesseract { .. }
        | OcrError::Tesseract { .. } => TroubleCode::Internal,
    };
    let trouble = Trouble::new(code, error.to_string());
    match error.hint() {
        Some(hint) => trouble.hint(hint),
        None => trouble,
    }
}
