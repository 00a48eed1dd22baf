//! The requests in progress on one connection: the waiter for each answer, and the possible receivers of a
//! server's question.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{AskKind, Caller, ServerError};
use toolgate_core::{PrincipalId, RawJson};

use crate::deadline::Deadline;

pub(crate) type ServerAnswer = Result<RawJson, ServerError>;
/// Hears the notifications of one subscription: method and params.
pub(crate) type NotificationListener = Arc<dyn Fn(&str, RawJson) + Send + Sync>;

#[derive(Default)]
pub(crate) struct PendingRequests {
    /// The principal of the connection; `None` if it is shared.
    owner: Option<PrincipalId>,
    next_id: AtomicU64,
    table: Mutex<PendingTable>,
}

#[derive(Default)]
struct PendingTable {
    /// Ordered by id, so the newest is the last.
    waiting: BTreeMap<u64, PendingRequest>,
    /// Questions of the server that are being answered, by the id the server gave them.
    questions: BTreeMap<String, CancellationToken>,
    /// Set once the connection has ended; nothing may wait any more.
    closed: Option<ServerError>,
}

struct PendingRequest {
    caller: Option<Arc<dyn Caller>>,
    deadline: Option<Arc<Deadline>>,
    /// Taken when the answer has arrived.
    answer: Option<oneshot::Sender<ServerAnswer>>,
    listener: Option<NotificationListener>,
    /// Cancelled when the request ends. Created with the first question to its caller.
    ended: Option<CancellationToken>,
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if let Some(ended) = &self.ended {
            ended.cancel();
        }
    }
}

/// The client that may be asked on a connection that several requests share.
pub(crate) enum Respondent {
    /// The caller of the newest request of the only active client.
    Caller(AskedCaller),
    /// Nothing is in progress.
    NoCaller,
    /// The only active client cannot answer.
    Unable,
    /// Several clients could be meant, whether they can answer or not.
    Ambiguous,
}

/// A caller to ask, while its request lasts.
pub(crate) struct AskedCaller {
    pub(crate) caller: Arc<dyn Caller>,
    pub(crate) deadline: Option<Arc<Deadline>>,
    pub(crate) ended: CancellationToken,
}

/// The receivers of a log message on a shared connection.
pub(crate) enum LogAudience {
    Callers(Vec<Arc<dyn Caller>>),
    NoCaller,
    Ambiguous,
}

impl PendingRequests {
    pub(crate) fn of(owner: Option<PrincipalId>) -> Arc<Self> {
        Arc::new(Self { owner, ..Self::default() })
    }

    pub(crate) fn owner(&self) -> Option<&PrincipalId> {
        self.owner.as_ref()
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A request whose answer comes through this table.
    pub(crate) fn expect(
        self: &Arc<Self>,
        id: u64,
        caller: Option<Arc<dyn Caller>>,
        deadline: Option<Arc<Deadline>>,
        listener: Option<NotificationListener>,
    ) -> Result<(RequestTicket, oneshot::Receiver<ServerAnswer>), ServerError> {
        let (sender, receiver) = oneshot::channel();
        let ticket =
            self.enter(id, PendingRequest { caller, deadline, answer: Some(sender), listener, ended: None })?;
        Ok((ticket, receiver))
    }

    fn enter(self: &Arc<Self>, id: u64, waiting: PendingRequest) -> Result<RequestTicket, ServerError> {
        let mut table = self.table();
        if let Some(error) = &table.closed {
            return Err(error.clone());
        }
        table.waiting.insert(id, waiting);
        Ok(RequestTicket { pending: self.clone(), id })
    }

    /// Hands an answer to its waiter. `false` if there is none.
    pub(crate) fn settle(&self, id: u64, answer: ServerAnswer) -> bool {
        let waiting = self.table().waiting.remove(&id);
        let sender = waiting.and_then(|mut waiting| waiting.answer.take());
        sender.is_some_and(|sender| sender.send(answer).is_ok())
    }

    /// Fails everything in progress; later requests fail with `later`.
    pub(crate) fn close(&self, error: &ServerError, later: ServerError) {
        let (ended, questions) = {
            let mut table = self.table();
            table.closed.get_or_insert(later);
            (std::mem::take(&mut table.waiting), std::mem::take(&mut table.questions))
        };
        fail(ended, error);
        questions.into_values().for_each(|withdrawn| withdrawn.cancel());
    }

    /// Fails everything in progress, and continues.
    pub(crate) fn fail_all(&self, error: &ServerError) {
        let ended = std::mem::take(&mut self.table().waiting);
        fail(ended, error);
    }

    /// Fails the only request in progress. `false` if there is none or more than one; subscriptions do not
    /// count.
    pub(crate) fn fail_only(&self, error: &ServerError) -> bool {
        let only = {
            let mut table = self.table();
            let mut calls = table.waiting.iter().filter(|(_, waiting)| waiting.listener.is_none());
            match (calls.next().map(|(id, _)| *id), calls.next()) {
                (Some(id), None) => table.waiting.remove_entry(&id),
                _ => None,
            }
        };
        let found = only.is_some();
        fail(only.into_iter().collect(), error);
        found
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.table().waiting.is_empty()
    }

    /// The caller of one of our progress tokens, if it wants progress.
    pub(crate) fn caller_of(&self, id: u64) -> Option<Arc<dyn Caller>> {
        let caller = self.table().waiting.get(&id)?.caller.clone()?;
        caller.wants_progress().then_some(caller)
    }

    pub(crate) fn listener_of(&self, id: u64) -> Option<NotificationListener> {
        self.table().waiting.get(&id)?.listener.clone()
    }

    pub(crate) fn respondent(&self, kind: AskKind) -> Respondent {
        let mut table = self.table();
        let under_way =
            table.waiting.iter().filter_map(|(id, waiting)| Some((*id, waiting.caller.as_ref()?)));
        let Some((id, caller)) = under_way.clone().next_back().map(|(id, caller)| (id, caller.clone()))
        else {
            return Respondent::NoCaller;
        };
        // A client that cannot answer counts too: servers ask regardless of the declared capabilities, and
        // another client's answer would be taken for this one's.
        if under_way.into_iter().any(|(_, other)| other.client() != caller.client()) {
            return Respondent::Ambiguous;
        }
        if !caller.can_answer(kind) {
            return Respondent::Unable;
        }
        let waiting = table.waiting.get_mut(&id).expect("it was found under the same lock");
        let ended = waiting.ended.get_or_insert_default().clone();
        Respondent::Caller(AskedCaller { caller, deadline: waiting.deadline.clone(), ended })
    }

    pub(crate) fn audience(&self) -> LogAudience {
        let table = self.table();
        let mut callers: Vec<Arc<dyn Caller>> = Vec::new();
        for caller in table.waiting.values().rev().filter_map(|waiting| waiting.caller.as_ref()) {
            if callers.first().is_some_and(|first| first.principal() != caller.principal()) {
                return LogAudience::Ambiguous;
            }
            if callers.iter().all(|other| other.client() != caller.client()) {
                callers.push(caller.clone());
            }
        }
        if callers.is_empty() { LogAudience::NoCaller } else { LogAudience::Callers(callers) }
    }

    /// Notes a question of the server's, so that the server can withdraw it. `None` if too many are open.
    pub(crate) fn question(self: &Arc<Self>, id: &str, open_max: usize) -> Option<PendingQuestion> {
        let mut table = self.table();
        if table.questions.len() >= open_max {
            return None;
        }
        let withdrawn = CancellationToken::new();
        table.questions.insert(id.to_owned(), withdrawn.clone());
        Some(PendingQuestion { pending: self.clone(), id: id.to_owned(), withdrawn })
    }

    pub(crate) fn withdraw(&self, id: &str) {
        if let Some(withdrawn) = self.table().questions.remove(id) {
            withdrawn.cancel();
        }
    }

    fn table(&self) -> MutexGuard<'_, PendingTable> {
        self.table.lock()
    }
}

fn fail(ended: BTreeMap<u64, PendingRequest>, error: &ServerError) {
    for (_, mut waiting) in ended {
        if let Some(sender) = waiting.answer.take() {
            // The waiter may have gone at the same moment; then nothing is left to do.
            drop(sender.send(Err(error.clone())));
        }
    }
}

/// A request's place in the table. Dropping it releases the place.
pub(crate) struct RequestTicket {
    pending: Arc<PendingRequests>,
    id: u64,
}

impl RequestTicket {
    /// Cancelled when the request ends.
    pub(crate) fn ended(&self) -> CancellationToken {
        let mut table = self.pending.table();
        match table.waiting.get_mut(&self.id) {
            Some(waiting) => waiting.ended.get_or_insert_default().clone(),
            None => {
                let over = CancellationToken::new();
                over.cancel();
                over
            }
        }
    }
}

impl Drop for RequestTicket {
    fn drop(&mut self) {
        let gone = self.pending.table().waiting.remove(&self.id);
        drop(gone);
    }
}

/// A question of the server's that is being answered.
pub(crate) struct PendingQuestion {
    pending: Arc<PendingRequests>,
    id: String,
    pub(crate) withdrawn: CancellationToken,
}

impl Drop for PendingQuestion {
    fn drop(&mut self) {
        self.pending.table().questions.remove(&self.id);
    }
}
