//! Checking a citation against a document: it stands where it says, or elsewhere, or nowhere.

use std::ops::Range;

use crate::citation::{Citation, Quote, slice};
use crate::model::{ContentLayer, DocIr};
use crate::normal::NormalText;

/// A shorter quotation, in letters, is not looked for elsewhere: it would be found by chance.
pub const QUOTE_LETTERS_MIN: usize = 12;
/// Other places of a quotation that are compared with its surroundings.
const PLACES_MAX: usize = 1_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CitationStanding {
    /// It says what the document says at this place.
    Verified,
    /// The document says it at one other place.
    Moved { item: String, start: usize, end: usize },
    /// The document does not say it, or says it at several places that the surroundings do not tell apart.
    Absent,
}

/// Compares a citation with a document. Blanks, ligatures, dashes, quotation marks and words broken over lines make no difference.
pub fn check(document: &DocIr, citation: &Citation) -> CitationStanding {
    let exact = NormalText::of(&citation.quote.exact);
    if exact.text.is_empty() {
        return CitationStanding::Absent;
    }
    if stands(document, citation, &exact) {
        return CitationStanding::Verified;
    }
    if exact.letters() < QUOTE_LETTERS_MIN {
        return CitationStanding::Absent;
    }
    elsewhere(document, &citation.quote, &exact)
}

/// The letters of a quotation as it is compared: a stretch of blanks is one, and what nobody sees is none.
pub fn quote_letters(exact: &str) -> usize {
    NormalText::of(exact).letters()
}

/// The number of places at which a document says something, up to a limit.
pub fn count_places(document: &DocIr, exact: &str) -> usize {
    let exact = NormalText::of(exact);
    if exact.text.is_empty() {
        return 0;
    }
    let texts = document
        .in_order()
        .filter(|node| node.layer() == ContentLayer::Body)
        .filter_map(|node| document.text(node.pointer()));
    let counts = texts.map(|text| NormalText::of(&text).text.matches(&exact.text).count());
    counts.fold(0, |sum, count| (sum + count).min(PLACES_MAX))
}

fn stands(document: &DocIr, citation: &Citation, exact: &NormalText) -> bool {
    let text = document.text(&citation.item);
    let there = text.as_deref().and_then(|text| slice(text, &(citation.start..citation.end)));
    there.is_some_and(|there| NormalText::of(there).text == exact.text)
}

/// A place where the quotation stands.
struct QuotePlace {
    item: String,
    span: Range<usize>,
    /// True if the text around it is that around the quotation.
    in_context: bool,
}

fn elsewhere(document: &DocIr, quote: &Quote, exact: &NormalText) -> CitationStanding {
    let context = QuoteContext::of(quote);
    let mut places: Vec<QuotePlace> = Vec::new();
    for node in document.in_order().filter(|node| node.layer() == ContentLayer::Body) {
        let Some(text) = document.text(node.pointer()) else { continue };
        let normal = NormalText::of(&text);
        for (byte, found) in normal.text.match_indices(&exact.text) {
            let bytes = byte..byte + found.len();
            let in_context = context.surrounds(&normal.text, &bytes);
            let Some(span) = normal.origin(bytes) else { continue };
            places.push(QuotePlace { item: node.pointer().to_owned(), span, in_context });
            if places.len() > PLACES_MAX {
                return CitationStanding::Absent;
            }
        }
    }
    if places.len() > 1 {
        places.retain(|place| place.in_context);
    }
    match places.pop() {
        Some(QuotePlace { item, span, .. }) if places.is_empty() => {
            CitationStanding::Moved { item, start: span.start, end: span.end }
        }
        _ => CitationStanding::Absent,
    }
}

/// The text around a quotation.
struct QuoteContext {
    prefix: String,
    suffix: String,
}

impl QuoteContext {
    fn of(quote: &Quote) -> Self {
        Self { prefix: NormalText::of(&quote.prefix).text, suffix: NormalText::of(&quote.suffix).text }
    }

    fn surrounds(&self, text: &str, bytes: &Range<usize>) -> bool {
        let says_anything = !self.prefix.is_empty() || !self.suffix.is_empty();
        let before = text[..bytes.start].trim_end();
        let after = text[bytes.end..].trim_start();
        says_anything && before.ends_with(&self.prefix) && after.starts_with(&self.suffix)
    }
}
