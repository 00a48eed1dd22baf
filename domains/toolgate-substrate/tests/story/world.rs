//! The place of a story: a store, a folder for bytes, and the substrate over both.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeEntry};
use tokio_util::sync::CancellationToken;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_files::{Files, FilesSettings, FilesSetup, StoragePlace};
use toolgate_stage::Stage;
use toolgate_store::{Books, BooksSettings, Store};
use toolgate_substrate::{
    CollectionSettings, Manifest, ManifestAuthor, ManifestNote, NamedContents, SnapshotContent,
    SnapshotEntry, Substrate, SubstrateSetup,
};

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => { toolgate_stage::on_both!($crate::world::SubstrateWorld: $($story),+); };
}

/// Time goes on by a millisecond whenever it is asked for.
#[derive(Default)]
struct SubstrateClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl Clock for SubstrateClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.passed_ms.fetch_add(1, Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        self.passed_ms.load(Ordering::SeqCst) * 1_000
    }

    /// Nothing happens by itself.
    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{:04}", self.ids.fetch_add(1, Ordering::SeqCst))
    }
}

/// Each gateway has its own stream.
static GATEWAYS: AtomicU64 = AtomicU64::new(0);

pub(crate) struct SubstrateWorld(Stage);

/// A gateway of which only the substrate is real.
pub(crate) struct SubstrateGateway {
    pub(crate) store: Store,
    pub(crate) substrate: Arc<Substrate>,
    books: Arc<Books>,
    files: Arc<Files>,
    clock: Arc<SubstrateClock>,
}

impl SubstrateWorld {
    pub(crate) fn sqlite() -> Self {
        Self(Stage::sqlite())
    }

    pub(crate) fn postgres() -> Self {
        Self(Stage::postgres())
    }

    pub(crate) async fn gateway(&self) -> SubstrateGateway {
        let folder = self.0.folder();
        let store = match self.0.url() {
            None => Store::open(folder).await,
            Some(url) => Store::open_url(folder, url).await,
        };
        let store = store.expect("the store opens");
        let settings = BooksSettings {
            stream: format!("story-{}", GATEWAYS.fetch_add(1, Ordering::Relaxed)),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("the books open"));
        let clock = Arc::<SubstrateClock>::default();
        let settings = FilesSettings {
            place: StoragePlace::Folder(folder.join("files")),
            public_url: Some("http://gateway.test".to_owned()),
            ..FilesSettings::default()
        };
        let setup = FilesSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: clock.clone(),
            settings,
            signing_key: [7; 32],
            shutdown: CancellationToken::new(),
        };
        let files = Files::open(setup).expect("the files open");
        let setup = SubstrateSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            files: Arc::clone(&files),
            clock: clock.clone(),
            collection: CollectionSettings::default(),
        };
        SubstrateGateway { store, substrate: Substrate::new(setup), books, files, clock }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.0.url().is_some()
    }

    /// A change by someone with direct access to the database.
    pub(crate) fn run_on_postgres(&self, statement: &str) {
        self.0.database().expect("a story on Postgres").run(statement);
    }
}

impl SubstrateGateway {
    pub(crate) fn books(&self) -> &Books {
        &self.books
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Lets time go by.
    pub(crate) fn pass(&self, span: Duration) {
        let ms = i64::try_from(span.as_millis()).expect("a short time");
        self.clock.passed_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// A manifest of texts by path.
    pub(crate) async fn snapshot(
        &self,
        entries: &[(&str, &str)],
        message: &str,
    ) -> Result<Manifest, Refusal> {
        let entries = entries.iter().map(|(path, text)| text_entry(path, text)).collect();
        self.substrate.snapshot(&ann(), entries, message).await
    }
}

impl SubstrateGateway {
    /// A manifest with one entry, which names another manifest.
    pub(crate) async fn name_manifest(&self, at: &str, named: &Manifest) -> Manifest {
        let entry = TreeEntry {
            kind: EntryKind::Manifest,
            digest: BlobDigest::new(*named.digest.as_bytes()),
            bytes: named.bytes,
            media_type: Arc::from(""),
            metadata: Arc::default(),
        };
        let tree = self.substrate.store_tree([(path(at), entry)]).await.expect("stored");
        let contents = NamedContents { manifests: vec![named.digest], ..NamedContents::default() };
        let note = ManifestNote { message: "names another".to_owned(), ..ManifestNote::default() };
        let made = self.substrate.record_manifest(&ann(), tree, note, &contents).await;
        made.expect("stored").manifest
    }
}

pub(crate) fn ann() -> ManifestAuthor {
    ManifestAuthor::person(&PrincipalId::new("ann"))
}

pub(crate) fn path(text: &str) -> EntryPath {
    EntryPath::new(text).expect("a path")
}

pub(crate) fn text_entry(at: &str, text: &str) -> SnapshotEntry {
    let content =
        SnapshotContent::Bytes { bytes: Bytes::from(text.to_owned()), media_type: "text/plain".to_owned() };
    SnapshotEntry { path: path(at), content, metadata: None }
}
