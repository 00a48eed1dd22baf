//! The place of a story: files, substrate, runs and desk are real; the engine makes a DocIR of a document's name.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use docir::{DocIrBuilder, DocumentNotes, NewText, TextKind};
use engine_protocol::{Classified, Classify, Parse, Parsed};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use toolgate_core::content::ContentHolder;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId, Refusal, codes};
use toolgate_documents::{DocumentEngine, Documents, DocumentsSetup, content_id};
use toolgate_files::{ArtifactSource, Files, FilesSettings, FilesSetup, StoragePlace};
use toolgate_runs::{
    ContentAuthor, RunContents, RunEntry, Runs, RunsSetup, StateAddress, StateBytes, WaitLimits,
};
use toolgate_stage::Stage;
use toolgate_store::{Actor, BooksSettings, Store};
use toolgate_substrate::{CollectionSettings, ManifestNote, NewFile, Substrate, SubstrateSetup};
use toolgate_work::{WorkDesk, WorkSettings, WorkSetup};

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => { toolgate_stage::on_both!($crate::world::DocumentsWorld: $($story),+); };
}

const START_MS: i64 = 1_789_999_200_000;
const OFTEN: Duration = Duration::from_millis(10);
/// The text of every document.
pub(crate) const TEXT: &str = "The tenant pays the rent on the first day of each month.";

#[derive(Default)]
struct DocumentsClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl Clock for DocumentsClock {
    fn now_ms(&self) -> i64 {
        START_MS + self.passed_ms.fetch_add(1, Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        self.passed_ms.load(Ordering::SeqCst) * 1_000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{:04}", self.ids.fetch_add(1, Ordering::SeqCst))
    }
}

/// Documents whose names say so cannot be read.
pub(crate) struct StoryEngine {
    files: Arc<Files>,
    parser: Mutex<String>,
    parses: Mutex<Vec<Parse>>,
    is_broken: Mutex<bool>,
}

impl StoryEngine {
    pub(crate) fn parses(&self) -> usize {
        self.parses.lock().len()
    }

    pub(crate) fn upgrade(&self, parser: &str) {
        *self.parser.lock() = parser.to_owned();
    }

    /// From now on it fails at every document.
    pub(crate) fn break_down(&self) {
        *self.is_broken.lock() = true;
    }

    async fn read(&self, parse: Parse) -> Result<Parsed, Refusal> {
        let name = parse.file_name.clone().unwrap_or_default();
        self.parses.lock().push(parse);
        if *self.is_broken.lock() {
            return Err(Refusal::new(&codes::ENGINE_FAILED, "the engine died"));
        }
        if name.contains("damaged") {
            return Err(Refusal::new(&codes::UNREADABLE_DOCUMENT, "the file is damaged"));
        }
        let mut builder = DocIrBuilder::new(&name, None);
        let text = NewText { text: TEXT.to_owned(), page: 1, ..NewText::default() };
        builder.text(TextKind::Paragraph, text);
        let bytes = Bytes::from(builder.finish(DocumentNotes::default()).write());
        let source = ArtifactSource::Bytes { bytes, media_type: docir::DOCIR_MEDIA_TYPE.to_owned() };
        let file_name = toolgate_files::file_name("docir.json")?;
        let stored = self.files.share_artifact(&ada(), file_name, source).await?.artifact;
        Ok(Parsed {
            docir: content_id(stored.digest),
            bytes: stored.bytes,
            media_type: "text/plain".to_owned(),
            pages: 1,
            items: 1,
            tables: 0,
            confidence: 1.0,
            warnings: Vec::new(),
        })
    }
}

impl DocumentEngine for StoryEngine {
    fn parser(&self) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(std::future::ready(Ok(self.parser.lock().clone())))
    }

    fn parse(&self, parse: Parse) -> BoxFuture<'_, Result<Parsed, Refusal>> {
        Box::pin(self.read(parse))
    }

    fn classify(&self, _classify: Classify) -> BoxFuture<'_, Result<Classified, Refusal>> {
        Box::pin(std::future::ready(Ok(Classified { scores: Vec::new(), method: "words".to_owned() })))
    }
}

/// Runs of these stories keep nothing.
struct LostContents;

fn nothing<T: Send + 'static>() -> BoxFuture<'static, Result<T, Refusal>> {
    Box::pin(std::future::ready(Err(Refusal::new(&codes::STORE_DOWN, "there are no contents here"))))
}

impl RunContents for LostContents {
    fn snapshot(
        &self,
        _author: ContentAuthor,
        _entries: Vec<RunEntry>,
        _message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>> {
        Box::pin(std::future::ready(Ok(Digest::of(""))))
    }

    fn check_manifest(&self, _digest: Digest) -> BoxFuture<'_, Result<(), Refusal>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn put_state(&self, _json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>> {
        nothing()
    }

    fn find_state<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>> {
        nothing()
    }

    fn read_state<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>> {
        nothing()
    }

    fn address<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>> {
        nothing()
    }
}

pub(crate) struct DocumentsWorld(Stage);

impl DocumentsWorld {
    pub(crate) fn sqlite() -> Self {
        Self(Stage::sqlite())
    }

    pub(crate) fn postgres() -> Self {
        Self(Stage::postgres())
    }

    pub(crate) async fn gateway(&self) -> DocumentsGateway {
        let folder = self.0.folder();
        let store = match self.0.url() {
            None => Store::open(folder).await,
            Some(url) => Store::open_url(folder, url).await,
        };
        let store = store.expect("the store opens");
        let settings = BooksSettings {
            stream: "one".into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("the books open"));
        let clock = Arc::<DocumentsClock>::default();
        let settings = FilesSettings {
            place: StoragePlace::Folder(folder.join("files")),
            public_url: Some("http://gateway.test".to_owned()),
            ..FilesSettings::default()
        };
        let files = Files::open(FilesSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: clock.clone(),
            settings,
            signing_key: [7; 32],
            shutdown: CancellationToken::new(),
        });
        let files = files.expect("the files open");
        let substrate = Substrate::new(SubstrateSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            files: Arc::clone(&files),
            clock: clock.clone(),
            collection: CollectionSettings::default(),
        });
        let runs = Runs::start_within(
            RunsSetup {
                store: store.clone(),
                books,
                clock: clock.clone(),
                contents: Arc::new(LostContents),
                stream: "one".to_owned(),
                shutdown: CancellationToken::new(),
            },
            WaitLimits::default(),
        );
        let runs = runs.await.expect("started");
        let settings =
            WorkSettings { beat: OFTEN, poll: OFTEN, pause: Duration::ZERO, ..WorkSettings::default() };
        let work = WorkDesk::new(WorkSetup {
            store: store.clone(),
            clock: clock.clone(),
            runs: Arc::clone(&runs),
            settings,
            stream: "one".to_owned(),
        });
        let engine = Arc::new(StoryEngine {
            files: Arc::clone(&files),
            parser: Mutex::new("docir-1".to_owned()),
            parses: Mutex::default(),
            is_broken: Mutex::default(),
        });
        let documents = Documents::new(DocumentsSetup {
            store: store.clone(),
            files: Arc::clone(&files),
            substrate: Arc::clone(&substrate),
            engine: engine.clone(),
            work: Arc::clone(&work),
            clock,
        });
        DocumentsGateway { documents, engine, work, runs, substrate, files, store }
    }
}

pub(crate) struct DocumentsGateway {
    pub(crate) documents: Arc<Documents>,
    pub(crate) engine: Arc<StoryEngine>,
    pub(crate) work: Arc<WorkDesk>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) substrate: Arc<Substrate>,
    files: Arc<Files>,
    pub(crate) store: Store,
}

impl DocumentsGateway {
    /// Stores a document as an artifact.
    pub(crate) async fn store(&self, content: &str) -> Digest {
        let name = toolgate_files::file_name("a.txt").expect("a name");
        let source = ArtifactSource::Text(content.to_owned());
        let stored = self.files.share_artifact(&ada(), name, source).await;
        stored.expect("stored").artifact.digest
    }

    /// A manifest of these paths, each with bytes of its own.
    pub(crate) async fn manifest(&self, paths: &[&str]) -> ManifestDigest {
        let mut files = Vec::new();
        for path in paths {
            let artifact = self.store(&format!("the bytes of {path}")).await;
            files.push(NewFile { path: (*path).to_owned(), artifact, metadata: None });
        }
        let made = self.substrate.make_manifest(files, &ManifestNote::default(), &ada()).await;
        made.expect("made").manifest.digest
    }
}

pub(crate) fn ada() -> Actor {
    Actor::person(&PrincipalId::new("ada"))
}
