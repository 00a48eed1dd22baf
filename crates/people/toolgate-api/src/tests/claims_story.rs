//! Claims over REST: those who judge them see them, and auditors without the words of documents.

use http::StatusCode;
use serde_json::json;
use toolgate_core::claim::{
    ClaimSeverity, ClaimSource, ClaimSourceKind, EvidenceKind, EvidenceLocation, EvidenceRelation,
    EvidenceStanding, EvidenceStrength, RevisionWords,
};
use toolgate_core::id::{ClaimId, EvidenceId, RunId};
use toolgate_core::{PrincipalId, Role};
use toolgate_store::{Actor, NewClaim, NewEvidence};

use super::file_kit::{agent, operator};
use super::gate::{Gate, approver, somebody};
use super::run_kit::told;

const NOW_MS: i64 = 1_790_000_000_000;

async fn claimed(gate: &Gate, id: &str, kind: &str) {
    let source = ClaimSource { kind: ClaimSourceKind::AiDetected, model: None, confidence: None };
    let words = RevisionWords {
        statement: "The rent is due.".to_owned(),
        severity: ClaimSeverity::High,
        source,
        quantification: None,
    };
    let (id, kind) = (ClaimId::new(id), kind.to_owned());
    let new = NewClaim { id: id.clone(), kind, words, is_submitted: true, at_ms: NOW_MS };
    let by = Actor::person(&PrincipalId::new("finder"));
    gate.books.create_claim(&new, &by).await.expect("created");
    let evidence = NewEvidence {
        id: EvidenceId::new(format!("evd_{id}")),
        claim: id,
        kind: EvidenceKind::Calculation,
        relation: EvidenceRelation::Refutes,
        strength: EvidenceStrength::Strong,
        summary: None,
        location: EvidenceLocation::Run(RunId::new("run_1")),
        standing: EvidenceStanding::Verified,
        at_ms: NOW_MS,
    };
    gate.books.link_evidence(&evidence, &by).await.expect("linked");
}

#[tokio::test]
async fn those_who_judge_claims_see_them_with_their_evidence() {
    let gate = Gate::open().await;
    claimed(&gate, "clm_1", "general").await;
    claimed(&gate, "clm_2", "breach").await;
    for who in [operator(), approver("ann"), somebody("eve", Role::Auditor)] {
        let shown = gate.get(&who, "/claims/clm_1").await.json();
        assert_eq!(
            (&shown["claim"]["state"], &shown["claim"]["type"]),
            (&json!("submitted"), &json!("general"))
        );
        let evidence = &shown["evidence"][0];
        assert_eq!(
            (&evidence["relationship"], &evidence["run"]),
            (&json!("refutes"), &json!("run_1")),
            "{shown}"
        );
        assert_eq!(shown["decisions"], json!([]));
    }
    let listed = gate.get(&operator(), "/claims?limit=1").await.json();
    let next = listed["next_cursor"].as_str().expect("there are more").to_owned();
    let rest = gate.get(&operator(), &format!("/claims?cursor={next}")).await.json();
    assert_ne!(listed["claims"][0]["id"], rest["claims"][0]["id"], "{rest}");
    let breaches = gate.get(&operator(), "/claims?type=breach&state=submitted").await.json();
    assert_eq!((&breaches["claims"][0]["id"], &breaches["claims"][1]), (&json!("clm_2"), &json!(null)));
}

#[tokio::test]
async fn what_is_no_claim_is_said_clearly() {
    let gate = Gate::open().await;
    assert_eq!(told(&gate.get(&operator(), "/claims/clm_9").await), (404, "unknown_claim".into()));
    for bad in ["/claims?state=open", "/claims?limit=0", "/claims?cursor=x"] {
        assert_eq!(gate.get(&operator(), bad).await.status, StatusCode::BAD_REQUEST, "{bad}");
    }
    assert_eq!(gate.get(&agent(), "/claims").await.status, StatusCode::FORBIDDEN, "agents have tools");
}
