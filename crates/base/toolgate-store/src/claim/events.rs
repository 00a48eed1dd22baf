//! The ledger events about claims. They name statements, quotations and rationales by digests: those may be anything.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::claim::{Claim, ClaimDecision, ClaimEvidence, ClaimType, EvidenceLocation};
use toolgate_core::event::{Event, EventKind, EventSubject};

use crate::file::Actor;

/// The step that changed a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClaimStep {
    Revised,
    Submitted,
    ReviewBegun,
}

impl ClaimStep {
    fn as_str(self) -> &'static str {
        match self {
            ClaimStep::Revised => "revised",
            ClaimStep::Submitted => "submitted",
            ClaimStep::ReviewBegun => "review_begun",
        }
    }
}

pub(super) fn type_changed(kind: &ClaimType, by: &Actor) -> Event {
    let options: Vec<&str> = kind.options.iter().map(|option| option.name.as_str()).collect();
    let detail = json!({ "name": kind.name, "version": kind.version, "options": options });
    event(EventKind::ClaimTypeChanged, by, kind.changed_at_ms, detail)
}

pub(super) fn created(claim: &Claim, by: &Actor) -> Event {
    let mut detail = about(claim);
    detail["type"] = json!(claim.kind);
    detail["severity"] = json!(claim.revision.severity);
    event(EventKind::ClaimCreated, by, claim.created_at_ms, detail)
}

pub(super) fn changed(claim: &Claim, step: ClaimStep, made_stale: bool, at_ms: i64, by: &Actor) -> Event {
    let mut detail = about(claim);
    detail["change"] = json!(step.as_str());
    detail["made_stale"] = json!(made_stale);
    event(EventKind::ClaimChanged, by, at_ms, detail)
}

pub(super) fn linked(claim: &Claim, evidence: &ClaimEvidence, made_stale: bool, by: &Actor) -> Event {
    let mut detail = about(claim);
    detail["evidence"] = json!(evidence.id);
    detail["type"] = json!(evidence.kind);
    detail["relationship"] = json!(evidence.relation);
    detail["strength"] = json!(evidence.strength);
    detail["standing"] = json!(evidence.standing);
    detail["evidence_digest"] = json!(evidence.digest);
    match &evidence.location {
        EvidenceLocation::Citation { artifact, .. } => detail["artifact"] = json!(artifact),
        EvidenceLocation::Run(run) => detail["run"] = json!(run),
        EvidenceLocation::Word => {}
    }
    detail["made_stale"] = json!(made_stale);
    event(EventKind::ClaimEvidenceLinked, by, evidence.at_ms, detail)
}

pub(super) fn decided(claim: &Claim, decision: &ClaimDecision, by: &Actor) -> Event {
    let mut detail = about(claim);
    detail["decision"] = json!(decision.number);
    detail["option"] = json!(decision.option);
    detail["type_version"] = json!(decision.type_version);
    detail["approvers"] = json!(decision.approvers);
    let mut event = event(EventKind::ClaimDecided, by, decision.at_ms, detail);
    event.approval = decision.approval.clone();
    event
}

pub(super) fn superseded(claim: &Claim, reason: Option<&str>, by: &Actor) -> Event {
    let mut detail = about(claim);
    detail["superseded_by"] = json!(claim.superseded_by);
    if let Some(reason) = reason {
        detail["reason"] = json!(reason);
    }
    event(EventKind::ClaimSuperseded, by, claim.state_since_ms, detail)
}

fn about(claim: &Claim) -> Value {
    json!({
        "claim": claim.id,
        "state": claim.state,
        "revision": claim.revision.number,
        "digest": claim.digest,
    })
}

fn event(kind: EventKind, by: &Actor, at_ms: i64, detail: Value) -> Event {
    let about = EventSubject {
        session: by.session.clone(),
        run: by.run.clone(),
        call: by.call.clone(),
        ..EventSubject::default()
    };
    let mut event = Event::new(kind, at_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
