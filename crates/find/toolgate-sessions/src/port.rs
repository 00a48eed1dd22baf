//! The data of sessions, and their dependencies on the gateway.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::ServerName;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::governance::Clock;
use toolgate_core::scope::Definitions;
use toolgate_store::{Books, Store};

/// The current state of the gateway around the sessions. Each method is called often and answers from memory.
pub trait SessionEnvironment: Send + Sync {
    /// The same `Arc` while nothing has changed.
    fn definitions(&self) -> Arc<Definitions>;
    fn servers(&self) -> Vec<ServerName>;
    /// The providers that some tool needs.
    fn providers(&self) -> BTreeSet<String>;
    /// The level of care of the whole gateway.
    fn template(&self) -> PolicyTemplate;
}

pub struct SessionsSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub surroundings: Arc<dyn SessionEnvironment>,
    pub shutdown: CancellationToken,
}
