//! The connectors of one gateway process: what the tools work on.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_core::ServerName;
use toolgate_core::governance::Clock;
use toolgate_core::port::Servers;
use toolgate_runs::Runs;
use toolgate_store::Store;
use toolgate_substrate::Substrate;
use toolgate_work::WorkDesk;

use crate::rate::RateRemainder;
use crate::roster::ConnectorRoster;

pub struct ConnectorsSetup {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub substrate: Arc<Substrate>,
    pub runs: Arc<Runs>,
    pub work: Arc<WorkDesk>,
    pub servers: Arc<dyn Servers>,
    pub roster: Arc<dyn ConnectorRoster>,
}

/// The state of the tools `connector.*`.
pub struct Connectors {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) substrate: Arc<Substrate>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) work: Arc<WorkDesk>,
    pub(crate) servers: Arc<dyn Servers>,
    pub(crate) roster: Arc<dyn ConnectorRoster>,
    /// The rate that each provider said it has left, when this process last read from it.
    pub(crate) rates: Mutex<BTreeMap<ServerName, RateRemainder>>,
}

impl Connectors {
    pub(crate) fn new(setup: ConnectorsSetup) -> Arc<Self> {
        let ConnectorsSetup { store, clock, substrate, runs, work, servers, roster } = setup;
        let rates = Mutex::default();
        Arc::new(Self { store, clock, substrate, runs, work, servers, roster, rates })
    }
}
