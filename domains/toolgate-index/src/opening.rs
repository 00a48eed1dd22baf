//! The indexes with the worker that builds them.

use std::sync::Arc;

use toolgate_core::Refusal;

use crate::indexes::{IndexSetup, Indexes};
use crate::ingest::IngestWorker;

/// The indexes of this gateway. It builds them, too, while its desk of long work runs. Refused if a file of the folder of profiles cannot be
/// used.
pub fn open(setup: IndexSetup) -> Result<Arc<Indexes>, Refusal> {
    let indexes = Indexes::new(setup)?;
    indexes.work.add(Arc::new(IngestWorker::of(&indexes)));
    Ok(indexes)
}
