//! Redaction of a PDF.

use capability_documents::Bounds;
use capability_documents::pdf::{PlacedPage, RenderedPage, placed_words, render};

use super::eyes::PictureEyes;
use super::order::{Redacted, RedactedBox, RedactionError, RedactionOrder};
use super::pages::{PageCopier, is_plain, needs_eyes};
use super::search::{extended, matches};
use super::sight::{self, PageSight};
use super::{picture, verify};
use crate::cos::{Dict, PdfFile, PdfValue, write};

/// Pages of a file.
const PAGES_MAX: usize = 500;
/// Dots per inch of pages that become pictures.
const DPI: f32 = 150.0;
/// Readings of a painted page.
const LOOKS_MAX: usize = 3;
/// Pages that have a warning of their own.
const WARNINGS_MAX: usize = 10;

/// Matches of one page.
struct PageMatches {
    hidden: Vec<bool>,
    boxes: Vec<[f32; 4]>,
    count: usize,
}

/// Redacts a file and verifies the result. `tell` is called with the steps
/// that are done and all steps: reading and writing each page.
pub fn pdf(
    bytes: &[u8],
    order: &RedactionOrder,
    eyes: &PictureEyes,
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
    let placed = placed_pages(bytes, numbers.len())?;
    let page_at = |index: usize| file.objects.get(&numbers[index]).and_then(PdfValue::dict);
    let needs = |index: usize| page_at(index).is_none_or(|it| needs_eyes(&file, it, &placed[index]));
    let sights = sight::look(bytes, &placed, &needs, eyes, tell);
    let mut texts: Vec<String> = placed.iter().map(|page| page_text(page).0).collect();
    texts.extend(sights.iter().map(PageSight::text));
    texts.iter().try_for_each(|text| order.check_length(text))?;
    let order = extended(order, texts.iter().map(String::as_str));
    let mut result = Redacted { pages: placed.len(), ..Redacted::default() };
    let mut copier = PageCopier::new(&file);
    let (font, tree) = (copier.add(picture::font()), copier.add(PdfValue::Null));
    let mut pages = Vec::new();
    for (index, (placed, sight)) in placed.iter().zip(&sights).enumerate() {
        tell(numbers.len() + index, numbers.len() * 2);
        let mut found = on_page(placed, &order);
        let shown = sight.matches(&order, &found.boxes);
        found.boxes.extend(&shown.boxes);
        found.count += shown.count;
        let is_kept = |page: &&Dict| found.boxes.is_empty() && is_plain(&file, page, placed);
        if let Some(page) = page_at(index).filter(is_kept) {
            pages.push(copier.page(page, tree));
            continue;
        }
        let check = (sight.is_read() && !shown.boxes.is_empty()).then_some((eyes, &order));
        pages.push(as_picture(bytes, placed, &found, check, &mut copier, (tree, font))?);
        result.add(placed.number, &found);
    }
    let (tree_node, catalogue) = picture::frame(&pages, tree);
    copier.objects.insert(tree, tree_node);
    let root = copier.add(catalogue);
    result.bytes = write(&copier.objects, root, "1.7");
    if let Some(left) = verify::in_pdf(&result.bytes, &order.terms, PAGES_MAX) {
        return Err(RedactionError::StillThere(left));
    }
    conclude(&mut result, &placed, &sights);
    Ok(result)
}

/// The words of all pages, as many as the file has.
fn placed_pages(bytes: &[u8], count: usize) -> Result<Vec<PlacedPage>, RedactionError> {
    if count > PAGES_MAX {
        return Err(RedactionError::TooLong(PAGES_MAX));
    }
    let placed = placed_words(bytes, None, PAGES_MAX)
        .map_err(|error| RedactionError::Unreadable(error.to_string()))?;
    if placed.len() != count {
        return Err(RedactionError::Unreadable("the PDF is damaged: its pages cannot be counted".to_owned()));
    }
    Ok(placed)
}

impl Redacted {
    /// A page that became a picture.
    fn add(&mut self, page: u32, found: &PageMatches) {
        self.pictures.push(page);
        self.count += found.count;
        self.boxes.extend(found.boxes.iter().map(|bounds| RedactedBox { page, bounds: *bounds }));
    }
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
    check: Option<(&PictureEyes, &RedactionOrder)>,
    copier: &mut PageCopier<'_>,
    (tree, font): (u32, u32),
) -> Result<u32, RedactionError> {
    let drawn = render(bytes, placed.number, DPI, None);
    let mut drawn = drawn.map_err(|error| RedactionError::Unreadable(error.to_string()))?;
    picture::paint(&mut drawn, placed, &found.boxes);
    if let Some((eyes, order)) = check {
        look_again(&mut drawn, placed, eyes, order)?;
    }
    let image = copier.add(picture::image(&drawn));
    let content = copier.add(picture::content(placed, &found.hidden));
    Ok(copier.add(picture::page(placed, tree, image, content, font)))
}

/// Reads a painted page once more. Lines that still show something become black as a whole.
fn look_again(
    drawn: &mut RenderedPage,
    placed: &PlacedPage,
    eyes: &PictureEyes,
    order: &RedactionOrder,
) -> Result<(), RedactionError> {
    let points = placed.width.max(1.0) / drawn.width.max(1) as f32;
    for _ in 0..LOOKS_MAX {
        let lines = eyes.read(drawn).map_err(RedactionError::Unreadable)?;
        let left = sight::still_seen(&lines, order);
        if left.is_empty() {
            return Ok(());
        }
        let boxes: Vec<[f32; 4]> = left.iter().map(|it| it.map(|side| side * points)).collect();
        picture::paint(drawn, placed, &boxes);
    }
    Err(RedactionError::StillThere(format!("something in the picture of page {}", placed.number)))
}

/// Says what could not be searched, and whether the result is verified.
fn conclude(result: &mut Redacted, placed: &[PlacedPage], sights: &[PageSight]) {
    let unread = placed.iter().zip(sights).filter_map(|(page, sight)| match sight {
        PageSight::Unread(why) => Some((page.number, why)),
        PageSight::Plain | PageSight::Read(..) => None,
    });
    for (page, why) in unread {
        result.unsearched.push(page);
        if result.unsearched.len() <= WARNINGS_MAX {
            let sentence =
                format!("page {page} shows pictures or letters that were not searched ({why}): look at it");
            result.warnings.push(sentence);
        }
    }
    let more = result.unsearched.len().saturating_sub(WARNINGS_MAX);
    if more > 0 {
        result.warnings.push(format!("{more} more pages were not searched either"));
    }
    result.is_verified = result.unsearched.is_empty();
    if result.count == 0 {
        result
            .warnings
            .push("nothing was found to redact; metadata, comments and attachments were removed".to_owned());
    }
}
