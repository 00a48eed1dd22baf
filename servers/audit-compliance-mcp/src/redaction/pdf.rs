//! Redaction of a PDF.

use capability_documents::Bounds;
use capability_documents::pdf::{PlacedPage, placed_words, render};

use super::order::{Redacted, RedactedBox, RedactionError, RedactionOrder};
use super::pages::{PageCopier, is_plain};
use super::search::{extended, matches};
use super::{picture, verify};
use crate::cos::{PdfFile, PdfValue, write};

/// Pages of a file.
const PAGES_MAX: usize = 500;
/// Dots per inch of pages that become pictures.
const DPI: f32 = 150.0;

/// Matches of one page.
struct PageMatches {
    hidden: Vec<bool>,
    boxes: Vec<[f32; 4]>,
    count: usize,
}

/// Redacts a file and verifies the result. `tell` is called with each page and the number of pages.
pub fn pdf(
    bytes: &[u8],
    order: &RedactionOrder,
    tell: &dyn Fn(usize, usize),
) -> Result<Redacted, RedactionError> {
    if order.terms.is_empty() && order.kinds.is_empty() {
        return Err(RedactionError::Nothing);
    }
    let file = PdfFile::read(bytes).map_err(|error| RedactionError::Unreadable(error.to_string()))?;
    if file.is_encrypted() {
        return Err(RedactionError::Encrypted);
    }
    let numbers = file.pages();
    if numbers.len() > PAGES_MAX {
        return Err(RedactionError::TooLong(PAGES_MAX));
    }
    let placed = placed_words(bytes, None, PAGES_MAX)
        .map_err(|error| RedactionError::Unreadable(error.to_string()))?;
    if placed.len() != numbers.len() {
        return Err(RedactionError::Unreadable("the PDF is damaged: its pages cannot be counted".to_owned()));
    }
    let mut result = Redacted { pages: placed.len(), ..Redacted::default() };
    let mut copier = PageCopier::new(&file);
    let (font, tree) = (copier.add(picture::font()), copier.add(PdfValue::Null));
    let texts: Vec<String> = placed.iter().map(|page| page_text(page).0).collect();
    let order = extended(order, texts.iter().map(String::as_str));
    let mut pages = Vec::new();
    for (index, (placed, number)) in placed.iter().zip(&numbers).enumerate() {
        tell(index, numbers.len());
        let found = on_page(placed, &order);
        let page = file.objects.get(number).and_then(PdfValue::dict);
        if let Some(page) = page.filter(|page| found.boxes.is_empty() && is_plain(&file, page, placed)) {
            pages.push(copier.page(page, tree));
            continue;
        }
        pages.push(as_picture(bytes, placed, &found, &mut copier, (tree, font))?);
        result.pictures.push(placed.number);
        result.count += found.count;
        result
            .boxes
            .extend(found.boxes.iter().map(|bounds| RedactedBox { page: placed.number, bounds: *bounds }));
    }
    let (tree_node, catalogue) = picture::frame(&pages, tree);
    copier.objects.insert(tree, tree_node);
    let root = copier.add(catalogue);
    result.bytes = write(&copier.objects, root, "1.7");
    if let Some(left) = verify::in_pdf(&result.bytes, &order.terms, PAGES_MAX) {
        return Err(RedactionError::StillThere(left));
    }
    warn(&mut result, &placed);
    Ok(result)
}

/// Finds what has to go among the words of a page.
fn on_page(page: &PlacedPage, order: &RedactionOrder) -> PageMatches {
    let (text, spans) = page_text(page);
    let found = matches(&text, order);
    let is_hit =
        |span: &std::ops::Range<usize>| found.iter().any(|it| it.start < span.end && span.start < it.end);
    let hidden: Vec<bool> = spans.iter().map(is_hit).collect();
    let boxes =
        page.words.iter().zip(&hidden).filter(|(_, hit)| **hit).map(|(word, _)| sides(word.bounds)).collect();
    PageMatches { hidden, boxes, count: found.len() }
}

/// The text of a page, and the bytes of each word in it.
fn page_text(page: &PlacedPage) -> (String, Vec<std::ops::Range<usize>>) {
    let mut text = String::new();
    let mut spans = Vec::new();
    for word in &page.words {
        let from = text.len();
        text.push_str(&word.text);
        spans.push(from..text.len());
        text.push(if word.ends_line { '\n' } else { ' ' });
    }
    (text, spans)
}

fn sides(bounds: Bounds) -> [f32; 4] {
    let round = |value: f32| (value * 10.0).round() / 10.0;
    [round(bounds.left), round(bounds.top), round(bounds.right), round(bounds.bottom)]
}

fn as_picture(
    bytes: &[u8],
    placed: &PlacedPage,
    found: &PageMatches,
    copier: &mut PageCopier<'_>,
    (tree, font): (u32, u32),
) -> Result<u32, RedactionError> {
    let drawn = render(bytes, placed.number, DPI, None);
    let mut drawn = drawn.map_err(|error| RedactionError::Unreadable(error.to_string()))?;
    picture::paint(&mut drawn, placed, &found.boxes);
    let image = copier.add(picture::image(&drawn));
    let content = copier.add(picture::content(placed, &found.hidden));
    Ok(copier.add(picture::page(placed, tree, image, content, font)))
}

fn warn(result: &mut Redacted, placed: &[PlacedPage]) {
    let wordless = placed.iter().filter(|it| it.words.is_empty()).count();
    if wordless > 0 {
        result.warnings.push(format!(
            "{wordless} pages have no text that can be read: look at their pictures, which were not searched"
        ));
    }
    if result.count == 0 {
        result
            .warnings
            .push("nothing was found to redact; metadata, comments and attachments were removed".to_owned());
    }
}
