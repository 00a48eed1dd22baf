//! The connectors with the workers that sync them and ask about doubts.

use std::sync::Arc;

use crate::connectors::{Connectors, ConnectorsSetup};
use crate::doubts::DoubtWorker;
use crate::sync::SyncWorker;

/// The connectors of this gateway. It syncs them, too, while its desk of long work runs.
pub fn open(setup: ConnectorsSetup) -> Arc<Connectors> {
    let connectors = Connectors::new(setup);
    connectors.work.add(Arc::new(SyncWorker::of(&connectors)));
    connectors.work.add(Arc::new(DoubtWorker::of(&connectors)));
    connectors
}
