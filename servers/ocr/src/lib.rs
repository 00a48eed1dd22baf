//! Text out of pictures: detection and recognition by PP-OCR, or by Tesseract without weights.
//!
//! [`OcrEngine::find`] finds the engines of this machine; [`OcrEngine::read`] returns the lines of a [`Picture`] in
//! reading order, each with its position and confidence.

// Reading a picture.
mod engine;
mod error;
mod languages;
mod options;
mod picture;
mod reading;

// Engines.
mod ppocr;
mod tesseract;

// Geometry.
mod geometry;
mod order;
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
