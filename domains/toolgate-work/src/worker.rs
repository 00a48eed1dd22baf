//! The port to those who do the work.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::id::{RunId, WorkId};
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use toolgate_store::{Actor, WorkRow};

/// Does work of one kind. It may be interrupted at every `await` and begun again elsewhere, so it is idempotent.
pub trait Worker: Send + Sync {
    /// The kind of the work, and the type of its runs.
    fn kind(&self) -> &'static str;

    fn work<'a>(
        &'a self,
        work: &'a WorkItem,
        progress: &'a WorkProgress,
    ) -> BoxFuture<'a, Result<WorkEnd, Refusal>>;
}

/// One work as its worker sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkItem {
    pub id: WorkId,
    pub kind: String,
    pub key: String,
    pub input: Value,
    /// Its own run.
    pub run: RunId,
    /// The one that asked for it, with session, run and call.
    pub actor: Actor,
    /// 1 for the first try.
    pub attempt: u64,
}

impl WorkItem {
    pub(crate) fn of(row: &WorkRow) -> Self {
        Self {
            id: row.id.clone(),
            kind: row.kind.clone(),
            key: row.key.clone(),
            input: row.input.clone(),
            run: row.run.clone(),
            actor: row.actor.clone(),
            attempt: row.attempts,
        }
    }

    /// The author of what the work makes: whoever asked for it, in the run of the work.
    pub fn author(&self) -> Actor {
        Actor { run: Some(self.run.clone()), ..self.actor.clone() }
    }
}

/// The end of work that was done.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkEnd {
    pub result: Value,
    /// The parts that were left out, each with its reason. If there are any, the run ends partial.
    pub problems: Vec<String>,
    pub output_manifest: Option<ManifestDigest>,
}

/// The progress of work. Its desk notes it with each renewal of the lease.
#[derive(Debug, Default)]
pub struct WorkProgress {
    done: AtomicU64,
    total: AtomicU64,
}

impl WorkProgress {
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    pub fn set(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// 0 as long as it is not known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}
