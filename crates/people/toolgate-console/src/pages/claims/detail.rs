//! One claim: what it says, the evidence on the pages where it stands, and the decisions.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};

use super::data::{ClaimCaseData, ClaimData, ClaimRevisionData};
use super::{decisions, evidence};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, json, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let case: ClaimCaseData = visit.get(PageAddress::of(["claims", &id])).await?;
    let shown = evidence::all(&visit, &case.evidence).await;
    let claim = &case.claim;
    let actions = html! { (claim.badge()) a.button href="/console/claims" { "All claims" } };
    let body = html! {
        (parts::heading(html! { "Claim" }, actions))
        div.split {
            div {
                section.card #claim data-live="claim" aria-labelledby="claim-title" {
                    h2 #claim-title { "Statement" }
                    blockquote.cited { (text::long(&claim.statement)) }
                    @if let Some(counted) = &claim.quantification { (json::tree(counted)) }
                }
                section.card aria-labelledby="evidence-title" {
                    h2 #evidence-title { "Evidence" }
                    @if case.evidence.is_empty() { (no_evidence()) } @else { (shown) }
                }
            }
            div {
                section.card aria-labelledby="decisions-title" {
                    h2 #decisions-title { "Decisions" }
                    (decisions::all(&visit, &case.decisions))
                }
                section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(&visit, claim)) }
                @if case.revisions.len() > 1 { (revisions(&visit, &case.revisions)) }
            }
        }
    };
    Ok(visit.page("Claim", ConsolePage::Claims, body).await)
}

fn no_evidence() -> Markup {
    parts::empty(
        "There is no evidence yet.",
        html! { p { "Link evidence with " code { "claim.link_evidence" } ", which checks it." } },
    )
}

fn about(visit: &PageVisit, claim: &ClaimData) -> Markup {
    parts::facts([
        ("Id", parts::copyable(&claim.id)),
        ("Type", text::short(&claim.kind)),
        ("Severity", text::short(&claim.severity)),
        ("Source", html! { (text::short(&claim.source.replace('_', " "))) }),
        ("Revision", html! { (parts::number(claim.revision)) }),
        ("Digest", parts::copyable(&claim.digest)),
        ("Author", links::principal(&claim.created_by)),
        ("Created", ago(visit, &claim.created_at)),
        (
            "Superseded by",
            html! { @if let Some(other) = &claim.superseded_by { (links::id(other)) } @else { span.soft { "no other claim" } } },
        ),
    ])
}

fn revisions(visit: &PageVisit, revisions: &[ClaimRevisionData]) -> Markup {
    html! {
        section.card aria-labelledby="revisions-title" {
            h2 #revisions-title { "Revisions" }
            ol {
                @for one in revisions.iter().rev() {
                    li value=(one.number) {
                        (text::long(&one.statement))
                        div.help { (text::short(&one.severity)) ", " (links::principal(&one.by)) ", " (ago(visit, &one.at)) }
                    }
                }
            }
        }
    }
}
