//! Reading pictures by OCR, or the reason why not.

use capability_documents::pdf::RenderedPage;
use capability_ocr::{OcrEngine, OcrSettings, Picture};

/// An OCR engine, if this machine has one.
#[derive(Debug)]
pub enum PictureEyes {
    Open(Box<OcrEngine>),
    /// Pictures cannot be read here; the reason.
    Blind(String),
}

/// A line that was read, in pixels of the picture.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SightLine {
    pub(super) text: String,
    /// Left, top, right and bottom.
    pub(super) bounds: [f32; 4],
}

impl PictureEyes {
    pub fn find(settings: &OcrSettings) -> Self {
        match OcrEngine::find(settings) {
            Ok(engine) => Self::Open(Box::new(engine)),
            Err(why) => Self::Blind(why.to_string()),
        }
    }

    pub(super) fn read(&self, drawn: &RenderedPage) -> Result<Vec<SightLine>, String> {
        let engine = match self {
            PictureEyes::Open(engine) => engine,
            PictureEyes::Blind(why) => return Err(why.clone()),
        };
        let picture = Picture::from_rgb(drawn.width, drawn.height, drawn.rgb.clone());
        let picture = picture.map_err(|error| error.to_string())?;
        let reading = engine.read(&picture).map_err(|error| error.to_string())?;
        let lines = reading.lines.into_iter().map(|it| SightLine {
            text: it.text,
            bounds: [it.bounds.left, it.bounds.top, it.bounds.right, it.bounds.bottom],
        });
        Ok(lines.collect())
    }
}
