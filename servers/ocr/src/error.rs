//! What can go wrong, and what to do about it.

use std::path::PathBuf;

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub enum OcrError {
    #[error("there is nothing on this machine that reads text in pictures")]
    Unavailable,
    #[error("the folder {} has no {file}", folder.display())]
    ModelMissing { folder: PathBuf, file: &'static str },
    #[error("the model {} cannot be loaded: {reason}", path.display())]
    LoadModel { path: PathBuf, reason: String },
    #[error("the model for {task} failed: {reason}")]
    RunModel { task: &'static str, reason: String },
    #[error("{language:?} is not a language that can be read here")]
    UnknownLanguage { language: String, known: Vec<String> },
    #[error("the picture is empty: it has no bytes")]
    Empty,
    #[error("this is not a picture of a known kind")]
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
    /// What whoever sees the error can do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            OcrError::Unavailable | OcrError::ModelMissing { .. } => {
                "fetch the weights with script/ocr-model, or install Tesseract: apt-get install tesseract-ocr"
                    .into()
            }
            OcrError::LoadModel { .. } => "fetch the weights again with script/ocr-model".into(),
            OcrError::UnknownLanguage { known, .. } => format!("languages here: {}", known.join(", ")),
            OcrError::Empty | OcrError::NotAPicture => {
                "give the bytes of a PNG, JPEG, WebP, TIFF, GIF or BMP picture".into()
            }
            OcrError::Damaged { .. } => "send the whole file again, or convert it to PNG".into(),
            OcrError::TooLarge { dimension_max, pixels_max, .. } => format!(
                "scale it down: at most {dimension_max} pixels a side and {} million in all",
                pixels_max / 1_000_000
            ),
            OcrError::TesseractTimedOut { .. } => "give a smaller picture, or a part of it".into(),
            OcrError::RunModel { .. } | OcrError::StartTesseract { .. } | OcrError::Tesseract { .. } => {
                return None;
            }
        };
        Some(hint)
    }
}
