//! Frequencies that were counted: a version never changes, and a query's words come again.

use std::collections::HashMap;

use engine_protocol::EngineFault;
use parking_lot::Mutex;

use crate::inside::schema::SCORED;

/// Past this, everything is forgotten.
const TERMS_MAX: usize = 20_000;

#[derive(Default)]
pub(super) struct FrequencyMemory {
    terms: Mutex<HashMap<String, [u64; SCORED]>>,
}

impl FrequencyMemory {
    pub(super) fn get(
        &self,
        term: &str,
        count: impl FnOnce() -> Result<[u64; SCORED], EngineFault>,
    ) -> Result<[u64; SCORED], EngineFault> {
        if let Some(known) = self.terms.lock().get(term) {
            return Ok(*known);
        }
        let counted = count()?;
        let mut terms = self.terms.lock();
        if terms.len() >= TERMS_MAX {
            terms.clear();
        }
        terms.insert(term.to_owned(), counted);
        Ok(counted)
    }
}
