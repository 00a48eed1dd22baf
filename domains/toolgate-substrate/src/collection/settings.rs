//! The settings of collections, and the one that this gateway carries out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use toolgate_store::CollectionTerms;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The times that a collection goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectionSettings {
    /// The time for which something that nothing reaches is kept after it was last touched. It must be longer than any write takes,
    /// since a manifest comes after its artifacts and nodes.
    pub grace: Duration,
    /// The time for which moves of pointers keep the manifests that they name, so that a pointer can be reverted to them.
    pub moves_kept: Duration,
}

impl Default for CollectionSettings {
    fn default() -> Self {
        Self { grace: DAY, moves_kept: 90 * DAY }
    }
}

impl CollectionSettings {
    pub(super) fn terms(self, now_ms: i64) -> CollectionTerms {
        CollectionTerms {
            now_ms,
            untouched_since_ms: before(now_ms, self.grace),
            moves_since_ms: self.moves_since_ms(now_ms),
        }
    }

    /// Moves before this moment keep nothing, and no pointer is reverted to what they name.
    pub(crate) fn moves_since_ms(self, now_ms: i64) -> i64 {
        before(now_ms, self.moves_kept)
    }

    /// The time for which moves are kept, for people.
    pub(crate) fn moves_kept_text(self) -> String {
        let (seconds, day) = (self.moves_kept.as_secs(), DAY.as_secs());
        match seconds > 0 && seconds.is_multiple_of(day) {
            true => format!("{} days", seconds / day),
            false => format!("{seconds} seconds"),
        }
    }
}

fn before(now_ms: i64, span: Duration) -> i64 {
    now_ms.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX))
}

/// The state of collections in this gateway.
pub(crate) struct CollectionState {
    pub(crate) settings: CollectionSettings,
    is_under_way: AtomicBool,
}

/// The only collection of this gateway, until it is dropped.
pub(super) struct OnlyCollection<'a>(&'a AtomicBool);

impl CollectionState {
    pub(crate) fn new(settings: CollectionSettings) -> Self {
        Self { settings, is_under_way: AtomicBool::new(false) }
    }

    /// `None` while another one is under way.
    pub(super) fn enter(&self) -> Option<OnlyCollection<'_>> {
        let was_under_way = self.is_under_way.swap(true, Ordering::AcqRel);
        (!was_under_way).then(|| OnlyCollection(&self.is_under_way))
    }
}

impl Drop for OnlyCollection<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_collection_is_under_way_at_a_time() {
        let state = CollectionState::new(CollectionSettings::default());
        let first = state.enter().expect("nothing is under way");
        assert!(state.enter().is_none());
        drop(first);
        assert!(state.enter().is_some());
    }

    #[test]
    fn the_terms_look_back_by_the_settings() {
        let settings = CollectionSettings { grace: Duration::from_secs(2), moves_kept: Duration::MAX };
        let terms = settings.terms(10_000);
        assert_eq!((terms.now_ms, terms.untouched_since_ms), (10_000, 8_000));
        assert!(terms.moves_since_ms < 0, "for ever");
    }
}
