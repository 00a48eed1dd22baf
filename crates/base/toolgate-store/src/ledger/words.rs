//! Words that every event has, created once: the database driver needs an owned text for each value.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use toolgate_core::event::{DecisionKind, EventKind, Outcome};

static WORDS: LazyLock<HashMap<&'static str, Arc<str>>> = LazyLock::new(|| {
    let kinds = EventKind::ALL.iter().map(|kind| kind.as_str());
    let outcomes = Outcome::ALL.iter().map(|outcome| outcome.as_str());
    let decisions = DecisionKind::ALL.iter().map(|decision| decision.as_str());
    let all = kinds.chain(outcomes).chain(decisions).chain([crate::store::TENANT]);
    all.map(|word| (word, word.into())).collect()
});

pub(super) fn word(text: &str) -> Arc<str> {
    WORDS.get(text).map_or_else(|| text.into(), Arc::clone)
}
