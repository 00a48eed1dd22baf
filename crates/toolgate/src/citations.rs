//! Citations for the API: a passage in its document, and pages as pictures.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use docir::{BodyItem, DocIr, ItemKind, Quad};
use engine_protocol::PagePicture;
use toolgate_api::{
    CitationBoxView, CitationItemView, CitationPageView, CitationPort, CitationView, CitedSpan,
    DrawnPageRequest,
};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, codes};
use toolgate_documents::{Documents, content_id};
use toolgate_engine::EngineLink;
use toolgate_store::Store;

use crate::drawn_pages::DrawnPages;

/// Items before and after the cited one.
const ITEMS_AROUND: usize = 20;
/// Characters of one item.
const ITEM_CHARS_MAX: usize = 8_000;
/// Characters before the cited ones, in an item that is cut.
const CHARS_BEFORE: usize = 2_000;

pub(crate) struct DocumentSights {
    pub(crate) store: Store,
    pub(crate) documents: Arc<Documents>,
    pub(crate) engine: Arc<EngineLink>,
    pub(crate) drawn: DrawnPages,
}

impl CitationPort for DocumentSights {
    fn citation<'a>(&'a self, span: &'a CitedSpan) -> BoxFuture<'a, Result<CitationView, Refusal>> {
        Box::pin(async move {
            self.check_pair(span).await?;
            let document = self.documents.docir(span.docir).await?;
            view(&document, span).ok_or_else(|| {
                let CitedSpan { item, start, end, .. } = span;
                unknown(format!("the document has no characters {start} to {end} of an item {item}"))
            })
        })
    }

    fn picture<'a>(&'a self, request: &'a DrawnPageRequest) -> BoxFuture<'a, Result<Bytes, Refusal>> {
        let page = PagePicture {
            artifact: content_id(request.artifact),
            media_type: Some(request.media_type.clone()),
            page: request.page,
            width: request.width,
        };
        Box::pin(async move {
            if let Some(known) = self.drawn.find(request) {
                return Ok(known);
            }
            let (_, picture) = self.engine.page_picture(page).await?;
            self.drawn.keep(request, &picture);
            Ok(picture)
        })
    }
}

impl DocumentSights {
    /// The rights to the document are rights to its own parsed form, and to no other.
    async fn check_pair(&self, span: &CitedSpan) -> Result<(), Refusal> {
        let parsed = self.store.parsed_document_of(&span.docir).await.map_err(|error| {
            tracing::warn!(%error, "a parsed document cannot be looked up");
            Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
        })?;
        match parsed.is_some_and(|parsed| parsed.artifact == span.artifact) {
            true => Ok(()),
            false => Err(unknown(format!("{} is no parsed form of {}", span.docir, span.artifact))),
        }
    }
}

fn unknown(message: String) -> Refusal {
    Refusal::new(&codes::UNKNOWN_CITATION, message)
}

/// The passage with what is around it. `None` if the document has no such place.
fn view(document: &DocIr, span: &CitedSpan) -> Option<CitationView> {
    let (artifact, docir) = (span.artifact.to_string(), span.docir.to_string());
    let citation = docir::cite(document, &artifact, &docir, &span.item, span.start..span.end)?;
    let items = document.items();
    let at = items.iter().position(|one| one.pointer == span.item);
    let (context, items_before, items_after) = match at {
        Some(at) => {
            let around = at.saturating_sub(ITEMS_AROUND)..items.len().min(at + ITEMS_AROUND + 1);
            let context = items[around.clone()].iter().map(|one| shown(one, span)).collect();
            (context, around.start, items.len() - around.end)
        }
        // Headers and footers stand apart from the text.
        None => {
            let text = document.text(&span.item)?;
            (vec![cited_item("paragraph", &text, span)], 0, 0)
        }
    };
    Some(CitationView {
        artifact,
        docir,
        item: span.item.clone(),
        start: span.start,
        end: span.end,
        title: document.title().map(str::to_owned),
        exact: citation.quote.exact,
        pages: pages(document, &citation.quads),
        context,
        items_before,
        items_after,
    })
}

/// The boxes by page. A page of unknown size cannot be drawn on.
fn pages(document: &DocIr, quads: &[Quad]) -> Vec<CitationPageView> {
    let mut boxes: BTreeMap<u32, Vec<CitationBoxView>> = BTreeMap::new();
    for quad in quads {
        let Quad { page, left, top, right, bottom } = *quad;
        if [left, top, right, bottom].iter().all(|one| one.is_finite()) {
            boxes.entry(page).or_default().push(CitationBoxView { left, top, right, bottom });
        }
    }
    let pages = boxes.into_iter().filter_map(|(page, boxes)| {
        let (width, height) =
            document.page_size(page).filter(|(width, height)| *width > 0.0 && *height > 0.0)?;
        (width.is_finite() && height.is_finite()).then_some(CitationPageView { page, width, height, boxes })
    });
    pages.collect()
}

fn shown(item: &BodyItem<'_>, span: &CitedSpan) -> CitationItemView {
    let kind = match item.kind {
        ItemKind::Heading { .. } => "heading",
        ItemKind::Paragraph => "paragraph",
        ItemKind::ListItem => "list_item",
        ItemKind::Code => "code",
        ItemKind::Table => "table",
        ItemKind::Picture => "picture",
        ItemKind::Caption => "caption",
    };
    match item.pointer == span.item {
        true => cited_item(kind, &item.text, span),
        false => {
            let text = item.text.chars().take(ITEM_CHARS_MAX).collect();
            CitationItemView { kind, text, start: None, end: None }
        }
    }
}

/// The cited item; of a long one, the part around the cited characters.
fn cited_item(kind: &'static str, text: &str, span: &CitedSpan) -> CitationItemView {
    let is_long = text.chars().nth(ITEM_CHARS_MAX).is_some();
    let from = if is_long { span.start.saturating_sub(CHARS_BEFORE) } else { 0 };
    let text: String = text.chars().skip(from).take(ITEM_CHARS_MAX).collect();
    CitationItemView { kind, text, start: Some(span.start - from), end: Some(span.end - from) }
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;

    use super::*;

    fn span(start: usize, end: usize) -> CitedSpan {
        let digest = Digest::of("a document");
        CitedSpan { artifact: digest, docir: digest, item: "#/texts/0".to_owned(), start, end }
    }

    #[test]
    fn a_short_item_is_shown_whole() {
        let shown = cited_item("paragraph", "Frist: dreißig Tage.", &span(7, 14));
        assert_eq!(
            (shown.text.as_str(), shown.start, shown.end),
            ("Frist: dreißig Tage.", Some(7), Some(14))
        );
    }

    #[test]
    fn a_long_item_is_shown_around_the_cited_characters() {
        let text = format!("{}cited{}", "ä".repeat(50_000), "b".repeat(50_000));
        let shown = cited_item("paragraph", &text, &span(50_000, 50_005));
        assert_eq!(shown.text.chars().count(), ITEM_CHARS_MAX);
        let (start, end) = (shown.start.expect("cited"), shown.end.expect("cited"));
        assert_eq!(shown.text.chars().skip(start).take(end - start).collect::<String>(), "cited");
    }
}
