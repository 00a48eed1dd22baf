//! A map that is read on every request: in shards, so that a writer blocks few readers.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use parking_lot::RwLock;

const SHARDS: usize = 32;

pub(crate) struct Shards<K, V, S = RandomState> {
    hasher: S,
    shards: [RwLock<HashMap<K, V, S>>; SHARDS],
}

/// For keys that are hashes already.
#[derive(Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a hash is a number");
    }
}

impl<K, V, S: BuildHasher + Default> Default for Shards<K, V, S> {
    fn default() -> Self {
        Self { hasher: S::default(), shards: std::array::from_fn(|_| RwLock::default()) }
    }
}

impl<K: Eq + Hash, V: Clone, S: BuildHasher> Shards<K, V, S> {
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.shard(key).read().get(key).cloned()
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        self.shard(&key).write().insert(key, value);
    }

    /// The same with at most `max` entries in total: first the entries that `keep` rejects are removed, and
    /// if that is not enough the new one is dropped.
    pub(crate) fn insert_within(&self, max: usize, key: K, value: V, keep: impl Fn(&V) -> bool) {
        let mut shard = self.shard(&key).write();
        let shard_max = max.div_ceil(SHARDS);
        if shard.len() >= shard_max {
            shard.retain(|_, value| keep(value));
        }
        if shard.len() < shard_max || shard.contains_key(&key) {
            shard.insert(key, value);
        }
    }

    pub(crate) fn remove(&self, key: &K) -> Option<V> {
        self.shard(key).write().remove(key)
    }

    pub(crate) fn retain(&self, keep: impl Fn(&V) -> bool) {
        for shard in &self.shards {
            shard.write().retain(|_, value| keep(value));
        }
    }

    /// All values, in no order.
    pub(crate) fn values(&self) -> Vec<V> {
        self.shards.iter().flat_map(|shard| shard.read().values().cloned().collect::<Vec<_>>()).collect()
    }

    /// By the upper half of the hash: the map inside uses both ends of it.
    fn shard(&self, key: &K) -> &RwLock<HashMap<K, V, S>> {
        let place = (self.hasher.hash_one(key) >> 32) % SHARDS as u64;
        &self.shards[usize::try_from(place).expect("less than the number of shards")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_full_keeps_what_is_wanted_and_no_more() {
        let shards = Shards::<_, _>::default();
        for number in 0..1_000_u32 {
            shards.insert_within(64, number, number, |kept| kept.is_multiple_of(2));
        }
        let values = shards.values();
        assert!(values.len() <= 64 && values.len() > 32, "{}", values.len());
        shards.retain(|value| value.is_multiple_of(2));
        assert!(shards.values().iter().all(|value| value.is_multiple_of(2)));
        let first = shards.values()[0];
        assert_eq!(
            (shards.get(&first), shards.remove(&first), shards.get(&first)),
            (Some(first), Some(first), None)
        );
    }
}
