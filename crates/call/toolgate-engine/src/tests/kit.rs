//! The place of a test: a folder, a store for blobs, and a link whose engine behaves as the test says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use engine_protocol::{
    Chunking, Classify, ContentId, EngineKind, FieldWeights, Fusion, IndexFile, IndexListing, IndexRef,
    Profile, Search, SearchFilter, SnippetRule, Stemming, WordScoring,
};
use tempfile::TempDir;
use toolgate_core::Digest;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_files::{Blobs, FilesSettings, StoragePlace};
use toolgate_store::Store;

use crate::settings::EngineSettings;
use crate::{EngineLink, EngineSetup};

/// The longest wait of a test.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Default)]
struct LinkClock(AtomicI64);

impl Clock for LinkClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.0.fetch_add(1, Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        self.now_ms() * 1_000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.0.fetch_add(1, Ordering::SeqCst))
    }
}

/// A link, and what is behind it.
pub(super) struct LinkScene {
    folder: TempDir,
    pub(super) blobs: Blobs,
    pub(super) link: Arc<EngineLink>,
}

/// A link whose engine answers with these lines of shell.
pub(super) async fn scene(behaviour: &str) -> LinkScene {
    scene_with(behaviour, |_| {}).await
}

/// The same with other settings.
pub(super) async fn scene_with(behaviour: &str, change: impl FnOnce(&mut EngineSettings)) -> LinkScene {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(LinkClock::default());
    let store = Store::open(folder.path()).await.expect("the store opens");
    let place = StoragePlace::Folder(folder.path().join("files"));
    let files = FilesSettings { place, ..FilesSettings::default() };
    let blobs = Blobs::new(&files, store, clock.clone()).expect("the blobs open");
    let mut settings = EngineSettings::in_folder(folder.path().join("engine"));
    settings.command = Some(stand_in());
    settings.limits.cancel = Duration::from_millis(300);
    change(&mut settings);
    fs::create_dir_all(&settings.folder).unwrap();
    fs::write(settings.folder.join("behaviour.sh"), behaviour).unwrap();
    let env = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    let setup =
        EngineSetup { settings, beside: Vec::new(), env, blobs: blobs.clone(), confiner: None, clock };
    LinkScene { folder, blobs, link: EngineLink::new(setup) }
}

pub(super) fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/engine.sh")
}

impl LinkScene {
    /// A file in the folder of the engine.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("engine").join(path)
    }

    /// Gives the engine another behaviour from its next start on.
    pub(super) fn behave(&self, behaviour: &str) {
        fs::write(self.at("behaviour.sh"), behaviour).unwrap();
    }

    /// The lines that the engine wrote to one of its files.
    pub(super) fn lines(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.at(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The number of engines that were started.
    pub(super) fn starts(&self) -> usize {
        self.lines("pids").len()
    }

    /// The number of requests of this method.
    pub(super) fn asked(&self, method: &str) -> usize {
        self.lines("asked").iter().filter(|asked| *asked == method).count()
    }

    pub(super) async fn stored(&self, text: &'static str) -> ContentId {
        let stored = self.blobs.put_bytes(text.into()).await.expect("stored");
        assert_eq!(stored.digest, Digest::of(text));
        content(text)
    }
}

/// Waits until something is so.
pub(super) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// The name of a text as a content.
pub(super) fn content(text: &str) -> ContentId {
    let digest = Digest::of(text).to_string();
    ContentId::try_from(digest["sha256:".len()..].to_owned()).expect("a digest")
}

pub(super) fn classify(docir: ContentId) -> Classify {
    Classify { docir, labels: Vec::new() }
}

pub(super) fn profile() -> Profile {
    Profile {
        name: "docs.default".to_owned(),
        version: 1,
        chunking: Chunking { words_max: 200, words_min: 40, overlap_sentences: 0 },
        fields: FieldWeights { title: 2.0, headings: 1.5, body: 1.0, path: 0.5 },
        words: WordScoring { k1: 1.2, b: 0.75, stemming: Stemming::English, candidates: 100, feedback: None },
        meaning: None,
        fusion: Fusion::Ranks { k: 60.0, words: 1.0, meaning: 1.0 },
        per_document: None,
        snippet: SnippetRule { tokens: 60, tokens_all: 600 },
    }
}

pub(super) fn listing(files: &[(&str, &str)]) -> IndexListing {
    let file = |(name, text): &(&str, &str)| IndexFile {
        name: (*name).to_owned(),
        content: content(text),
        bytes: text.len() as u64,
    };
    IndexListing {
        engine: EngineKind::Inside,
        format: 1,
        files: files.iter().map(file).collect(),
        documents: 1,
        chunks: 1,
        model: None,
        profile: "docs.default@1".to_owned(),
    }
}

pub(super) fn search(listing: IndexListing) -> Search {
    Search {
        indexes: vec![IndexRef { label: "a".to_owned(), listing }],
        query: "words".to_owned(),
        profile: profile(),
        top_k: 10,
        filter: SearchFilter::default(),
    }
}
