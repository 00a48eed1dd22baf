//! The ledger's account of one approval, checked against the rules and against the approval itself.

use toolgate_core::approval::ApprovalState;
use toolgate_core::event::{EventKind, RecordedEvent};
use toolgate_core::id::ApprovalId;
use toolgate_store::Store;

use crate::desk::ledger;

/// The life of an approval as the ledger tells it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) states: Vec<ApprovalState>,
    pub(crate) votes: usize,
    /// Calls that were sent under it.
    pub(crate) sent: usize,
}

impl Trace {
    pub(crate) fn last(&self) -> Option<ApprovalState> {
        self.states.last().copied()
    }
}

/// Proves the ledger, follows one approval through it, and finds the approval itself where the ledger leaves it.
pub(crate) async fn trace(store: &Store, id: &ApprovalId) -> Trace {
    let all = ledger(store).await;
    let mut trace = Trace::default();
    let events = all.iter().filter(|one| one.event.approval.as_ref() == Some(id));
    for one in events {
        match one.event.kind {
            EventKind::ApprovalRequested => step(&mut trace, ApprovalState::Pending),
            EventKind::ApprovalVoted => trace.votes += 1,
            EventKind::ApprovalResolved => step(&mut trace, resolution(one)),
            EventKind::ApprovalConsumed => {
                step(&mut trace, ApprovalState::Used);
                trace.sent += starts_after(&all, one);
            }
            _ => {}
        }
    }
    let kept = store.get_approval(id).await.expect("read");
    assert_eq!(kept.map(|approval| approval.state), trace.last(), "{trace:?}");
    trace
}

fn step(trace: &mut Trace, to: ApprovalState) {
    use ApprovalState::{Approved, Cancelled, ChangesRequested, Denied, Expired, Lapsed, Pending, Used};
    let allowed: &[ApprovalState] = match trace.last() {
        None => &[Pending],
        Some(Pending) => &[Approved, Denied, ChangesRequested, Expired, Cancelled],
        Some(Approved) => &[Used, Lapsed],
        Some(_) => &[],
    };
    assert!(allowed.contains(&to), "{:?} → {to:?}", trace.states);
    trace.states.push(to);
}

fn resolution(one: &RecordedEvent) -> ApprovalState {
    let detail: serde_json::Value = one.event.detail.as_ref().expect("a detail").decode().expect("JSON");
    ApprovalState::parse(detail["state"].as_str().expect("a state")).expect("a known state")
}

/// The start directly follows the event that allowed it, in the same stream.
fn starts_after(all: &[RecordedEvent], consumed: &RecordedEvent) -> usize {
    let next = all
        .iter()
        .find(|one| one.stream == consumed.stream && one.number == consumed.number + 1)
        .expect("an approval is consumed together with the start of a call");
    assert_eq!(next.event.kind, EventKind::CallStarted);
    assert_eq!(next.event.about.call, consumed.event.about.call);
    1
}
