//! The place of tests: their own store, and their own storage, in a folder or at an S3 server.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

pub(crate) mod fake_s3;

use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt, stream};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolgate_core::content::ContentHolder;
use toolgate_core::event::EventFilter;
use toolgate_core::file::FileName;
use toolgate_core::governance::Clock;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::port::{BoxFuture, SourceError, TextStream};
use toolgate_core::{Principal, PrincipalId, Role};
use toolgate_store::{Books, BooksSettings, LedgerOrder, Store};

use crate::files::{Files, FilesSetup};
use crate::settings::{FilesSettings, S3Storage, StoragePlace};

/// Makes two tests of each story.
macro_rules! on_every_storage {
    ($($story:ident),+ $(,)?) => {
        mod in_a_folder {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story($crate::fixture::FilesWorld::folder().await).await;
                }
            )+
        }
        mod in_s3 {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story($crate::fixture::FilesWorld::s3().await).await;
                }
            )+
        }
    };
}
pub(crate) use on_every_storage;

/// Time advances only when a story lets it.
#[derive(Default)]
pub(crate) struct FilesClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl FilesClock {
    pub(crate) fn advance(&self, by: Duration) {
        self.passed_ms.fetch_add(i64::try_from(by.as_millis()).expect("not so long"), Ordering::SeqCst);
    }
}

impl Clock for FilesClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.passed_ms.load(Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        self.passed_ms.load(Ordering::SeqCst) * 1000
    }

    /// Nothing happens by itself: stories decide when to collect.
    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}fresh{:04}", self.ids.fetch_add(1, Ordering::SeqCst))
    }
}

pub(crate) struct FilesWorld {
    pub(crate) folder: TempDir,
    pub(crate) clock: Arc<FilesClock>,
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) settings: FilesSettings,
    pub(crate) files: Arc<Files>,
}

impl FilesWorld {
    pub(crate) async fn folder() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn s3() -> Self {
        Self::with(|settings| settings.place = StoragePlace::S3(real_s3())).await
    }

    /// A gateway that is set up otherwise.
    pub(crate) async fn with(change: impl FnOnce(&mut FilesSettings)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut settings = FilesSettings {
            place: StoragePlace::Folder(folder.path().join("files")),
            public_url: Some("http://gateway.test/base/".to_owned()),
            ..FilesSettings::default()
        };
        change(&mut settings);
        let (store, books) = open_store(folder.path(), "one").await;
        let clock = Arc::<FilesClock>::default();
        let files = open(&store, &books, &clock, &settings);
        Self { folder, clock, store, books, settings, files }
    }

    /// Another gateway on the same store and storage.
    pub(crate) async fn another(&self) -> Arc<Files> {
        let (store, books) = open_store(self.folder.path(), "two").await;
        open(&store, &books, &self.clock, &self.settings)
    }

    /// The ledger events of a kind, the oldest first.
    pub(crate) async fn told(&self, kind: &str) -> Vec<serde_json::Value> {
        let all = EventFilter::default();
        let events =
            self.store.ledger_page(&all, None, 1000, LedgerOrder::OldestFirst).await.expect("events");
        let told = events.into_iter().filter(|one| one.event.kind.as_str() == kind);
        told.map(|one| one.event.detail.expect("a detail").decode().expect("JSON")).collect()
    }
}

async fn open_store(folder: &Path, stream: &str) -> (Store, Arc<Books>) {
    let store = Store::open(&folder.join("data")).await.expect("the store opens");
    let books = BooksSettings {
        stream: stream.to_owned(),
        approved_valid: Duration::from_secs(60),
        escalate_to: Vec::new(),
    };
    let books = Arc::new(store.books(books).await.expect("the books open"));
    (store, books)
}

fn open(store: &Store, books: &Arc<Books>, clock: &Arc<FilesClock>, settings: &FilesSettings) -> Arc<Files> {
    let setup = FilesSetup {
        store: store.clone(),
        books: Arc::clone(books),
        clock: clock.clone(),
        settings: settings.clone(),
        signing_key: [7; 32],
        shutdown: CancellationToken::new(),
    };
    Files::open(setup).expect("the files open")
}

pub(crate) fn s3_at(endpoint: &str) -> S3Storage {
    S3Storage {
        bucket: "bucket".to_owned(),
        prefix: "some/prefix".to_owned(),
        endpoint: Some(endpoint.to_owned()),
        region: "us-east-1".to_owned(),
        access_key_id: "AKIDFORTESTS".to_owned(),
        secret_access_key: "SECRETFORTESTS".to_owned(),
        allow_http: true,
    }
}

/// The server that `script/test` has started, or one that is started now and stays.
fn real_s3() -> S3Storage {
    static SERVER: OnceLock<String> = OnceLock::new();
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let server = SERVER.get_or_init(|| std::env::var("TOOLGATE_TEST_S3").unwrap_or_else(|_| start()));
    let words: Vec<&str> = server.split_whitespace().collect();
    let [endpoint, bucket, access_key_id, secret_access_key] = words[..] else { panic!("{server}") };
    S3Storage {
        bucket: bucket.to_owned(),
        prefix: format!("files-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)),
        access_key_id: access_key_id.to_owned(),
        secret_access_key: secret_access_key.to_owned(),
        ..s3_at(endpoint)
    }
}

fn start() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../script/s3");
    let started = Command::new(script).arg("start").output().expect("script/s3 can be run");
    assert!(started.status.success(), "there is no S3 server for the tests: {started:?}");
    let said = String::from_utf8(started.stdout).expect("an address is text");
    said.trim().lines().last().expect("it says where it is").to_owned()
}

pub(crate) fn person(name: &str, role: Role) -> Principal {
    Principal::new(PrincipalId::new(name), role)
}

/// An agent in a session.
pub(crate) fn holder(name: &str, session: &str, run: Option<&str>) -> ContentHolder {
    ContentHolder {
        principal: person(name, Role::Agent),
        session: SessionId::new(session),
        opened_by: None,
        run: run.map(RunId::new),
        call: None,
    }
}

pub(crate) fn name(name: &str) -> FileName {
    FileName::new(name).expect("a name")
}

/// Bytes that repeat nowhere.
pub(crate) fn noise(bytes: usize) -> Bytes {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes as u64;
    let mut noise = Vec::with_capacity(bytes + 8);
    while noise.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.extend_from_slice(&state.to_le_bytes());
    }
    noise.truncate(bytes);
    noise.into()
}

/// As a client sends them.
pub(crate) fn sent(bytes: &Bytes) -> impl Stream<Item = Result<Bytes, SourceError>> + Send + use<> {
    let pieces: Vec<_> = bytes.chunks(100_000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    stream::iter(pieces)
}

/// As sent by a client that leaves in the middle.
pub(crate) fn cut(bytes: &Bytes) -> impl Stream<Item = Result<Bytes, SourceError>> + Send + use<> {
    let half = bytes.slice(..bytes.len() / 2);
    let end = stream::iter([Err(SourceError("connection reset".to_owned()))]);
    futures_util::StreamExt::chain(sent(&half), end)
}

/// Begins to receive bytes from a client that falls silent after the last of them, and gives up when all were
/// received.
pub(crate) async fn abandon<F: Future>(
    bytes: &Bytes,
    take: impl FnOnce(Pin<Box<dyn Stream<Item = Result<Bytes, SourceError>> + Send>>) -> F,
) {
    let (taken, silence) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let last = {
        let (taken, silence) = (Arc::clone(&taken), Arc::clone(&silence));
        stream::once(async move {
            taken.notify_one();
            silence.notified().await;
            Err(SourceError("nobody gets here".to_owned()))
        })
    };
    let stream = futures_util::StreamExt::chain(sent(bytes), last);
    tokio::select! {
        _ = take(Box::pin(stream)) => panic!("it ended"),
        () = taken.notified() => {}
    }
}

pub(crate) async fn collected(stream: TextStream) -> Result<Vec<u8>, SourceError> {
    stream.try_collect::<Vec<Bytes>>().await.map(|pieces| pieces.concat())
}
