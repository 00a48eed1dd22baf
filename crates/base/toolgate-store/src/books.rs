//! The books of one gateway: its ledger and its approvals. Approvals and grants change in one transaction
//! with their ledger events, so concurrent changes still lead to exactly one outcome.

mod asking;
mod deciding;
pub(crate) mod events;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use toolgate_core::approval::{Approval, ApprovalState, Binding, Grant, WithdrawalReason};
use toolgate_core::event::{Durability, Event, EventKind, LedgerEntry};
use toolgate_core::governance::{
    Approvals, DecideError, DecidedApproval, Ledger, NewApproval, OpenedApproval, RecordedEnd, StartRefused,
    StoreDown, VoteSubmission, Warrant,
};
use toolgate_core::id::{ApprovalId, CallId, GrantId};
use toolgate_core::port::BoxFuture;
use toolgate_core::{CanonicalName, Digest, PrincipalId};

use crate::db::Transaction;
use crate::ledger::{self, LedgerWriter};
use crate::{Store, StoreError, StreamClaim};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BooksSettings {
    /// The ledger stream of this process: its own, and the same after a restart.
    pub stream: String,
    /// The time for which a call may use its approval.
    pub approved_valid: Duration,
    /// The groups to ask if no decision came in time and the gate escalates.
    pub escalate_to: Vec<String>,
}

/// Clones share everything.
#[derive(Clone)]
pub struct Books {
    inner: Arc<BooksInner>,
}

struct BooksInner {
    store: Store,
    writer: LedgerWriter,
    terms: Mutex<ApprovalTerms>,
}

/// The settings of approvals. They may change while people decide.
#[derive(Clone)]
struct ApprovalTerms {
    approved_valid: Duration,
    escalate_to: Vec<String>,
}

impl Store {
    /// Opens the books of this process.
    pub async fn books(&self, settings: BooksSettings) -> Result<Books, StoreError> {
        self.books_under(settings, None).await
    }

    /// The same for a stream that this process has claimed.
    pub async fn books_under(
        &self,
        settings: BooksSettings,
        claim: Option<Arc<StreamClaim>>,
    ) -> Result<Books, StoreError> {
        let writer = LedgerWriter::start_under(self, &settings.stream, claim).await?;
        let BooksSettings { approved_valid, escalate_to, .. } = settings;
        let terms = Mutex::new(ApprovalTerms { approved_valid, escalate_to });
        Ok(Books { inner: Arc::new(BooksInner { store: self.clone(), writer, terms }) })
    }
}

impl Books {
    pub fn writer(&self) -> &LedgerWriter {
        &self.inner.writer
    }

    /// Changes the settings of approvals from now on.
    pub fn set_approvals(&self, approved_valid: Duration, escalate_to: Vec<String>) {
        *self.inner.terms.lock() = ApprovalTerms { approved_valid, escalate_to };
    }

    /// The store behind them.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Starts a transaction that will be recorded.
    pub(crate) async fn begin(&self) -> Result<Transaction, sqlx::Error> {
        self.inner.begin().await
    }

    /// Commits it with its events, if it has any.
    pub(crate) async fn record(
        &self,
        transaction: Transaction,
        events: Vec<Event>,
    ) -> Result<(), sqlx::Error> {
        match events.is_empty() {
            true => transaction.commit().await,
            false => self.inner.record(transaction, events).await,
        }
    }

    /// Revokes a grant. `false` if there is no usable one.
    pub async fn revoke_grant(&self, id: &GrantId, by: &PrincipalId) -> Result<bool, StoreDown> {
        self.inner.revoke_grant(id, by).await.map_err(down("revoke a grant"))
    }

    /// Applies every timeout that is due, and returns what has changed.
    pub async fn expire_due(&self) -> Result<Vec<Approval>, StoreDown> {
        self.expire_due_at(crate::clock::now_ms()).await
    }

    /// The same for another moment.
    pub async fn expire_due_at(&self, now_ms: i64) -> Result<Vec<Approval>, StoreDown> {
        self.inner.expire_due(now_ms).await
    }
}

impl Ledger for Books {
    fn append(&self, entry: LedgerEntry) -> BoxFuture<'static, Result<(), StoreDown>> {
        self.inner.writer.append(entry)
    }

    fn start(&self, entry: LedgerEntry, warrant: Warrant) -> BoxFuture<'static, Result<(), StartRefused>> {
        self.inner.writer.start(entry, warrant)
    }

    fn is_up(&self) -> bool {
        self.inner.writer.is_up()
    }
}

impl Approvals for Books {
    fn open(&self, new: NewApproval) -> BoxFuture<'static, Result<OpenedApproval, StoreDown>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.open(new).await.map_err(down("ask for an approval")) })
    }

    fn find_open(&self, binding: &Binding) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>> {
        let (inner, binding) = (Arc::clone(&self.inner), binding.clone());
        Box::pin(async move {
            let found = inner.store.open_approval(&binding).await;
            found.map_err(|error| StoreDown(error.to_string()))
        })
    }

    fn get(&self, id: &ApprovalId) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>> {
        let (inner, id) = (Arc::clone(&self.inner), id.clone());
        Box::pin(
            async move { inner.store.get_approval(&id).await.map_err(|error| StoreDown(error.to_string())) },
        )
    }

    fn left(&self, id: &ApprovalId, state: ApprovalState) -> BoxFuture<'static, Approval> {
        let (inner, id) = (Arc::clone(&self.inner), id.clone());
        Box::pin(async move { inner.store.approval_left(&id, state).await })
    }

    fn decide(&self, decision: VoteSubmission) -> BoxFuture<'static, Result<DecidedApproval, DecideError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.decide(decision).await })
    }

    fn cancel(
        &self,
        id: &ApprovalId,
        by: &PrincipalId,
        why: WithdrawalReason,
    ) -> BoxFuture<'static, Result<(), DecideError>> {
        let (inner, id, by) = (Arc::clone(&self.inner), id.clone(), by.clone());
        Box::pin(async move { inner.cancel(&id, &by, why).await })
    }

    fn told(&self, id: &ApprovalId) -> BoxFuture<'static, Result<(), StoreDown>> {
        let (inner, id) = (Arc::clone(&self.inner), id.clone());
        Box::pin(async move { inner.told(&id).await.map_err(down("note that a decision was told")) })
    }

    fn end_of(&self, call: &CallId) -> BoxFuture<'static, Result<Option<RecordedEnd>, StoreDown>> {
        let (store, call) = (self.inner.store.clone(), call.clone());
        Box::pin(
            async move { recorded_end(&store, &call).await.map_err(|error| StoreDown(error.to_string())) },
        )
    }

    fn open_ones(&self, count_max: usize) -> BoxFuture<'static, Result<Vec<Approval>, StoreDown>> {
        let store = self.inner.store.clone();
        Box::pin(async move {
            store.open_approvals(count_max).await.map_err(|error| StoreDown(error.to_string()))
        })
    }

    fn grants(
        &self,
        principal: &PrincipalId,
        tool: &CanonicalName,
        tool_version: Digest,
    ) -> BoxFuture<'static, Result<Vec<Grant>, StoreDown>> {
        let (inner, principal, tool) = (Arc::clone(&self.inner), principal.clone(), tool.clone());
        Box::pin(async move {
            let live = inner.store.live_grants(&principal, &tool, tool_version).await;
            live.map_err(|error| StoreDown(error.to_string()))
        })
    }
}

impl BooksInner {
    /// Decisions of people survive a crash of the machine.
    async fn begin(&self) -> Result<Transaction, sqlx::Error> {
        self.store.db.begin(Durability::OnDisk).await
    }

    /// The ledger comes last: all writers wait for its head.
    async fn record(&self, mut transaction: Transaction, events: Vec<Event>) -> Result<(), sqlx::Error> {
        let entry = LedgerEntry { events, bodies: Vec::new(), durability: Durability::OnDisk };
        ledger::append_in(&mut transaction, self.writer.pen(), entry).await?;
        transaction.commit().await
    }

    fn terms(&self) -> ApprovalTerms {
        self.terms.lock().clone()
    }

    fn tenant(&self) -> &'static str {
        self.store.tenant
    }
}

async fn recorded_end(store: &Store, call: &CallId) -> Result<Option<RecordedEnd>, StoreError> {
    let events = store.ledger_call(call).await?;
    let Some(end) = events.iter().rev().find(|one| one.event.kind == EventKind::CallCompleted) else {
        return Ok(None);
    };
    let result = match end.event.output {
        Some(digest) => match store.ledger_body(&digest).await {
            Err(error @ StoreError::BodyChanged { .. }) => {
                tracing::error!(%error, "the result of an earlier call is not given");
                None
            }
            read => read?,
        },
        None => None,
    };
    Ok(end.event.outcome.map(|outcome| RecordedEnd { outcome, result }))
}

/// Names the attempted operation.
fn down(doing: &'static str) -> impl Fn(sqlx::Error) -> StoreDown {
    move |cause| {
        let why = StoreError::Query { doing, cause }.to_string();
        tracing::warn!("{why}");
        StoreDown(why)
    }
}
