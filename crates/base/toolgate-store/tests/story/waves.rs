//! Waves of deeds at two gateways, for stories that hold in any order of them.

use std::fmt::Debug;

use proptest::prelude::*;
use toolgate_store::{Books, Store};

use crate::world::StoreWorld;

pub(crate) const CASES: u32 = 24;

#[derive(Clone, Debug)]
pub(crate) struct Wave<D> {
    /// All at once, each at one of two gateways.
    pub(crate) deeds: Vec<(D, bool)>,
    pub(crate) then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    GoOn,
    /// Both gateways die while the deeds are in progress.
    Crash,
}

/// At least one wave, and at least one deed in each.
pub(crate) fn waves<D: Clone + Debug>(
    deed: impl Strategy<Value = D>,
    deeds_max: usize,
    waves_max: usize,
) -> impl Strategy<Value = Vec<Wave<D>>> {
    let then = prop_oneof![4 => Just(Then::GoOn), 1 => Just(Then::Crash)];
    let wave = (prop::collection::vec((deed, any::<bool>()), 1..=deeds_max), then);
    prop::collection::vec(wave.prop_map(|(deeds, then)| Wave { deeds, then }), 1..=waves_max)
}

/// Two gateways on one database.
pub(crate) struct Gateways {
    pub(crate) store: Store,
    pub(crate) books: [Books; 2],
}

impl Gateways {
    /// Statements that the database already has are left to it.
    pub(crate) async fn crash(self) {
        for books in &self.books {
            books.writer().close().await;
        }
    }
}

/// Runs a story on SQLite, with a runtime that it may block on.
pub(crate) fn on_sqlite(story: impl Fn(&tokio::runtime::Runtime, &StoreWorld)) {
    story(&runtime(), &StoreWorld::sqlite());
}

pub(crate) fn on_postgres(story: impl Fn(&tokio::runtime::Runtime, &StoreWorld)) {
    story(&runtime(), &StoreWorld::postgres());
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}
