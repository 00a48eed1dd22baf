//! The errors, with advice.

use std::path::PathBuf;

/// The reason why there is no text.
#[derive(Debug, thiserror::Error)]
pub enum OcrError {
    #[error("no OCR engine is installed on this machine")]
    Unavailable,
    #[error("the folder {} has no {file}", folder.display())]
    ModelMissing { folder: PathBuf, file: &'static str },
    #[error("the model {} cannot be loaded: {reason}", path.display())]
    LoadModel { path: PathBuf, reason: String },
    #[error("the model for {task} failed: {reason}")]
    RunModel { task: &'static str, reason: String },
    #[error("the language {language:?} is not available here")]
    UnknownLanguage { language: String, known: Vec<String> },
    #[error("the picture is empty: it has no bytes")]
    Empty,
    #[error("this is not a picture in a known format")]
    NotAPicture,
    #[error("the {format} picture is damaged or cut off: {reason}")]
    Damaged { format: String, reason: String },
    #[error("the picture is too large: {width} × {height} pixels")]
    TooLarge { width: u64, height: u64, dimension_max: u32, pixels_max: u64 },
    #[error("{} could not be started: {source}", program.display())]
    StartTesseract { program: PathBuf, source: std::io::Error },
    #[error("Tesseract failed: {said}")]
    Tesseract { said: String },
    #[error("Tesseract took longer than {seconds} s")]
    TesseractTimedOut { seconds: u64 },
}

impl OcrError {
    /// The advice for the reader of the error.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            OcrError::Unavailable | OcrError::ModelMissing { .. } => {
                "fetch the weights with script/ocr-model, or install Tesseract: apt-get install tesseract-ocr"
                    .into()
            }
            OcrError::LoadModel { .. } => "fetch the weights again with script/ocr-model".into(),
            OcrError::UnknownLanguage { known, .. } => format!("available languages: {}", known.join(", ")),
            OcrError::Empty | OcrError::NotAPicture => {
                "send the bytes of a PNG, JPEG, WebP, TIFF, GIF or BMP picture".into()
            }
            OcrError::Damaged { .. } => "send the whole file again, or convert it to PNG".into(),
            OcrError::TooLarge { dimension_max, pixels_max, .. } => format!(
                "scale it down to at most {dimension_max} pixels per side and {} million in total",
                pixels_max / 1_000_000
            ),
            OcrError::TesseractTimedOut { .. } => "send a smaller picture, or a part of it".into(),
            OcrError::RunModel { .. } | OcrError::StartTesseract { .. } | OcrError::Tesseract { .. } => {
                return None;
            }
        };
        Some(hint)
    }
}
