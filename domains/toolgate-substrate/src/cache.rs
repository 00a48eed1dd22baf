//! Nodes in memory. A node never changes, so one that is kept is right for ever; the question is only which ones to forget.

use std::collections::HashMap;
use std::sync::Arc;

use manifest_tree::BlobDigest;
use parking_lot::Mutex;

/// A bounded number of bytes of nodes, those that were used lately.
pub(crate) struct NodeCache {
    halves: Mutex<CacheHalves>,
    half_bytes_max: usize,
}

/// Nodes that are used move to the first half. When it is full, the second one is forgotten, and the first takes its place.
#[derive(Default)]
struct CacheHalves {
    first: HashMap<BlobDigest, Arc<[u8]>>,
    first_bytes: usize,
    second: HashMap<BlobDigest, Arc<[u8]>>,
}

impl NodeCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { halves: Mutex::default(), half_bytes_max: bytes_max / 2 }
    }

    pub(crate) fn get(&self, digest: &BlobDigest) -> Option<Arc<[u8]>> {
        let mut halves = self.halves.lock();
        if let Some(bytes) = halves.first.get(digest) {
            return Some(Arc::clone(bytes));
        }
        let bytes = halves.second.remove(digest)?;
        halves.put(*digest, Arc::clone(&bytes), self.half_bytes_max);
        Some(bytes)
    }

    /// Keeps a node whose bytes were compared with its digest.
    pub(crate) fn put(&self, digest: BlobDigest, bytes: Arc<[u8]>) {
        self.halves.lock().put(digest, bytes, self.half_bytes_max);
    }

    /// Forgets everything, as after a start.
    pub(crate) fn clear(&self) {
        *self.halves.lock() = CacheHalves::default();
    }
}

impl CacheHalves {
    fn put(&mut self, digest: BlobDigest, bytes: Arc<[u8]>, half_bytes_max: usize) {
        let length = bytes.len();
        if self.first.insert(digest, bytes).is_some() {
            return;
        }
        self.first_bytes += length;
        if self.first_bytes > half_bytes_max {
            self.second = std::mem::take(&mut self.first);
            self.first_bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u8) -> (BlobDigest, Arc<[u8]>) {
        let bytes: Arc<[u8]> = vec![number; 100].into();
        (BlobDigest::of(&bytes), bytes)
    }

    #[test]
    fn what_is_used_stays_and_memory_is_bounded() {
        let cache = NodeCache::new(1_000);
        let (used, bytes) = node(0);
        cache.put(used, bytes);
        for number in 1..200 {
            let (digest, bytes) = node(number);
            cache.put(digest, bytes);
            assert!(cache.get(&used).is_some(), "it is used again and again: {number}");
        }
        let kept = (0..200).filter(|number| cache.get(&node(*number).0).is_some()).count();
        assert!((1..=12).contains(&kept), "{kept}");
        cache.clear();
        assert!(cache.get(&used).is_none());
    }
}
