//! The schedule: a checkpoint every so often, kept until every anchor has it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use toolgate_proof::{CheckpointKey, LedgerCheckpoint, StreamRoot};
use toolgate_store::Store;

use super::anchor::CheckpointAnchor;
use super::key::signing_key;
use super::last::{last_signed, must_have};
use super::signed::SignedCheckpoint;
use crate::config::{CheckpointSettings, Config};

/// After a failure, the next attempt.
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// The maximum number of checkpoints that wait for one anchor. A later one covers what an earlier one does.
const WAITING_MAX: usize = 512;

/// The number of checkpoints that wait for each anchor.
#[derive(Default)]
pub(crate) struct AnchorBoard(Vec<(String, AtomicUsize)>);

impl AnchorBoard {
    pub(crate) fn read(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(name, waiting)| (name.as_str(), waiting.load(Ordering::Relaxed)))
    }
}

/// Signs and keeps checkpoints.
pub(crate) struct Checkpointer {
    store: Store,
    key: CheckpointKey,
    stream: String,
    settings: CheckpointSettings,
    every: Duration,
    anchors: Vec<WaitingAnchor>,
    board: Arc<AnchorBoard>,
    /// The trees of the last checkpoint since the start.
    signed: Vec<StreamRoot>,
}

struct WaitingAnchor {
    anchor: CheckpointAnchor,
    /// Name and text of each checkpoint, oldest first.
    waiting: VecDeque<(Arc<str>, Arc<str>)>,
    is_failing: bool,
}

impl Checkpointer {
    /// `None` if none is configured. A key that cannot be read stops the start.
    pub(crate) fn new(config: &Config, store: &Store) -> anyhow::Result<Option<Self>> {
        let Some(settings) = &config.checkpoints else { return Ok(None) };
        let anchors = CheckpointAnchor::all(settings, config)?.into_iter();
        let anchors: Vec<WaitingAnchor> = anchors
            .map(|anchor| WaitingAnchor { anchor, waiting: VecDeque::new(), is_failing: false })
            .collect();
        let board = anchors.iter().map(|one| (one.anchor.name(), AtomicUsize::default())).collect();
        Ok(Some(Self {
            store: store.clone(),
            key: signing_key(settings)?,
            stream: config.store.stream.clone(),
            every: settings.every,
            settings: settings.clone(),
            anchors,
            board: Arc::new(AnchorBoard(board)),
            signed: Vec::new(),
        }))
    }

    pub(crate) fn board(&self) -> Arc<AnchorBoard> {
        Arc::clone(&self.board)
    }

    /// The first checkpoint is signed at once.
    pub(crate) async fn run(mut self) {
        let mut due = Instant::now();
        loop {
            if due <= Instant::now() {
                due = Instant::now() + self.every;
                if let Err(error) = self.sign().await {
                    tracing::warn!(
                        error = format!("{error:#}"),
                        "no checkpoint of the ledger could be signed"
                    );
                    due = Instant::now() + self.every.min(TRY_AGAIN);
                }
            }
            self.deliver().await;
            let is_waiting = self.anchors.iter().any(|one| !one.waiting.is_empty());
            let next = if is_waiting { due.min(Instant::now() + TRY_AGAIN.min(self.every)) } else { due };
            tokio::time::sleep_until(next).await;
        }
    }

    /// Signs a checkpoint, if the ledger has grown. One that is not what was signed before is not signed.
    async fn sign(&mut self) -> anyhow::Result<()> {
        let mut sizes = self.store.ledger_sizes().await?;
        sizes.retain(|stream, _| LedgerCheckpoint::can_name(stream));
        let signed: BTreeMap<String, u64> =
            self.signed.iter().map(|tree| (tree.stream.clone(), tree.size)).collect();
        if sizes == signed {
            return Ok(());
        }
        let before = match self.signed.is_empty() {
            true => last_signed(&self.settings, &self.store).await?,
            false => self.signed.clone(),
        };
        if before.is_empty() && sizes.values().all(|size| *size == 0) {
            return Ok(());
        }
        must_have(&self.store, &before).await?;
        let checkpoint = SignedCheckpoint::now(&self.store, &self.key).await?;
        let entry: (Arc<str>, Arc<str>) =
            (checkpoint.file_name(&self.stream).into(), checkpoint.text().into());
        for one in &mut self.anchors {
            one.push(entry.clone());
        }
        self.signed = checkpoint.checkpoint.streams;
        Ok(())
    }

    async fn deliver(&mut self) {
        for (one, (_, waiting)) in self.anchors.iter_mut().zip(&self.board.0) {
            one.deliver().await;
            waiting.store(one.waiting.len(), Ordering::Relaxed);
        }
    }
}

impl WaitingAnchor {
    fn push(&mut self, entry: (Arc<str>, Arc<str>)) {
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
            tracing::error!(anchor = self.anchor.name(), "too many checkpoints wait; the oldest is dropped");
        }
        self.waiting.push_back(entry);
    }

    async fn deliver(&mut self) {
        while let Some((name, text)) = self.waiting.front() {
            match self.anchor.keep(name, text).await {
                Ok(()) => {
                    self.waiting.pop_front();
                }
                Err(error) => {
                    let error = format!("{error:#}");
                    if !self.is_failing {
                        let anchor = self.anchor.name();
                        tracing::warn!(anchor, error, "a checkpoint could not be kept; it is tried again");
                    }
                    self.is_failing = true;
                    return;
                }
            }
        }
        if std::mem::take(&mut self.is_failing) {
            tracing::info!(anchor = self.anchor.name(), "checkpoints are kept again");
        }
    }
}
