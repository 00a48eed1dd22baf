//! Notifications about changed lists and resources: their sources and their receivers. A session of the
//! initialize era gets everything it may; a subscription gets what it asked for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, ServiceError, SubscriptionContext, SubscriptionSendError};
use tokio::sync::broadcast::{self, error::RecvError};

use super::state::Shared;

/// Missed notifications are dropped, not queued: a listener that slow learns of the next change.
const NEWS_MAX: usize = 64;
/// Subscriptions whose client left before they began are forgotten after this many others.
const PROMISED_MAX: usize = 16;

#[derive(Debug, Clone)]
pub(super) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(String),
}

/// The counters say how often each list changed; the lists are derived from them.
pub(super) struct Changes {
    news: broadcast::Sender<Change>,
    /// Receivers of subscriptions that are being acknowledged. rmcp calls `listen` only after it has sent the
    /// acknowledgment, and changes in between must be received too.
    promised: Mutex<Vec<(SubscriptionFilter, broadcast::Receiver<Change>)>>,
    tools: AtomicU64,
    prompts: AtomicU64,
    resources: AtomicU64,
    updates: AtomicU64,
}

impl Changes {
    pub(super) fn new() -> Self {
        Self {
            news: broadcast::Sender::new(NEWS_MAX),
            promised: Mutex::default(),
            tools: AtomicU64::new(0),
            prompts: AtomicU64::new(0),
            resources: AtomicU64::new(0),
            updates: AtomicU64::new(0),
        }
    }

    pub(super) fn happened(&self, change: Change) {
        self.counter(&change).fetch_add(1, Ordering::SeqCst);
        // Having no listeners is not a failure.
        drop(self.news.send(change));
    }

    /// Listens from now on for a subscription with this filter, which is about to be acknowledged.
    pub(super) fn promise(&self, filter: &SubscriptionFilter) {
        let mut promised = self.promised.lock();
        if promised.len() == PROMISED_MAX {
            promised.remove(0);
        }
        promised.push((filter.clone(), self.news.subscribe()));
    }

    fn redeem(&self, filter: &SubscriptionFilter) -> broadcast::Receiver<Change> {
        let mut promised = self.promised.lock();
        let found = promised.iter().position(|(promised, _)| promised == filter);
        found.map_or_else(|| self.news.subscribe(), |index| promised.remove(index).1)
    }

    /// Every other change adds the changing item, the one after removes it again, so each one is visible in
    /// the list.
    pub(super) fn shows_changing_tool(&self) -> bool {
        self.tools.load(Ordering::SeqCst) % 2 == 1
    }

    pub(super) fn shows_changing_prompt(&self) -> bool {
        self.prompts.load(Ordering::SeqCst) % 2 == 1
    }

    pub(super) fn shows_changing_resource(&self) -> bool {
        self.resources.load(Ordering::SeqCst) % 2 == 1
    }

    pub(super) fn updates(&self) -> u64 {
        self.updates.load(Ordering::SeqCst)
    }

    fn counter(&self, change: &Change) -> &AtomicU64 {
        match change {
            Change::Tools => &self.tools,
            Change::Prompts => &self.prompts,
            Change::Resources => &self.resources,
            Change::Resource(_) => &self.updates,
        }
    }
}

/// Tells one session of the initialize era about every change until its transport closes.
pub(super) fn forward_to_session(
    shared: &Arc<Shared>,
    peer: Peer<RoleServer>,
    watched: Arc<Mutex<BTreeSet<String>>>,
) {
    let mut news = shared.changes.news.subscribe();
    shared.spawned.spawn(async move {
        while !peer.is_transport_closed() {
            let sent = match news.recv().await {
                Ok(change) => tell_session(&peer, change, &watched).await,
                Err(RecvError::Lagged(_)) => Ok(()),
                Err(RecvError::Closed) => return,
            };
            if sent.is_err() {
                return;
            }
        }
    });
}

async fn tell_session(
    peer: &Peer<RoleServer>,
    change: Change,
    watched: &Mutex<BTreeSet<String>>,
) -> Result<(), ServiceError> {
    match change {
        Change::Tools => peer.notify_tool_list_changed().await,
        Change::Prompts => peer.notify_prompt_list_changed().await,
        Change::Resources => peer.notify_resource_list_changed().await,
        Change::Resource(uri) => {
            if !watched.lock().contains(&uri) {
                return Ok(());
            }
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
        }
    }
}

/// Serves one `subscriptions/listen` until the client closes it.
pub(super) async fn forward_to_subscription(changes: &Changes, context: &SubscriptionContext) {
    let mut news = changes.redeem(context.requested());
    loop {
        let change = tokio::select! {
            () = context.cancelled() => return,
            change = news.recv() => change,
        };
        let sent = match change {
            Ok(change) => tell_subscription(context, change).await,
            Err(RecvError::Lagged(_)) => Ok(()),
            Err(RecvError::Closed) => return,
        };
        if !matches!(sent, Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_))) {
            return;
        }
    }
}

async fn tell_subscription(
    context: &SubscriptionContext,
    change: Change,
) -> Result<(), SubscriptionSendError> {
    let sink = context.sink();
    match change {
        Change::Tools => sink.notify_tool_list_changed().await,
        Change::Prompts => sink.notify_prompt_list_changed().await,
        Change::Resources => sink.notify_resource_list_changed().await,
        Change::Resource(uri) => sink.notify_resource_updated(uri).await,
    }
}
