//! A vault in a temporary folder, for tests.

use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use toolgate_core::ServerName;
use toolgate_store::{Books, BooksSettings, Store};

use crate::key::VaultKey;
use crate::vault::Vault;

pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) vault: Vault,
    _folder: TempDir,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let settings = BooksSettings {
            stream: "one".into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.unwrap());
        let vault = Vault::new(store.clone(), Arc::clone(&books), key("aa"));
        Self { store, books, vault, _folder: folder }
    }

    /// The same rows, seen with another key.
    pub(crate) fn with_key(&self, key: VaultKey) -> Vault {
        Vault::new(self.store.clone(), Arc::clone(&self.books), key)
    }
}

/// A key of one byte in hex, over and over.
pub(crate) fn key(byte: &str) -> VaultKey {
    VaultKey::from_environment("TOOLGATE_VAULT_KEY", &byte.repeat(32)).unwrap()
}

pub(crate) fn server(name: &str) -> ServerName {
    ServerName::new(name).unwrap()
}
