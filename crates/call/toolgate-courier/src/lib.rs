#![doc = include_str!("../README.md")]

mod backoff;
mod board;
mod client;
mod cloud_event;
mod delivery;
mod failure;
mod follower;
mod mail;
mod meter;
mod metered;
mod otlp;
mod receiver;
mod webhook;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_store::{SinkStart, Store, StoreError};

pub use board::{ReceiverBoard, ReceiverStatus};
use delivery::Delivery;
use follower::{FollowerPace, LedgerFollower};
pub use mail::{
    BadDigestTime, DigestTime, MailAddress, MailDigest, MailEncryption, MailLogin, MailNotice, MailReceiver,
    MailSender, MailTrial, MailTrialFailure,
};
pub use metered::{METER_EVENT_TYPE, meter_event};
pub use receiver::{BadReceiver, MeterWebhook, Otlp, Receiver, Webhook};

/// All followers of the ledger, running.
pub struct Courier {
    tasks: TaskTracker,
    bells: Vec<Arc<Notify>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Receiver(#[from] BadReceiver),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Courier {
    /// Starts one follower for each receiver. A new one gets the events recorded after this returns, so await
    /// it before the first call.
    ///
    /// The board has the state of each.
    ///
    /// Followers end after `shutdown`, with a last attempt at pending deliveries; wait for that with
    /// [`Courier::finish`].
    pub async fn start(
        store: &Store,
        receivers: Vec<Receiver>,
        board: &ReceiverBoard,
        shutdown: &CancellationToken,
    ) -> Result<Courier, StartError> {
        Self::start_at(FollowerPace::default(), store, receivers, board, shutdown).await
    }

    async fn start_at(
        pace: FollowerPace,
        store: &Store,
        receivers: Vec<Receiver>,
        board: &ReceiverBoard,
        shutdown: &CancellationToken,
    ) -> Result<Courier, StartError> {
        let prepared = prepare(receivers)?;
        let (tasks, mut bells) = (TaskTracker::new(), Vec::new());
        for (sink, _) in &prepared {
            store.create_sink(sink, SinkStart::Now).await?;
        }
        for (sink, delivery) in prepared {
            let follower = LedgerFollower::new(pace, sink, store.clone(), delivery, board.clone());
            bells.push(follower.bell());
            tasks.spawn(follower.run(shutdown.clone()));
        }
        tasks.close();
        Ok(Courier { tasks, bells })
    }

    /// Sends a digest of each day, until shutdown.
    pub fn keep_digest(
        &self,
        digest: MailDigest,
        store: &Store,
        board: &ReceiverBoard,
        shutdown: &CancellationToken,
    ) {
        self.tasks.spawn(digest.run(store.clone(), board.clone(), shutdown.clone()));
    }

    /// Signals new events, so that followers do not wait for the next poll.
    pub fn nudge(&self) {
        self.bells.iter().for_each(|bell| bell.notify_one());
    }

    /// Ends when every follower has; bounded once shutdown has begun.
    pub async fn finish(self) {
        self.tasks.wait().await;
    }
}

/// All receivers are checked before the first one starts.
fn prepare(receivers: Vec<Receiver>) -> Result<Vec<(String, Delivery)>, BadReceiver> {
    let mut sinks = BTreeSet::new();
    let mut prepared = Vec::new();
    for receiver in receivers {
        let sink = receiver.sink();
        if !sinks.insert(sink.clone()) {
            return Err(BadReceiver::Twice { sink });
        }
        let delivery = receiver.into_delivery()?;
        // A receiver without kinds needs no follower, and the store accepts no empty list of kinds.
        if !delivery.kinds().is_empty() {
            prepared.push((sink, delivery));
        }
    }
    Ok(prepared)
}
