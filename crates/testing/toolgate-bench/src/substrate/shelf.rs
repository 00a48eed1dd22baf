//! A store with the substrate over it, as the gateway has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_files::{Files, FilesSettings, FilesSetup, StoragePlace};
use toolgate_stage::postgres::Database;
use toolgate_store::{BooksSettings, Store};
use toolgate_substrate::{CollectionSettings, ManifestAuthor, Substrate, SubstrateSetup};

pub(super) struct BenchShelf {
    pub(super) name: &'static str,
    pub(super) substrate: Arc<Substrate>,
    store: Store,
    files: Arc<Files>,
    _folder: TempDir,
    _database: Option<Database>,
}

impl BenchShelf {
    /// On SQLite, or in a new database of a Postgres server.
    pub(super) async fn open(server: Option<&str>) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("make a folder")?;
        let database = server.map(Database::create);
        let store = match &database {
            Some(database) => Store::open_url(folder.path(), &database.url).await?,
            None => Store::open(folder.path()).await?,
        };
        let settings = BooksSettings {
            stream: "bench".to_owned(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await?);
        let clock = Arc::<BenchClock>::default();
        let place = StoragePlace::Folder(folder.path().join("files"));
        let setup = FilesSetup {
            store: store.clone(),
            books: books.clone(),
            clock: clock.clone(),
            settings: FilesSettings { place, ..FilesSettings::default() },
            signing_key: [0; 32],
            shutdown: CancellationToken::new(),
        };
        let files = Files::open(setup).map_err(told)?;
        let collection = CollectionSettings::default();
        let setup = SubstrateSetup { store: store.clone(), books, files: files.clone(), clock, collection };
        let name = if server.is_some() { "Postgres" } else { "SQLite" };
        let substrate = Substrate::new(setup);
        Ok(Self { name, substrate, store, files, _folder: folder, _database: database })
    }

    pub(super) async fn close(&self) {
        self.files.stop().await;
        self.store.close().await;
    }
}

pub(super) fn author() -> ManifestAuthor {
    ManifestAuthor::person(&PrincipalId::new("bench"))
}

pub(super) fn told(refusal: Refusal) -> anyhow::Error {
    anyhow::anyhow!("{}: {}", refusal.code, refusal.message)
}

#[derive(Default)]
struct BenchClock {
    ids: AtomicU64,
}

impl Clock for BenchClock {
    fn now_ms(&self) -> i64 {
        toolgate_store::clock::now_ms()
    }

    fn monotonic_us(&self) -> i64 {
        self.now_ms().saturating_mul(1_000)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.ids.fetch_add(1, Ordering::Relaxed))
    }
}
