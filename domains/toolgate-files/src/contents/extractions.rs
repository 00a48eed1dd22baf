//! The texts that are being made: each content is read by one task at a time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use toolgate_core::Digest;

/// This many idle entries are removed at once.
const IDLE_MAX: usize = 256;

/// Texts that are being made in this process.
#[derive(Default)]
pub(crate) struct Extractions(Mutex<HashMap<(Digest, String), Weak<ExtractionLock>>>);

type ExtractionLock = tokio::sync::Mutex<()>;

impl Extractions {
    /// The holder makes the text; the waiters find it made.
    pub(super) fn turn(&self, digest: Digest, extractor: &str) -> Arc<ExtractionLock> {
        let mut turns = self.0.lock();
        if turns.len() >= IDLE_MAX {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let slot = turns.entry((digest, extractor.to_owned())).or_default();
        slot.upgrade().unwrap_or_else(|| {
            let turn = Arc::new(ExtractionLock::default());
            *slot = Arc::downgrade(&turn);
            turn
        })
    }
}
