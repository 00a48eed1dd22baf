//! Citations of hits: the part of the source that the snippet shows, with its place on the page.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use docir::{Citation, DocIr, cite};
use engine_protocol::{ContentId, ItemSpan, PassageHit};
use futures_util::StreamExt as _;
use toolgate_documents::digest_of;

use super::found::FoundHit;
use crate::indexes::Indexes;
use crate::limits::{CITED_DOCUMENTS_MAX, DOCUMENTS_AT_ONCE, QUOTE_CHARS_MAX};

impl Indexes {
    /// Cites each hit, as far as its document can be read. A search without citations is better than none.
    pub(super) async fn cite_all(
        &self,
        mut hits: Vec<FoundHit>,
        warnings: &mut Vec<String>,
    ) -> Vec<FoundHit> {
        let mut of_document: BTreeMap<ContentId, Vec<usize>> = BTreeMap::new();
        for (at, found) in hits.iter().enumerate() {
            of_document.entry(found.hit.docir.clone()).or_default().push(at);
        }
        // The documents of the best hits come first, and the limit leaves out the last.
        let mut wanted: Vec<(ContentId, Vec<usize>)> = of_document.into_iter().collect();
        wanted.sort_by_key(|(_, at)| at.first().copied());
        wanted.truncate(CITED_DOCUMENTS_MAX);
        let read = |(id, at): (ContentId, Vec<usize>)| async move { (self.read_for_citing(&id).await, at) };
        let reading: Vec<_> = wanted.into_iter().map(read).collect();
        let mut reading = futures_util::stream::iter(reading).buffered(DOCUMENTS_AT_ONCE);
        while let Some((document, at)) = reading.next().await {
            let Some(document) = document else { continue };
            for at in at {
                hits[at].citation = citation(&document, &hits[at].hit);
            }
        }
        let uncited = hits.iter().filter(|found| found.citation.is_none()).count();
        if uncited > 0 {
            warnings.push(format!("{uncited} of the hits have no citation: their documents were not read"));
        }
        hits
    }

    async fn read_for_citing(&self, id: &ContentId) -> Option<Arc<DocIr>> {
        match self.docir(digest_of(id)).await {
            Ok(document) => Some(document),
            Err(refusal) => {
                tracing::debug!(docir = id.as_str(), %refusal, "a hit is not cited");
                None
            }
        }
    }
}

/// The place of a hit that its snippet shows. Without such a place, its first one.
fn citation(document: &DocIr, hit: &PassageHit) -> Option<Citation> {
    let shown = core_of(&hit.snippet.text);
    let within = |place: &ItemSpan| -> Option<Range<usize>> {
        let text = document.text(&place.item)?;
        quoted(&text, &span_of(place), shown)
    };
    let matching = hit.places.iter().find_map(|place| within(place).map(|span| (place, span)));
    let (place, span) = matching.or_else(|| {
        let first = hit.places.first()?;
        let span = span_of(first);
        Some((first, span.start..span.end.min(span.start.saturating_add(QUOTE_CHARS_MAX))))
    })?;
    cite(document, hit.artifact.as_str(), hit.docir.as_str(), &place.item, span)
}

fn span_of(place: &ItemSpan) -> Range<usize> {
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    at(place.start)..at(place.end)
}

/// A snippet without the signs of what was left out.
fn core_of(snippet: &str) -> &str {
    snippet.trim_matches(|one: char| one.is_whitespace() || one == '…' || one == '.')
}

/// The characters of an item's span that a snippet shows: all of it, or as much as lies in this item.
fn quoted(text: &str, span: &Range<usize>, shown: &str) -> Option<Range<usize>> {
    let characters: Vec<char> = text.chars().collect();
    let end = span.end.min(characters.len());
    let part: String = characters.get(span.start..end)?.iter().collect();
    let part = part.as_str();
    if shown.is_empty() {
        return None;
    }
    let chars_before = |bytes: usize| part[..bytes].chars().count();
    let (from, count) = if let Some(at) = part.find(shown) {
        (chars_before(at), shown.chars().count())
    } else if shown.contains(part.trim()) && !part.trim().is_empty() {
        (chars_before(part.find(part.trim())?), part.trim().chars().count())
    } else {
        // The snippet goes on in the next item: its beginning is the end of this one.
        let beginning: String = shown.chars().take(BEGINNING_CHARS).collect();
        let at = part.find(&beginning)?;
        (chars_before(at), part[at..].trim_end().chars().count())
    };
    let from = span.start + from;
    Some(from..from + count.min(QUOTE_CHARS_MAX))
}

/// Characters by which the beginning of a snippet is recognised.
const BEGINNING_CHARS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "Über allem: The tenant pays a deposit. The landlord returns it within sixty days after the end.";

    fn words(span: Range<usize>) -> String {
        TEXT.chars().skip(span.start).take(span.len()).collect()
    }

    #[test]
    fn the_quote_is_what_the_snippet_shows() {
        let all = 0..TEXT.chars().count();
        let span = quoted(TEXT, &all, core_of("… returns it within sixty days …")).expect("a quote");
        assert_eq!(words(span), "returns it within sixty days");
    }

    #[test]
    fn a_snippet_of_several_items_quotes_the_part_of_this_one() {
        let span = 12..38;
        let whole = quoted(TEXT, &span, "Heading. The tenant pays a deposit. More").expect("a quote");
        assert_eq!(words(whole), "The tenant pays a deposit.");
        let all = 0..TEXT.chars().count();
        let rest = quoted(TEXT, &all, "returns it within sixty days after the end. And another item.");
        assert_eq!(words(rest.expect("a quote")), "returns it within sixty days after the end.");
    }

    #[test]
    fn a_snippet_of_another_place_or_a_span_past_the_end_is_no_quote() {
        assert_eq!(quoted(TEXT, &(0..10), "something else altogether, and long"), None);
        assert_eq!(quoted(TEXT, &(5_000..5_010), "The tenant"), None);
        assert_eq!(quoted(TEXT, &(0..10), ""), None);
    }
}
