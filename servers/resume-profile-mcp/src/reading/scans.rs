//! Pages that are pictures, read with OCR. Without an engine, a warning is given and the page stays unread.

use capability_documents::{Bounds, Page, PageLine, PageSource, pdf};
use capability_ocr::{Break, OcrEngine, OcrSettings, Picture, TextLine};

use super::ResumeSource;

/// Fine enough for small print, coarse enough to be quick.
const DOTS_PER_INCH: f32 = 200.0;
const POINTS_PER_INCH: f32 = 72.0;
/// The ratio of the letter size to the height of its line.
const SIZE_OF_LINE: f32 = 0.75;

/// The permission to read pictures, and the engine.
pub enum ScanEngine {
    Open(Box<OcrEngine>),
    /// The caller does not want it.
    Closed,
    /// This machine has no OCR engine; the reason.
    Blind(String),
}

impl ScanEngine {
    pub fn find(settings: &OcrSettings) -> Self {
        match OcrEngine::find(settings) {
            Ok(engine) => Self::Open(Box::new(engine)),
            Err(why) => Self::Blind(why.to_string()),
        }
    }

    pub(super) fn read(&self, source: &ResumeSource<'_>, page: &Page) -> Result<Page, String> {
        match self {
            ScanEngine::Open(engine) => read(engine, source, page),
            ScanEngine::Closed => Err("reading pictures was not asked for (ocr)".to_owned()),
            ScanEngine::Blind(why) => Err(format!("this machine cannot read pictures ({why})")),
        }
    }
}

fn read(engine: &OcrEngine, source: &ResumeSource<'_>, page: &Page) -> Result<Page, String> {
    let drawn = pdf::render(source.bytes, page.number, DOTS_PER_INCH, source.password)
        .map_err(|error| error.to_string())?;
    let scale = page.height.max(1.0) / drawn.height as f32;
    let picture =
        Picture::from_rgb(drawn.width, drawn.height, drawn.rgb).map_err(|error| error.to_string())?;
    let reading = engine.read(&picture).map_err(|error| error.to_string())?;
    let scale = if page.height > 0.0 { scale } else { POINTS_PER_INCH / DOTS_PER_INCH };
    let mut lines: Vec<PageLine> = Vec::new();
    for piece in &reading.lines {
        match lines.last_mut() {
            Some(last) if piece.before == Break::Space => join(last, piece, scale),
            _ => lines.push(line(piece, scale)),
        }
    }
    Ok(Page { lines, source: PageSource::Ocr, ..page.clone() })
}

fn line(piece: &TextLine, scale: f32) -> PageLine {
    let bounds = scaled(piece, scale);
    PageLine {
        text: piece.text.clone(),
        size: (bounds.bottom - bounds.top) * SIZE_OF_LINE,
        bounds,
        bold: false,
    }
}

fn join(last: &mut PageLine, piece: &TextLine, scale: f32) {
    last.text.push(' ');
    last.text.push_str(&piece.text);
    let bounds = scaled(piece, scale);
    last.bounds.right = last.bounds.right.max(bounds.right);
    last.bounds.bottom = last.bounds.bottom.max(bounds.bottom);
}

fn scaled(piece: &TextLine, scale: f32) -> Bounds {
    let bounds = piece.bounds;
    Bounds {
        left: bounds.left * scale,
        top: bounds.top * scale,
        right: bounds.right * scale,
        bottom: bounds.bottom * scale,
    }
}
