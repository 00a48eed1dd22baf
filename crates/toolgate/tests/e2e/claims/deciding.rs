//! Decisions: never by the author, bound to the claim and its evidence, and by as many people as the type and the level of care ask for.

use serde_json::{Value, json};

use super::office::{ClaimOffice, LEASE, decision, quoting};
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(a_decision_holds_until_the_evidence_changes);

const DECIDE: &str = "claim.decide";

async fn a_decision_holds_until_the_evidence_changes(backing: Backing) {
    let office = ClaimOffice::open(backing, "standard");
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let claim = office.claim(json!({})).await;
    let begun = office.done(&office.judge, "claim.review", json!({ "claim_id": claim })).await;
    assert_eq!(begun["claim"]["state"], "under_review", "{begun:#}");
    let decided = office.done(&office.judge, DECIDE, decision(&claim, "confirmed")).await;
    assert_eq!(
        (&decided["claim"]["state"], &decided["decision"]["state"]),
        (&json!("decided"), &json!("current"))
    );
    assert_eq!(office.refused(&office.judge, DECIDE, decision(&claim, "rejected")).await, "claim_state");
    let linked = office
        .done(&office.finder, "claim.link_evidence", quoting(&claim, &lease, "Interest is due then."))
        .await;
    assert_eq!(linked["made_stale"], true, "{linked:#}");
    let shown = office.get(&claim).await;
    assert_eq!(
        (&shown["decisions"][0]["state"], &shown["decisions"][0]["option"]),
        (&json!("stale"), &json!("confirmed")),
        "it was right for what was known: {shown:#}"
    );
    let mut late = decision(&claim, "rejected");
    late["expected_digest"] = shown["decisions"][0]["digest"].clone();
    assert_eq!(office.refused(&office.judge, DECIDE, late).await, "claim_stale");
    let again = office.done(&office.judge, DECIDE, decision(&claim, "rejected")).await;
    assert_eq!(
        (&again["decision"]["number"], &again["claim"]["settled"]),
        (&json!(2), &json!(true)),
        "{again:#}"
    );
    assert_eq!(office.site.told("claim.decided").await.len(), 2);
}

#[tokio::test]
async fn the_author_of_a_claim_does_not_decide_on_it() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let claim = office.claim(json!({})).await;
    assert_eq!(office.refused(&office.finder, DECIDE, decision(&claim, "confirmed")).await, "own_claim");
    assert_eq!(
        office.refused(&office.finder, "claim.review", json!({ "claim_id": claim })).await,
        "own_claim"
    );
    let revise =
        json!({ "claim_id": claim, "expected_revision": 1, "statement": "The tenant owes nothing." });
    assert_eq!(office.refused(&office.judge, "claim.revise", revise.clone()).await, "not_your_claim");
    // Whoever revises a claim is an author of it.
    office.done(office.admin(), "claim.revise", revise.clone()).await;
    assert_eq!(office.refused(office.admin(), DECIDE, decision(&claim, "confirmed")).await, "own_claim");
    assert_eq!(office.refused(office.admin(), "claim.revise", revise).await, "claim_stale");
    office.done(&office.judge, DECIDE, decision(&claim, "confirmed")).await;
    let shown = office.get(&claim).await;
    assert_eq!(shown["revisions"][0]["statement"], "The tenant owes interest.", "it stays: {shown:#}");
}

#[tokio::test]
async fn care_decides_whether_people_are_asked() {
    for (level, expected) in
        [("exploratory", "succeeded"), ("standard", "succeeded"), ("regulated", "pending_approval")]
    {
        let office = ClaimOffice::open(Backing::Sqlite, level);
        let claim = office.claim(json!({})).await;
        let said = office.said(&office.judge, DECIDE, decision(&claim, "confirmed")).await.json();
        assert_eq!(said["status"], expected, "{level}: {said:#}");
    }
    let office = ClaimOffice::open(Backing::Sqlite, "audit_critical");
    let create = json!({ "statement": "The tenant owes interest.", "submit": true });
    let asked = office.said(&office.finder, "claim.create", create.clone()).await.json();
    office.site.say(&["approvals", "approve", text(&asked["approval_id"])]);
    let claim = office.done(&office.finder, "claim.create", create).await;
    office.asked(&office.judge, decision(text(&claim["claim"]["id"]), "confirmed")).await;
}

#[tokio::test]
async fn people_agree_to_the_claim_with_its_evidence_and_to_nothing_else() {
    let office = ClaimOffice::open(Backing::Sqlite, "regulated");
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let claim = office.claim(json!({})).await;
    office
        .done(&office.finder, "claim.link_evidence", quoting(&claim, &lease, "Interest is due then."))
        .await;
    let asked = office.asked(&office.judge, decision(&claim, "confirmed")).await;
    let path = format!("/approvals/{asked}/attachments/0");
    let words = office.site.rest(office.admin(), "GET", &path, None).await.text;
    for part in [
        "The tenant owes interest.",
        "resolved as: confirmed",
        "\"Interest is due then.\"",
        "verified",
        &lease,
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    office.site.say(&["approvals", "approve", &asked]);
    let other = quoting(&claim, &lease, "Silence means consent.");
    office.done(&office.finder, "claim.link_evidence", other).await;
    let again = office.asked(&office.judge, decision(&claim, "confirmed")).await;
    assert_ne!(again, asked, "the yes was for other evidence");
    office.site.say(&["approvals", "approve", &again]);
    let decided = office.done(&office.judge, DECIDE, decision(&claim, "confirmed")).await;
    assert_eq!(decided["decision"]["approval"], json!(again), "{decided:#}");
    assert_eq!(decided["decision"]["approvers"], json!(["local"]), "{decided:#}");
}

/// A breach is confirmed by the group risk; a critical one by two people, one of them of the board.
fn breach() -> Value {
    json!({ "name": "breach", "options": [
        { "name": "confirmed", "requires_approval": true, "approval_roles": ["risk"] },
        { "name": "rejected" },
    ], "escalation": [{ "severity": "critical", "approval_roles": ["board"], "quorum": 2 }] })
}

#[tokio::test]
async fn the_type_of_a_claim_says_who_must_agree() {
    let office = ClaimOffice::open(Backing::Sqlite, "exploratory");
    let put = office.done(office.admin(), "claim.type.put", breach()).await;
    assert_eq!((&put["type"]["version"], &put["is_duplicate"]), (&json!(1), &json!(false)), "{put:#}");
    assert_eq!(office.done(office.admin(), "claim.type.put", breach()).await["is_duplicate"], true);
    let agents = office.said(&office.finder, "claim.type.put", breach()).await;
    assert!(agents.status >= 400, "operators say it: {agents:?}");
    let person = |name: &str, group: &str| {
        office.site.token(&format!("--role approver --principal {name} --group {group} --kind human"))
    };
    let (ann, ben) = (person("ann", "risk"), person("ben", "board"));
    let light = office.claim(json!({ "type": "breach" })).await;
    let asked = office.asked(&office.judge, decision(&light, "confirmed")).await;
    assert_eq!(office.votes(&ben, &asked).await.status, 403, "he is not of the group");
    assert_eq!(office.votes(&ann, &asked).await.status, 200);
    let decided = office.done(&office.judge, DECIDE, decision(&light, "confirmed")).await;
    assert_eq!(decided["decision"]["approvers"], json!(["ann"]), "{decided:#}");
    let heavy = office.claim(json!({ "type": "breach", "severity": "critical" })).await;
    let asked = office.asked(&office.judge, decision(&heavy, "confirmed")).await;
    office.votes(&ann, &asked).await;
    let still = office.site.get(&format!("/approvals/{asked}")).await;
    assert_eq!(still["state"], "pending", "one is not enough: {still:#}");
    assert_eq!(office.votes(&ben, &asked).await.status, 200);
    let decided = office.done(&office.judge, DECIDE, decision(&heavy, "confirmed")).await;
    assert_eq!(decided["decision"]["approvers"], json!(["ann", "ben"]), "{decided:#}");
    let plain = office.claim(json!({ "type": "breach" })).await;
    office.done(&office.judge, DECIDE, decision(&plain, "rejected")).await;
    assert_eq!(office.refused(&office.judge, DECIDE, decision(&plain, "maybe")).await, "claim_state");
}

#[tokio::test]
async fn the_author_does_not_agree_to_the_decision_either() {
    let office = ClaimOffice::open(Backing::Sqlite, "regulated");
    let claim = office.claim(json!({})).await;
    let ann = office.site.token("--role admin --principal ann --kind human");
    let revise = json!({ "claim_id": claim, "expected_revision": 1, "severity": "high" });
    office.done(&ann, "claim.revise", revise).await;
    let asked = office.asked(&office.judge, decision(&claim, "confirmed")).await;
    let own = office.votes(&ann, &asked).await;
    assert_eq!((own.status, text(&own.json()["code"])), (403, "approval_excluded"), "{own:?}");
    office.site.say(&["approvals", "approve", &asked]);
    office.done(&office.judge, DECIDE, decision(&claim, "confirmed")).await;
}

#[tokio::test]
async fn a_claim_goes_through_its_states_and_gives_way_to_another() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let draft = office.claim(json!({ "submit": false, "quantification": { "amount": 12 } })).await;
    assert_eq!(office.refused(&office.judge, DECIDE, decision(&draft, "confirmed")).await, "claim_state");
    let submit = json!({ "claim_id": draft, "expected_revision": 1, "submit": true });
    let submitted = office.done(&office.finder, "claim.revise", submit).await;
    assert_eq!(submitted["claim"]["state"], "submitted", "{submitted:#}");
    assert_eq!(office.refused(&office.judge, DECIDE, decision(&draft, "maybe")).await, "unknown_claim_type");
    let better = office.claim(json!({ "statement": "The tenant owes twelve euros." })).await;
    let supersede = json!({ "claim_id": draft, "superseded_by": better, "reason": "said better" });
    assert_eq!(office.refused(&office.judge, "claim.supersede", supersede.clone()).await, "not_your_claim");
    let gone = office.done(&office.finder, "claim.supersede", supersede.clone()).await;
    assert_eq!(gone["claim"]["superseded_by"], json!(better), "{gone:#}");
    assert_eq!(office.refused(&office.finder, "claim.supersede", supersede).await, "claim_state");
    let itself = json!({ "claim_id": better, "superseded_by": better });
    assert_eq!(office.refused(&office.finder, "claim.supersede", itself).await, "invalid_arguments");
    let listed = office.done(&office.judge, "claim.list", json!({ "state": "superseded" })).await;
    assert_eq!(listed["claims"][0]["id"], json!(draft), "{listed:#}");
    let told = office.site.say(&["claim", "get", "--claim-id", &better]);
    assert!(told.contains("twelve euros"), "{told}");
    for bad in [json!({ "statement": "  " }), json!({ "statement": "a", "type": "nothing" })] {
        office.refused(&office.finder, "claim.create", bad).await;
    }
}
