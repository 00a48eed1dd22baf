//! The dependencies of the registry.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::governance::Clock;
use toolgate_store::{Books, Store};

use crate::port::{AgentCatalog, PolicyControl, ServerControl};
use crate::source::FileState;

/// The parts of a registry.
pub struct RegistrySetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub file: FileState,
    pub machinery: Arc<dyn ServerControl>,
    pub shelf: Arc<dyn AgentCatalog>,
    /// Without it, the setting `policy` is kept and has no effect.
    pub policies: Option<Arc<dyn PolicyControl>>,
    pub shutdown: CancellationToken,
}
