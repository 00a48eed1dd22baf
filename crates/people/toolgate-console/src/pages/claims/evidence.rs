//! The evidence of a claim, for and against it: quotations are drawn on the pages where they stand.

use maud::{Markup, html};

use super::data::{ClaimEvidenceData, EvidencePlaceData};
use crate::address::PageAddress;
use crate::pages::citations::{CitationData, sight};
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, links, text};
use crate::visit::PageVisit;

/// Quotations that are drawn; the others are links.
const DRAWN_MAX: usize = 10;
const QUOTE_CHARS: usize = 2_000;

pub(super) async fn all(visit: &PageVisit, evidence: &[ClaimEvidenceData]) -> Markup {
    let (mut shown, mut drawn) = (Vec::with_capacity(evidence.len()), 0);
    for one in evidence {
        let on_page = match &one.citation {
            Some(place) if drawn < DRAWN_MAX => {
                drawn += 1;
                draw(visit, place).await
            }
            _ => None,
        };
        shown.push(entry(visit, one, on_page.as_ref()));
    }
    html! { @for one in shown { (one) } }
}

/// The page with the words marked. Those who may not read the document get none.
async fn draw(visit: &PageVisit, place: &EvidencePlaceData) -> Option<Markup> {
    let citation: Result<CitationData, _> = visit.get(address(PageAddress::of(["citations"]), place)).await;
    citation.ok().map(|citation| sight(&citation))
}

fn address(page: PageAddress, place: &EvidencePlaceData) -> PageAddress {
    page.with("artifact", &place.artifact)
        .with("docir", &place.docir)
        .with("item", &place.item)
        .with("start", place.start)
        .with("end", place.end)
}

fn entry(visit: &PageVisit, one: &ClaimEvidenceData, on_page: Option<&Markup>) -> Markup {
    html! {
        article.evidence data-entry=(one.id) aria-label=(format!("Evidence {}", one.number)) {
            h3 {
                (parts::number(one.number)) ". " (relation(&one.relationship)) " "
                (standing(&one.standing))
            }
            @if let Some(summary) = &one.summary { p { (text::long(summary)) } }
            @if let Some(place) = &one.citation { (quoted(place, on_page)) }
            @else if let Some(artifact) = &one.artifact { p { "Cites " (links::artifact(artifact)) } }
            @if let Some(run) = &one.run { p { "Calculated by " (links::id(run)) } }
            div.help {
                (text::short(&one.kind.replace('_', " "))) ", " (text::short(&one.strength)) ", linked by "
                (links::principal(&one.by)) " " (ago(visit, &one.at))
            }
        }
    }
}

fn quoted(place: &EvidencePlaceData, on_page: Option<&Markup>) -> Markup {
    html! {
        blockquote.cited { (text::cut(&place.quote.exact, QUOTE_CHARS)) }
        p { a href=(address(PageAddress::of(["console", "citations"]), place)) { "In its document" } }
        @if let Some(on_page) = on_page { details { summary { "On its page" } (on_page) } }
    }
}

fn relation(word: &str) -> Markup {
    let tone = match word {
        "supports" => BadgeTone::Good,
        "refutes" => BadgeTone::Bad,
        _ => BadgeTone::Plain,
    };
    parts::badge(word, tone)
}

fn standing(word: &str) -> Markup {
    let tone = match word {
        "verified" => BadgeTone::Good,
        "moved" => BadgeTone::Waiting,
        "absent" => BadgeTone::Bad,
        _ => BadgeTone::Plain,
    };
    parts::badge(word, tone)
}

#[cfg(test)]
mod tests {
    use super::super::data::EvidenceQuoteData;
    use super::*;

    #[test]
    fn hostile_words_stay_words_and_lead_to_their_place() {
        let place = EvidencePlaceData {
            artifact: "ab".to_owned(),
            docir: "cd".to_owned(),
            item: "#/texts/3".to_owned(),
            start: 1,
            end: 20,
            quote: EvidenceQuoteData { exact: "</blockquote><script>x()</script>".to_owned() },
        };
        let shown = quoted(&place, None).into_string();
        assert!(!shown.contains("<script"), "{shown}");
        assert!(shown.contains("/console/citations?artifact=ab&amp;docir=cd&amp;item=%23"), "{shown}");
    }

    #[test]
    fn evidence_against_a_claim_looks_different_from_evidence_for_it() {
        assert_ne!(relation("supports").into_string(), relation("refutes").into_string());
        assert!(relation("refutes").into_string().contains("refutes"), "colour alone says nothing");
    }
}
