//! The common parts of stories about approvals: a call that needs approval, and people to ask.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::approval::{
    Approval, ApprovalRefusal, ApprovalState, Ballot, Binding, GrantTerms, NewVote, VoteChannel,
};
use toolgate_core::decision::{ApprovalRequirement, OnTimeout, PolicyRef, PolicyTemplate};
use toolgate_core::event::{
    Durability, Event, EventFilter, EventKind, EventSubject, LedgerEntry, Outcome, RecordedEvent,
};
use toolgate_core::governance::{
    Approvals, DecideError, DecidedApproval, Ledger, NewApproval, StartRefused, VoteSubmission, Warrant,
};
use toolgate_core::id::{ApprovalId, CallId};
use toolgate_core::scope::AgentName;
use toolgate_core::{
    CanonicalName, Digest, Principal, PrincipalId, PrincipalKind, RawJson, Role, ServerName,
};
use toolgate_store::{Books, BooksSettings, LedgerOrder, Store};

pub(crate) const TOOL: &str = "bank:transfer";
pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

pub(crate) fn settings(stream: &str) -> BooksSettings {
    BooksSettings { stream: stream.into(), approved_valid: HOUR, escalate_to: vec!["bosses".into()] }
}

/// The stream that stories are recorded in.
pub(crate) const STREAM: &str = "one";

pub(crate) async fn books(store: &Store) -> Books {
    store.books(settings(STREAM)).await.expect("the books open")
}

pub(crate) fn person(name: &str, groups: &[&str]) -> Principal {
    Principal {
        id: PrincipalId::new(name),
        kind: PrincipalKind::Human,
        role: Role::Approver,
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
    }
}

pub(crate) fn agent() -> Principal {
    Principal::new(PrincipalId::new("agent"), Role::Agent)
}

pub(crate) fn arguments(amount: u32) -> RawJson {
    serde_json::json!({ "amount": amount }).into()
}

pub(crate) fn digest(amount: u32) -> Digest {
    Digest::of(arguments(amount).as_str())
}

pub(crate) fn binding(amount: u32) -> Binding {
    Binding {
        principal: agent().id,
        tool: CanonicalName::recorded(TOOL),
        tool_version: Digest::of("tool 1"),
        proposed: digest(amount),
        policies: Digest::of("policy 1"),
    }
}

pub(crate) fn requirement() -> ApprovalRequirement {
    ApprovalRequirement {
        gates: vec![PolicyRef { id: "money".into(), reason: None, text: Digest::of("gate") }],
        approvers: vec![vec!["finance".into()]],
        quorum: 1,
        timeout_seconds: None,
        on_timeout: OnTimeout::Deny,
        editable: true,
        unattended: false,
        excluded: Vec::new(),
    }
}

pub(crate) fn call(id: &str) -> CallId {
    CallId::new(format!("tc_{id}"))
}

/// A transfer of this amount, proposed by the agent.
pub(crate) fn proposal(id: &str, amount: u32) -> NewApproval {
    NewApproval {
        call: call(id),
        binding: binding(amount),
        requester: agent(),
        arguments: arguments(amount),
        attachments: Vec::new(),
        credentials: Vec::new(),
        complete: true,
        requirement: requirement(),
        policy_version: Some(Digest::of("policy 1")),
        session: None,
        opened_by: None,
        agent: AgentName::new("payer").ok(),
        template: Some(PolicyTemplate::Regulated),
        run: None,
        task: Some("pay".into()),
        timeout: HOUR,
    }
}

pub(crate) fn deciding(id: &ApprovalId, voter: &str, ballot: Ballot) -> VoteSubmission {
    VoteSubmission {
        id: id.clone(),
        word: word(person(voter, &["finance"]), ballot),
        grant: None,
        via: "api".into(),
    }
}

/// The vote of a person who was shown the proposal.
pub(crate) fn word(voter: Principal, ballot: Ballot) -> NewVote {
    let reason = Some("because".into());
    NewVote { voter, standing: VoteChannel::Person, ballot, reason, shown: None, counts_as: None }
}

pub(crate) fn edit(amount: u32) -> Ballot {
    Ballot::Edit { arguments: arguments(amount), effective: digest(amount), requirement: requirement() }
}

pub(crate) fn terms(uses: Option<u32>) -> GrantTerms {
    GrantTerms { pins: Vec::new(), uses, expires_at_ms: i64::MAX }
}

pub(crate) async fn approve(books: &Books, id: &ApprovalId) -> Result<DecidedApproval, DecideError> {
    books.decide(deciding(id, "alice", Ballot::Approve)).await
}

pub(crate) async fn deny(books: &Books, id: &ApprovalId) -> Result<DecidedApproval, DecideError> {
    books.decide(deciding(id, "bob", Ballot::Deny)).await
}

fn about(id: &str) -> Arc<EventSubject> {
    Arc::new(EventSubject {
        call: Some(call(id)),
        tool: Some(CanonicalName::recorded(TOOL)),
        server: ServerName::new("bank").ok(),
        tool_version: Some(Digest::of("tool 1")),
        ..EventSubject::default()
    })
}

pub(crate) fn started(id: &str) -> LedgerEntry {
    let event = Event::new(EventKind::CallStarted, 1, agent().id, about(id));
    LedgerEntry { events: vec![event], bodies: Vec::new(), durability: Durability::OnDisk }
}

pub(crate) fn completed(id: &str) -> LedgerEntry {
    let mut event = Event::new(EventKind::CallCompleted, 2, agent().id, about(id));
    event.outcome = Some(Outcome::Succeeded);
    LedgerEntry { events: vec![event], bodies: Vec::new(), durability: Durability::Written }
}

pub(crate) fn warrant(approval: &Approval, id: &str) -> Warrant {
    Warrant::Approval {
        id: approval.id.clone(),
        binding: approval.binding.clone(),
        effective: approval.effective,
        call: call(id),
    }
}

/// Sends the call that an approval was given for.
pub(crate) async fn start(books: &Books, approval: &Approval, id: &str) -> Result<(), StartRefused> {
    books.start(started(id), warrant(approval, id)).await
}

pub(crate) fn settled(state: ApprovalState) -> DecideError {
    DecideError::Refused(ApprovalRefusal::Settled(state))
}

/// The whole ledger, oldest first, after it was proved.
pub(crate) async fn ledger(store: &Store) -> Vec<RecordedEvent> {
    let verified = store.verify_ledger(|_| ()).await.expect("the ledger can be read");
    assert_eq!(verified.fault, None);
    let mut all: Vec<RecordedEvent> = Vec::new();
    loop {
        let after = all.last().map(|recorded| recorded.position.clone());
        let page = store
            .ledger_page(&EventFilter::default(), after.as_ref(), 100, LedgerOrder::OldestFirst)
            .await
            .expect("read");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// The kinds of events so far.
pub(crate) async fn kinds(store: &Store) -> Vec<&'static str> {
    ledger(store).await.iter().map(|recorded| recorded.event.kind.as_str()).collect()
}
