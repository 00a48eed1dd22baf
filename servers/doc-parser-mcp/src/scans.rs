//! Scanned pages: rendered as images, read by OCR and put back in their place.

use std::sync::OnceLock;

use capability_documents::{Block, Bounds, Document, DocumentKind, Page, PageLine, PageSource, pdf};
use capability_kit::Work;
use capability_ocr::{OcrEngine, OcrError, OcrReading, OcrSettings, Picture};

use crate::arguments::Ocr;

/// Ten-point letters become thirty pixels high, which is enough for OCR.
const DPI: f32 = 200.0;
/// The remaining pages can be requested by number in another call.
const PAGES_MAX: usize = 40;

/// Reads scanned pages. What reads them is looked for with the first one.
pub(crate) struct ScanReader {
    settings: OcrSettings,
    engine: OnceLock<Result<OcrEngine, MissingEngine>>,
}

/// The reason why there is no OCR engine.
struct MissingEngine {
    message: String,
    hint: String,
}

impl ScanReader {
    pub(crate) fn new(settings: OcrSettings) -> Self {
        Self { settings, engine: OnceLock::new() }
    }

    /// Fills in pages that are pictures, or warns why not.
    pub(crate) fn fill_in(
        &self,
        document: &mut Document,
        bytes: &[u8],
        password: Option<&str>,
        ocr: Ocr,
        work: &Work,
    ) {
        let numbers = scanned(document);
        if numbers.is_empty() {
            return;
        }
        let which = pages_named(&numbers);
        if document.kind != DocumentKind::Pdf {
            document.warnings.push(format!("{which} of pictures, which were not read"));
            return;
        }
        if ocr == Ocr::Never {
            document.warnings.push(format!(
                "{which} of scans without text, which were not read; ocr: \"auto\" reads them"
            ));
            return;
        }
        match self.engine() {
            Ok(engine) => read_all(engine, document, bytes, password, &numbers, work),
            Err(MissingEngine { message, hint }) => {
                document
                    .warnings
                    .push(format!("{which} of scans without text, which were not read: {message} ({hint})"));
            }
        }
    }

    fn engine(&self) -> Result<&OcrEngine, &MissingEngine> {
        let found =
            self.engine.get_or_init(|| OcrEngine::find(&self.settings).map_err(|error| missing(&error)));
        found.as_ref()
    }
}

fn missing(error: &OcrError) -> MissingEngine {
    MissingEngine { message: error.to_string(), hint: error.hint().unwrap_or_default() }
}

/// Pages that show something but have no text.
pub(crate) fn scanned(document: &Document) -> Vec<u32> {
    let pages = document.pages.iter().filter(|page| page.source == PageSource::Picture);
    pages.map(|page| page.number).collect()
}

/// The warning if tables are requested and pages are pictures.
pub(crate) fn without_tables(document: &Document) -> Option<String> {
    let numbers = scanned(document);
    let which = pages_named(&numbers);
    (!numbers.is_empty()).then(|| format!("{which} of scans without text; tables in them are not found"))
}

/// `page 3 consists`, `pages 1-4, 9 consist`.
fn pages_named(numbers: &[u32]) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let spans = spans.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    let spans = spans.collect::<Vec<_>>().join(", ");
    if numbers.len() == 1 { format!("page {spans} consists") } else { format!("pages {spans} consist") }
}

fn read_all(
    engine: &OcrEngine,
    document: &mut Document,
    bytes: &[u8],
    password: Option<&str>,
    numbers: &[u32],
    work: &Work,
) {
    let total = numbers.len().min(PAGES_MAX);
    let mut warnings = Vec::new();
    let scans = document.pages.iter_mut().filter(|page| page.source == PageSource::Picture).take(PAGES_MAX);
    for (page, done) in scans.zip(0..) {
        work.progress(
            f64::from(done),
            total as f64,
            format!("reading page {} from its picture", page.number),
        );
        if let Err(why) = read_page(engine, page, bytes, password) {
            warnings.push(format!("page {} could not be read from its picture: {why}", page.number));
        }
    }
    if let Some(rest) = numbers.get(PAGES_MAX..).filter(|rest| !rest.is_empty()) {
        let which = pages_named(rest);
        warnings.push(format!(
            "{which} of scans that were not read: {PAGES_MAX} are read at a time; ask for them with `pages`"
        ));
    }
    document.warnings.append(&mut warnings);
}

fn read_page(
    engine: &OcrEngine,
    page: &mut Page,
    bytes: &[u8],
    password: Option<&str>,
) -> Result<(), String> {
    let drawn = pdf::render(bytes, page.number, DPI, password).map_err(|error| error.to_string())?;
    let scale = if drawn.width == 0 { 0.0 } else { page.width / drawn.width as f32 };
    let picture =
        Picture::from_rgb(drawn.width, drawn.height, drawn.rgb).map_err(|error| error.to_string())?;
    let reading = engine.read(&picture).map_err(|error| error.to_string())?;
    page.blocks = blocks(&reading);
    page.places.clear();
    page.lines = reading.lines.iter().map(|line| placed(line, scale)).collect();
    page.source = PageSource::Ocr;
    Ok(())
}

fn blocks(reading: &OcrReading) -> Vec<Block> {
    let text = reading.text();
    let paragraphs = text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| Block::Paragraph(paragraph.to_owned())).collect()
}

/// Pixels of the picture are points of the page again.
fn placed(line: &capability_ocr::TextLine, scale: f32) -> PageLine {
    let bounds = Bounds {
        left: line.bounds.left * scale,
        top: line.bounds.top * scale,
        right: line.bounds.right * scale,
        bottom: line.bounds.bottom * scale,
    };
    PageLine { text: line.text.clone(), bounds, size: bounds.bottom - bounds.top, bold: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_as_people_do() {
        assert_eq!(pages_named(&[3]), "page 3 consists");
        assert_eq!(pages_named(&[1, 2, 3, 7, 9, 10]), "pages 1-3, 7, 9-10 consist");
    }
}
