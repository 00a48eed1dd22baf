//! A ledger in its own folder.

use std::ops::Range;
use std::time::Duration;

use tempfile::TempDir;
use toolgate_core::event::{Event, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger;
use toolgate_store::{Books, BooksSettings, SinkStart, Store};

use super::completed;

pub(super) struct TestLedger {
    pub(super) store: Store,
    pub(super) books: Books,
    _folder: TempDir,
}

impl TestLedger {
    /// With a place for `sink` at its beginning, whenever the courier starts.
    pub(super) async fn open(sink: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("a store");
        let settings = BooksSettings {
            stream: "one".into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = store.books(settings).await.expect("books");
        store.create_sink(sink, SinkStart::FromStart).await.expect("a sink");
        Self { store, books, _folder: folder }
    }

    pub(super) async fn append(&self, events: Vec<Event>) {
        self.books.append(LedgerEntry { events, ..LedgerEntry::default() }).await.expect("recorded");
    }

    pub(super) async fn append_calls(&self, calls: Range<i32>) {
        self.append(calls.map(|call| completed(&format!("tc_{call}"), Outcome::Succeeded)).collect()).await;
    }
}
