//! The state that all parts of the files share.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::PrincipalId;
use toolgate_core::content::Suppliers;
use toolgate_core::governance::Clock;
use toolgate_store::{Books, Store};

use crate::blobs::Blobs;
use crate::contents::extractions::Extractions;
use crate::sealing::AddressSeal;
use crate::settings::FilesSettings;

/// Live; one per gateway process.
pub struct Files {
    pub(super) blobs: Blobs,
    pub(super) store: Store,
    pub(super) books: Arc<Books>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) settings: FilesSettings,
    pub(super) seal: AddressSeal,
    pub(super) suppliers: OnceLock<Arc<dyn Suppliers>>,
    pub(super) allowance: OnceLock<Allowance>,
    pub(super) extractions: Extractions,
    /// Marks belong to the gateway: two concurrent rounds would delete the same bytes twice.
    pub(super) collecting: Mutex<()>,
    pub(super) tasks: TaskTracker,
    /// The tasks that release the places of broken uploads.
    pub(super) releases: TaskTracker,
    pub(super) shutdown: CancellationToken,
}

/// The limit on the bytes of a principal's files; `None` means unlimited.
pub type Allowance = Box<dyn Fn(&PrincipalId) -> Option<u64> + Send + Sync>;

/// A time in the future, saturating.
pub(super) fn later(now_ms: i64, by: Duration) -> i64 {
    now_ms.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX))
}
