//! The schedule: a checkpoint every so often, kept until every anchor has it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;
use toolgate_proof::{CheckpointKey, LedgerCheckpoint, StreamRoot, VerifierKey};
use toolgate_store::Store;

use super::anchor::CheckpointAnchor;
use super::key::{known_keys, signing_key};
use super::last::{last_signed, must_have};
use super::signed::{SignedCheckpoint, tell_unsigned};
use crate::config::Config;

/// After a failure, the next attempt.
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// The maximum number of checkpoints that wait for one anchor. A later one covers what an earlier one does.
const WAITING_MAX: usize = 512;

/// The checkpoints that wait for each anchor.
#[derive(Default)]
pub(crate) struct AnchorBoard(Vec<WaitingAnchor>);

impl AnchorBoard {
    pub(crate) fn read(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|one| (one.name.as_str(), one.waiting.lock().len()))
    }
}

/// Signs and keeps checkpoints.
pub(crate) struct Checkpointer {
    store: Store,
    key: CheckpointKey,
    /// Those that may have signed the newest checkpoint of the folder.
    keys: Vec<VerifierKey>,
    stream: String,
    folder: Option<PathBuf>,
    every: Duration,
    board: Arc<AnchorBoard>,
    /// The trees of the last checkpoint since the start.
    signed: Vec<StreamRoot>,
    /// The streams that cannot be signed and were told of.
    unsigned: BTreeSet<String>,
}

struct WaitingAnchor {
    anchor: CheckpointAnchor,
    name: String,
    /// Oldest first.
    waiting: Mutex<VecDeque<Arc<WaitingCheckpoint>>>,
    /// Rings for each checkpoint that is added.
    added: Notify,
}

struct WaitingCheckpoint {
    name: String,
    text: String,
}

impl Checkpointer {
    /// `None` if none is configured. A key that cannot be read stops the start.
    pub(crate) async fn new(config: &Config, store: &Store) -> anyhow::Result<Option<Self>> {
        let Some(settings) = &config.checkpoints else { return Ok(None) };
        let anchors = CheckpointAnchor::all(settings, config)?.into_iter().map(WaitingAnchor::new).collect();
        Ok(Some(Self {
            store: store.clone(),
            key: signing_key(config).await?,
            keys: known_keys(config).await,
            stream: config.store.stream.clone(),
            folder: settings.folder.clone(),
            every: settings.every,
            board: Arc::new(AnchorBoard(anchors)),
            signed: Vec::new(),
            unsigned: BTreeSet::new(),
        }))
    }

    pub(crate) fn board(&self) -> Arc<AnchorBoard> {
        Arc::clone(&self.board)
    }

    /// The first checkpoint is signed at once. Each anchor is served by itself: a slow one delays neither the others nor
    /// the next signature.
    pub(crate) async fn run(self) {
        let (board, again) = (self.board(), TRY_AGAIN.min(self.every));
        let delivering = join_all(board.0.iter().map(|anchor| anchor.deliver(again)));
        tokio::join!(self.sign_on_time(again), delivering);
    }

    async fn sign_on_time(mut self, again: Duration) {
        loop {
            let mut due = Instant::now() + self.every;
            if let Err(error) = self.sign().await {
                let error = format!("{error:#}");
                tracing::warn!(error, "no checkpoint of the ledger could be signed");
                due = Instant::now() + again;
            }
            tokio::time::sleep_until(due).await;
        }
    }

    /// Signs a checkpoint, if the ledger has grown. One that is not what was signed before is not signed.
    async fn sign(&mut self) -> anyhow::Result<()> {
        let mut sizes = self.store.ledger_sizes().await?;
        tell_unsigned(&sizes, &mut self.unsigned);
        sizes.retain(|stream, _| LedgerCheckpoint::can_name(stream));
        let signed: BTreeMap<String, u64> =
            self.signed.iter().map(|tree| (tree.stream.clone(), tree.size)).collect();
        if sizes == signed {
            return Ok(());
        }
        let before = match self.signed.is_empty() {
            true => last_signed(self.folder.as_deref(), &self.keys, &self.store).await?,
            false => self.signed.clone(),
        };
        if before.is_empty() && sizes.values().all(|size| *size == 0) {
            return Ok(());
        }
        must_have(&self.store, &before).await?;
        let checkpoint = SignedCheckpoint::now(&self.store, &self.key).await?;
        let waiting =
            Arc::new(WaitingCheckpoint { name: checkpoint.file_name(&self.stream), text: checkpoint.text() });
        for anchor in &self.board.0 {
            anchor.push(waiting.clone());
        }
        self.signed = checkpoint.checkpoint.streams;
        Ok(())
    }
}

impl WaitingAnchor {
    fn new(anchor: CheckpointAnchor) -> Self {
        Self { name: anchor.name(), anchor, waiting: Mutex::default(), added: Notify::new() }
    }

    fn push(&self, checkpoint: Arc<WaitingCheckpoint>) {
        let mut waiting = self.waiting.lock();
        if waiting.len() == WAITING_MAX {
            waiting.pop_front();
            tracing::error!(anchor = self.name, "too many checkpoints wait; the oldest is dropped");
        }
        waiting.push_back(checkpoint);
        self.added.notify_one();
    }

    /// Delivers what waits, oldest first, without end. What the anchor does not take is tried again after a while.
    async fn deliver(&self, again: Duration) {
        let mut is_failing = false;
        loop {
            let Some(oldest) = self.oldest() else {
                self.added.notified().await;
                continue;
            };
            match self.anchor.keep(&oldest.name, &oldest.text).await {
                Ok(()) => {
                    self.remove(&oldest);
                    if std::mem::take(&mut is_failing) {
                        tracing::info!(anchor = self.name, "checkpoints are kept again");
                    }
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        let error = format!("{error:#}");
                        tracing::warn!(
                            anchor = self.name,
                            error,
                            "a checkpoint could not be kept; it is tried again"
                        );
                    }
                    tokio::time::sleep(again).await;
                }
            }
        }
    }

    fn oldest(&self) -> Option<Arc<WaitingCheckpoint>> {
        self.waiting.lock().front().cloned()
    }

    /// It may have been dropped meanwhile, because too many wait.
    fn remove(&self, kept: &Arc<WaitingCheckpoint>) {
        let mut waiting = self.waiting.lock();
        if waiting.front().is_some_and(|oldest| Arc::ptr_eq(oldest, kept)) {
            waiting.pop_front();
        }
    }
}
