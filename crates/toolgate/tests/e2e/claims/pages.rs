//! Claims in the console: the evidence on the page where it stands.

use serde_json::json;

use super::office::{ClaimOffice, decision, quoting};
use crate::console::plain::Visitor;
use crate::governed::database::Backing;
use crate::knowledge::lease_pdf;

#[tokio::test]
async fn a_claim_shows_its_evidence_on_the_page_it_stands_on() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let lines = ["The lease begins in May.", "The notice period of the lease is thirty days."];
    let lease = office.artifact("lease.pdf", &lease_pdf(&lines)).await;
    let claim = office.claim(json!({ "statement": "Notice is <b>thirty</b> days." })).await;
    let quote = "The notice period of the lease is thirty days.";
    office.done(&office.finder, "claim.link_evidence", quoting(&claim, &lease, quote)).await;
    office.done(&office.judge, "claim.decide", decision(&claim, "confirmed")).await;
    let visitor = Visitor::enters(&office.site.gateway, office.admin()).await;
    let list = visitor.get("/console/claims").await;
    assert_eq!(list.status, 200, "{list:?}");
    assert!(list.text.contains(&format!("/console/claims/{claim}")), "{}", list.text);
    let page = visitor.get(&format!("/console/claims/{claim}")).await;
    assert_eq!(page.status, 200, "{page:?}");
    for part in [
        "class=\"cited-page\"",
        "<rect class=\"cited\"",
        "supports",
        "verified",
        "confirmed",
        "/console/citations?",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert!(!page.text.contains("<b>thirty</b>") && !page.text.contains("style="), "{}", page.text);
    let approver = office.site.token("--role approver --principal ann --kind human");
    let judging = Visitor::enters(&office.site.gateway, &approver).await;
    let page = judging.get(&format!("/console/claims/{claim}")).await;
    assert!(page.text.contains("thirty days") && !page.text.contains("cited-page"), "{}", page.text);
    let auditor = office.site.token("--role auditor --principal eve");
    let auditing = Visitor::enters(&office.site.gateway, &auditor).await;
    let page = auditing.get(&format!("/console/claims/{claim}")).await;
    assert!(
        page.status == 200 && !page.text.contains(quote),
        "auditors do not read documents: {}",
        page.text
    );
    assert_eq!(visitor.get("/console/claims/clm_0").await.status, 404);
}
