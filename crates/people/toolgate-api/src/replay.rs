//! The ids of accepted signed messages, so that none can be replayed.

use std::collections::{HashSet, VecDeque};

use parking_lot::Mutex;

/// The maximum difference between the time of a signed message and ours.
pub(crate) const TOLERANCE_MS: i64 = 5 * 60 * 1000;
/// Beyond this number, the oldest is forgotten. Its message is refused for its age soon after, and until then
/// repeating a decision changes nothing.
const IDS_MAX: usize = 10_000;

#[derive(Default)]
pub(crate) struct SeenIds(Mutex<SeenTable>);

#[derive(Default)]
struct SeenTable {
    ids: HashSet<String>,
    /// By time of arrival.
    order: VecDeque<(i64, String)>,
}

impl SeenIds {
    /// Takes an id, unless it was taken before.
    pub(crate) fn take(&self, id: &str, now_ms: i64) -> bool {
        let mut seen = self.0.lock();
        seen.forget_old(now_ms);
        let fresh = seen.ids.insert(id.to_owned());
        if fresh {
            seen.order.push_back((now_ms, id.to_owned()));
        }
        fresh
    }

    /// Releases an id whose message could not be processed: its sender will try again.
    pub(crate) fn give_back(&self, id: &str) {
        let mut seen = self.0.lock();
        seen.ids.remove(id);
        seen.order.retain(|(_, one)| one != id);
    }
}

impl SeenTable {
    /// A message may be as far ahead of our clock as behind it, so an id stays good for twice the tolerance.
    fn forget_old(&mut self, now_ms: i64) {
        let old = |(at_ms, _): &(i64, String)| *at_ms < now_ms - 2 * TOLERANCE_MS;
        while self.order.len() >= IDS_MAX || self.order.front().is_some_and(old) {
            let Some((_, id)) = self.order.pop_front() else { return };
            self.ids.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_once_until_it_is_given_back_or_too_old() {
        let seen = SeenIds::default();
        assert!(seen.take("a", 0));
        assert!(!seen.take("a", TOLERANCE_MS));
        seen.give_back("a");
        assert!(seen.take("a", TOLERANCE_MS));
        assert!(!seen.take("a", 3 * TOLERANCE_MS));
        assert!(seen.take("a", 4 * TOLERANCE_MS));
    }

    #[test]
    fn memory_is_bounded() {
        let seen = SeenIds::default();
        (0..IDS_MAX + 5).for_each(|id| assert!(seen.take(&id.to_string(), 0)));
        let inner = seen.0.lock();
        assert_eq!((inner.ids.len(), inner.order.len()), (IDS_MAX, IDS_MAX));
    }
}
