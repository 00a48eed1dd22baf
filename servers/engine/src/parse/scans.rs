//! Pages whose text layer is thin: they are drawn and read by OCR if the tier asks for it, and named if not.

use capability_documents::{Bounds, Page, PageSource};
use capability_ocr::{OcrEngine, OcrSettings};
use engine_protocol::DocumentTier;

use super::ocr_text::{self, OcrBlocks};
use super::parsed::ParseTools;
use super::reading::{DrawPage, ReadFile, letters};

/// Ten-point letters become thirty pixels high, which is enough for OCR.
const DPI: f32 = 200.0;
/// Pages that are read from their pictures; the rest is named.
const OCR_PAGES_MAX: usize = 200;
/// A page with fewer letters of its own that a picture covers may say more in the picture.
const THIN_LETTERS_MAX: usize = 200;
/// The share of a page that such a picture covers.
const COVERED_SHARE_MIN: f32 = 0.4;
/// The letters of a picture are taken if they are so many times those of the page's own text.
const MORE_LETTERS_MIN: usize = 2;

/// Reads pages from their pictures.
struct PageReader {
    engine: OcrEngine,
}

/// Reads the thin pages of a file, or says why not.
pub(super) fn fill_in(read: &mut ReadFile, tier: DocumentTier, tools: &ParseTools, draw: DrawPage<'_>) {
    let thin = |page: &Page| match tier {
        DocumentTier::Fast | DocumentTier::Standard => page.source == PageSource::Picture,
        DocumentTier::Deep => is_thin(page),
    };
    let thin: Vec<usize> = (0..read.pages.len()).filter(|index| thin(&read.pages[*index])).collect();
    if thin.is_empty() {
        return;
    }
    if tier != DocumentTier::Deep {
        read.warn(&thin, "without text, which were not read; the tier `deep` reads them");
        return;
    }
    match PageReader::find(tools) {
        Ok(reader) => read_pages(read, &reader, &thin, draw),
        Err(why) => read.warn(&thin, &format!("without text, which were not read: {why}")),
    }
}

/// Names the pages of other formats that are pictures.
pub(super) fn warn_of_pictures(read: &mut ReadFile) {
    let pages = 0..read.pages.len();
    let pictures: Vec<usize> =
        pages.filter(|index| read.pages[*index].source == PageSource::Picture).collect();
    if !pictures.is_empty() {
        read.warn(&pictures, "without text, which were not read");
    }
}

fn read_pages(read: &mut ReadFile, reader: &PageReader, thin: &[usize], draw: DrawPage<'_>) {
    for &index in thin.iter().take(OCR_PAGES_MAX) {
        if let Err(why) = read.replace(index, reader, draw) {
            let number = read.pages[index].number;
            read.warnings.push(format!("page {number} could not be read from its picture: {why}"));
        }
    }
    if let Some(rest) = thin.get(OCR_PAGES_MAX..).filter(|rest| !rest.is_empty()) {
        read.warn(rest, &format!("without text, which were not read: {OCR_PAGES_MAX} of a document are"));
    }
}

fn is_thin(page: &Page) -> bool {
    let area = |bounds: &Bounds| (bounds.right - bounds.left) * (bounds.bottom - bounds.top);
    let page_area = (page.width * page.height).max(1.0);
    let covered: f32 = page.pictures.iter().map(area).sum::<f32>() / page_area;
    let has_few = || covered >= COVERED_SHARE_MIN && letters(page) < THIN_LETTERS_MAX;
    page.source == PageSource::Picture || page.source == PageSource::Text && has_few()
}

impl PageReader {
    fn find(tools: &ParseTools) -> Result<Self, String> {
        let Some(folder) = &tools.ocr else {
            return Err("the engine has no folder of models that read pictures".to_owned());
        };
        let settings = OcrSettings { models: Some(folder.clone()), ..OcrSettings::default() };
        let engine = OcrEngine::find(&settings).map_err(|error| error.to_string())?;
        Ok(Self { engine })
    }

    /// The text of a page's picture; none if the page itself says as much.
    fn read(&self, page: &Page, draw: DrawPage<'_>) -> Result<Option<OcrBlocks>, String> {
        let picture = draw(page.number, DPI)?;
        let scale = if picture.width() == 0 { 0.0 } else { page.width / picture.width() as f32 };
        let reading = self.engine.read(&picture).map_err(|error| error.to_string())?;
        let found = ocr_text::blocks(&reading.lines, scale);
        let says_more = found.letters >= MORE_LETTERS_MIN * letters(page).max(1);
        Ok(says_more.then_some(found))
    }
}

impl ReadFile {
    /// Puts what was read from a picture in the place of a page's own text.
    fn replace(&mut self, index: usize, reader: &PageReader, draw: DrawPage<'_>) -> Result<(), String> {
        let page = &mut self.pages[index];
        let Some(read) = reader.read(page, draw)? else { return Ok(()) };
        self.confidences.insert(page.number, read.confidences);
        page.blocks = read.blocks;
        page.places = read.places;
        page.furniture.clear();
        page.lines.clear();
        page.source = PageSource::Ocr;
        Ok(())
    }

    fn warn(&mut self, pages: &[usize], what: &str) {
        let numbers: Vec<u32> = pages.iter().map(|index| self.pages[*index].number).collect();
        self.warnings.push(format!("{} of pictures {what}", named(&numbers)));
    }
}

/// `page 3 consists`, `pages 1-4, 9 consist`.
fn named(numbers: &[u32]) -> String {
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
