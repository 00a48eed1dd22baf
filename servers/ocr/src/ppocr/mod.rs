//! PP-OCRv6 small: one network detects text, another reads it. Both come from the files that
//! `script/ocr-model` fetches; nothing else is needed to run them.

mod blobs;
mod detection;
mod planes;
mod recognition;
mod upright;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use image::RgbImage;
use rten::Model;

use crate::error::OcrError;
use crate::geometry::Polygon;
use crate::options::{Deskew, EngineKind};
use crate::order;
use crate::picture::Picture;
use crate::reading::{OcrReading, TextLine};
use detection::Detector;
use recognition::{RecognisedText, Recogniser};

/// The networks, loaded when the first picture comes.
#[derive(Debug)]
pub(crate) struct PpOcr {
    folder: PathBuf,
    networks: OnceLock<Networks>,
}

#[derive(Debug)]
struct Networks {
    detector: Detector,
    recogniser: Recogniser,
}

const DETECTION_FILE: &str = "PP-OCRv6_det_small.onnx";
const RECOGNITION_FILE: &str = "PP-OCRv6_rec_small.onnx";

/// Lines that the network is less sure of are mostly pictures, rules and dirt.
const CONFIDENCE_MIN: f32 = 0.5;

impl PpOcr {
    /// Checks that the files exist, without reading them.
    pub(crate) fn in_folder(folder: &Path) -> Result<Self, OcrError> {
        for file in [DETECTION_FILE, RECOGNITION_FILE] {
            if !folder.join(file).is_file() {
                return Err(OcrError::ModelMissing { folder: folder.to_owned(), file });
            }
        }
        Ok(Self { folder: folder.to_owned(), networks: OnceLock::new() })
    }

    pub(crate) fn read(&self, picture: &Picture, deskew: Deskew) -> Result<OcrReading, OcrError> {
        let networks = self.networks()?;
        let page = upright::find(networks, picture.pixels(), deskew)?;
        let skew = crate::turn::skew_of_lines(&page.lines);
        let lines = page.lines.iter().zip(page.texts).filter(|(_, read)| is_text(read));
        let (polygons, texts): (Vec<&Polygon>, Vec<RecognisedText>) = lines.unzip();
        let places: Vec<_> = polygons.iter().map(|polygon| order::straightened(polygon, skew)).collect();
        let lines = order::arrange(&places).into_iter().map(|placed| {
            let polygon = polygons[placed.index].map(&page.back);
            TextLine {
                text: with_single_spaces(&texts[placed.index].text),
                confidence: texts[placed.index].confidence,
                polygon,
                bounds: polygon.bounds().within(picture.width(), picture.height()),
                before: placed.before,
            }
        });
        Ok(OcrReading::new(lines.collect(), page.angle, EngineKind::PpOcr))
    }

    /// The positions of text, without reading it.
    pub(crate) fn detect(&self, picture: &Picture) -> Result<Vec<Polygon>, OcrError> {
        self.networks()?.detector.find(picture.pixels())
    }

    fn networks(&self) -> Result<&Networks, OcrError> {
        if let Some(networks) = self.networks.get() {
            return Ok(networks);
        }
        let detector = Detector::new(load(&self.folder.join(DETECTION_FILE))?);
        let path = self.folder.join(RECOGNITION_FILE);
        let recogniser = Recogniser::new(load(&path)?)
            .ok_or_else(|| OcrError::LoadModel { path, reason: "it does not list its characters".into() })?;
        Ok(self.networks.get_or_init(|| Networks { detector, recogniser }))
    }
}

impl Networks {
    fn recognise(&self, picture: &RgbImage, lines: &[Polygon]) -> Result<Vec<RecognisedText>, OcrError> {
        self.recogniser.read(lines.iter().map(|line| crate::warp::cut_out(picture, line)).collect())
    }
}

fn is_text(read: &RecognisedText) -> bool {
    read.confidence >= CONFIDENCE_MIN && !read.text.trim().is_empty()
}

/// The network writes more than one space, or the wide ones of Chinese, where words are far apart.
fn with_single_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn load(path: &Path) -> Result<Model, OcrError> {
    Model::load_file(path)
        .map_err(|error| OcrError::LoadModel { path: path.to_owned(), reason: error.to_string() })
}
