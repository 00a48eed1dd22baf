//! Evidence is checked when it is linked: words that stand nowhere or at several places are refused.

use serde_json::{Value, json};

use super::office::{ClaimOffice, LEASE, quoting};
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(words_of_a_plain_text_are_evidence_and_stay);

const LINK: &str = "claim.link_evidence";

async fn words_of_a_plain_text_are_evidence_and_stay(backing: Backing) {
    let office = ClaimOffice::open(backing, "standard");
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let claim = office.claim(json!({})).await;
    let linked = office.done(&office.finder, LINK, quoting(&claim, &lease, "Interest is due then.")).await;
    let evidence = &linked["evidence"];
    assert_eq!(
        (&evidence["standing"], &linked["is_duplicate"]),
        (&json!("verified"), &json!(false)),
        "{linked:#}"
    );
    assert_eq!(evidence["citation"]["quote"]["exact"], "Interest is due then.", "{linked:#}");
    let again = office.done(&office.finder, LINK, quoting(&claim, &lease, "Interest is  due\nthen.")).await;
    assert_eq!(
        (&again["is_duplicate"], &again["evidence"]["id"]),
        (&json!(true), &evidence["id"]),
        "{again:#}"
    );
    let mut against = quoting(&claim, &lease, "The \"deposit\" is two monthly rents.");
    against["relationship"] = json!("refutes");
    office.done(&office.judge, LINK, against).await;
    let shown = office.get(&claim).await;
    let all: Vec<(&str, &str)> = shown["evidence"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (text(&one["relationship"]), text(&one["standing_now"])))
        .collect();
    assert_eq!(all, [("supports", "verified"), ("refutes", "verified")], "{shown:#}");
    assert_eq!(office.site.told("claim.evidence.linked").await.len(), 2);
    office.site.say(&["ledger", "verify"]);
}

#[tokio::test]
async fn words_that_stand_twice_are_told_apart_or_refused() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let claim = office.claim(json!({})).await;
    let twice = quoting(&claim, &lease, "within thirty days after the notice");
    assert_eq!(office.refused(&office.finder, LINK, twice.clone()).await, "evidence_ambiguous");
    let mut told = twice;
    told["citation"]["quote"]["prefix"] = json!("The landlord answers ");
    told["citation"]["quote"]["suffix"] = json!(". Silence");
    let linked = office.done(&office.finder, LINK, told).await;
    let around = &linked["evidence"]["citation"]["quote"]["prefix"];
    assert!(text(around).ends_with("The landlord answers "), "{linked:#}");
}

#[tokio::test]
async fn words_that_moved_are_found_and_words_that_stand_nowhere_are_refused() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let claim = office.claim(json!({})).await;
    let first = office.done(&office.finder, LINK, quoting(&claim, &lease, "Interest is due then.")).await;
    let place = &first["evidence"]["citation"];
    let mut elsewhere = quoting(&claim, &lease, "Silence means consent.");
    for key in ["docir", "item", "start", "end"] {
        elsewhere["citation"][key] = place[key].clone();
    }
    let moved = office.done(&office.finder, LINK, elsewhere).await;
    assert_eq!(moved["evidence"]["standing"], "moved", "{moved:#}");
    assert_eq!(moved["evidence"]["citation"]["quote"]["exact"], "Silence means consent.", "{moved:#}");
    for (exact, code) in [
        ("The tenant never pays anything.", "evidence_absent"),
        ("in May.", "invalid_arguments"),
        ("   \n  ", "invalid_arguments"),
    ] {
        assert_eq!(
            office.refused(&office.finder, LINK, quoting(&claim, &lease, exact)).await,
            code,
            "{exact:?}"
        );
    }
    assert_eq!(office.get(&claim).await["claim"]["evidence_count"], 2, "what was refused is not kept");
}

#[tokio::test]
async fn a_calculation_is_a_run_that_ended_well() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let claim = office.claim(json!({})).await;
    let created = office.done(office.admin(), "run.create", json!({ "run_type": "interest" })).await;
    let of = |run: &Value| json!({ "claim_id": claim, "type": "calculation", "relationship": "supports", "run": run });
    let early = office.refused(office.admin(), LINK, of(&created["id"])).await;
    assert_eq!(early, "evidence_run", "it has not ended");
    office.done(office.admin(), "run.start", json!({ "run_id": created["id"] })).await;
    let result = json!({ "run_id": created["id"], "result": { "interest": 12 } });
    office.done(office.admin(), "run.complete", result).await;
    let linked = office.done(office.admin(), LINK, of(&created["id"])).await;
    assert_eq!(
        (&linked["evidence"]["run"], &linked["evidence"]["standing"]),
        (&created["id"], &json!("verified"))
    );
    assert_eq!(office.refused(&office.finder, LINK, of(&created["id"])).await, "unknown_run", "not theirs");
    let nothing = json!({ "claim_id": claim, "type": "calculation", "relationship": "supports" });
    assert_eq!(office.refused(office.admin(), LINK, nothing).await, "invalid_arguments");
}

#[tokio::test]
async fn what_cites_nothing_is_somebodys_word_or_refused() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let claim = office.claim(json!({})).await;
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let mut bare = json!({ "claim_id": claim, "type": "expert_opinion", "relationship": "context" });
    assert_eq!(office.refused(&office.judge, LINK, bare.clone()).await, "invalid_arguments");
    bare["summary"] = json!("Such clauses are usual.");
    let said = office.done(&office.judge, LINK, bare.clone()).await;
    assert_eq!(said["evidence"]["standing"], "stated", "it was not checked: {said:#}");
    bare["type"] = json!("document");
    assert_eq!(office.refused(&office.judge, LINK, bare).await, "invalid_arguments");
    let mut foreign = quoting(&claim, &lease, "Interest is due then.");
    foreign["citation"]["docir"] = json!(lease);
    assert_eq!(office.refused(&office.judge, LINK, foreign).await, "unknown_citation");
    let nowhere = quoting(&claim, &format!("sha256:{}", "0".repeat(64)), "Interest is due then.");
    assert_eq!(office.refused(&office.judge, LINK, nowhere).await, "unknown_artifact");
    let nobodys = quoting("clm_0", &lease, "Interest is due then.");
    assert_eq!(office.refused(&office.judge, LINK, nobodys).await, "unknown_claim");
}
