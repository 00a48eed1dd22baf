//! The store: what every room of this crate adds its methods to.

use std::sync::Arc;

use tokio_util::task::TaskTracker;

use crate::db::Db;
use crate::revision_beat::RevisionBeat;
use crate::token_cache::TokenCache;
use crate::waiting::ApprovalWaiters;

/// An open data folder and its database. Clones share one small pool and one token cache.
#[derive(Clone)]
pub struct Store {
    pub(crate) db: Db,
    pub(crate) tokens: Arc<TokenCache>,
    pub(crate) waiting: Arc<ApprovalWaiters>,
    pub(crate) revisions: Arc<RevisionBeat>,
    /// The work in the background. Each task ends when its waiters or senders are gone.
    pub(crate) tasks: TaskTracker,
    /// The name of this store for work that only one store may do at a time.
    pub(crate) holder: Arc<str>,
    pub(crate) tenant: &'static str,
}

/// The only tenant so far.
pub(crate) const TENANT: &str = "default";

impl Store {
    /// The tenant of these rows.
    pub fn tenant(&self) -> &'static str {
        self.tenant
    }

    /// Ends the pool, so that the write-ahead log is folded into the database.
    pub async fn close(&self) {
        self.db.close().await;
    }
}
