//! DocIRs that were read lately. Answers cite one document many times.

use std::collections::VecDeque;
use std::sync::Arc;

use docir::DocIr;
use parking_lot::Mutex;
use toolgate_core::Digest;

const ENTRIES_MAX: usize = 32;
/// Of the DocIRs as they are stored; in memory they are a few times larger.
const BYTES_MAX: usize = 32 << 20;

struct CachedDocir {
    digest: Digest,
    bytes: usize,
    docir: Arc<DocIr>,
}

/// The one that was used last is in front.
#[derive(Default)]
pub(crate) struct DocirCache(Mutex<VecDeque<CachedDocir>>);

impl DocirCache {
    pub(crate) fn get(&self, digest: &Digest) -> Option<Arc<DocIr>> {
        let mut cached = self.0.lock();
        let place = cached.iter().position(|one| one.digest == *digest)?;
        let one = cached.remove(place)?;
        let docir = Arc::clone(&one.docir);
        cached.push_front(one);
        Some(docir)
    }

    pub(crate) fn put(&self, digest: Digest, bytes: usize, docir: &Arc<DocIr>) {
        if bytes > BYTES_MAX {
            return;
        }
        let mut cached = self.0.lock();
        cached.retain(|one| one.digest != digest);
        cached.push_front(CachedDocir { digest, bytes, docir: Arc::clone(docir) });
        while cached.len() > ENTRIES_MAX || cached.iter().map(|one| one.bytes).sum::<usize>() > BYTES_MAX {
            cached.pop_back();
        }
    }
}
