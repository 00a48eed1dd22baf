//! The settings of the engines, and the options of one reading.

use std::path::PathBuf;

/// The places to search, and the expectations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OcrSettings {
    /// The folder with PP-OCR's weights. If not said: `.cache/ocr` here or above the program.
    pub models: Option<PathBuf>,
    /// The program. If not said: `tesseract` on the path.
    pub tesseract: Option<PathBuf>,
    /// The default languages of pictures: `en`, `eng` or `English`.
    pub languages: Vec<String>,
}

/// The options for one picture.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Instead of those of the settings.
    pub languages: Vec<String>,
    pub deskew: Deskew,
}

/// The treatment of rotated pictures before reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Deskew {
    #[default]
    Auto,
    Never,
}

/// The engine that read a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    PpOcr,
    Tesseract,
}

impl EngineKind {
    pub fn as_str(self) -> &'static str {
        match self {
            EngineKind::PpOcr => "pp-ocrv6-small",
            EngineKind::Tesseract => "tesseract",
        }
    }
}
