//! Text out of pictures: detection and recognition by PP-OCR, or by Tesseract without weights.
//!
//! [`OcrEngine::find`] finds the engines of this machine; [`OcrEngine::read`] returns the lines of a [`Picture`] in
//! reading order, each with its position and confidence.

mod engine;
mod error;
mod geometry;
mod languages;
mod options;
mod order;
mod picture;
mod ppocr;
mod reading;
mod tesseract;
mod turn;
mod warp;

#[cfg(test)]
mod drawing;

pub use engine::OcrEngine;
pub use error::OcrError;
pub use geometry::{Bounds, Point, Polygon};
pub use languages::OcrLanguage;
pub use options::{Deskew, EngineKind, OcrSettings, ReadOptions};
pub use picture::{Animation, ColourModel, Picture, PictureFacts, PictureLimits, PictureTurn};
pub use reading::{Break, OcrReading, TextLine};
