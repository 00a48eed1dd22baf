//! Contents in memory: manifests under the digest of their entries, states under that of their text.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use toolgate_core::content::ContentHolder;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, Refusal, codes};
use toolgate_runs::{ContentAuthor, RunContents, RunEntry, RunEntryContent, StateAddress, StateBytes};
use toolgate_store::Store;

/// A manifest as its paths, each with the text of its content.
pub(crate) type Listing = BTreeMap<String, String>;

pub(crate) struct StoryContents {
    store: Store,
    manifests: Mutex<BTreeMap<Digest, Listing>>,
    states: Mutex<BTreeMap<Digest, String>>,
}

impl StoryContents {
    pub(crate) fn new(store: &Store) -> Self {
        Self { store: store.clone(), manifests: Mutex::default(), states: Mutex::default() }
    }

    pub(crate) fn listing(&self, digest: Digest) -> Listing {
        self.manifests.lock().get(&digest).cloned().expect("a manifest of this story")
    }
}

fn content(entry: RunEntry) -> (String, String) {
    let text = match entry.content {
        RunEntryContent::Json(text) => text,
        RunEntryContent::Stored(digest) => digest.to_string(),
    };
    (entry.path, text)
}

impl RunContents for StoryContents {
    fn snapshot(
        &self,
        _author: ContentAuthor,
        entries: Vec<RunEntry>,
        _message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>> {
        let listing: Listing = entries.into_iter().map(content).collect();
        let digest = Digest::of(format!("{listing:?}"));
        self.manifests.lock().insert(digest, listing);
        Box::pin(std::future::ready(Ok(digest)))
    }

    fn check_manifest(&self, digest: Digest) -> BoxFuture<'_, Result<(), Refusal>> {
        let known = self.manifests.lock().contains_key(&digest);
        let unknown = || Refusal::new(&codes::UNKNOWN_ARTIFACT, format!("there is no manifest {digest}"));
        Box::pin(std::future::ready(if known { Ok(()) } else { Err(unknown().hint("make it first")) }))
    }

    fn put_state(&self, json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>> {
        Box::pin(async move {
            let (digest, bytes) = (Digest::of(&json), json.len() as u64);
            self.store.touch_blob(&digest, bytes, 0).await.expect("the store is up");
            self.states.lock().insert(digest, json);
            Ok(StateBytes { digest, bytes, media_type: "application/json".to_owned() })
        })
    }

    fn find_state<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>> {
        let bytes: u64 = id.parse().expect("a story names a file by its size");
        let state = StateBytes { digest: Digest::of(id), bytes, media_type: "text/plain".to_owned() };
        Box::pin(std::future::ready(Ok(state)))
    }

    fn read_state<'a>(&'a self, state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>> {
        Box::pin(std::future::ready(Ok(self.states.lock().get(&state.digest).cloned())))
    }

    fn address<'a>(&'a self, state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>> {
        let url = format!("http://gateway.test/{}", state.digest);
        Box::pin(std::future::ready(Ok(StateAddress { url, expires_at_ms: 0 })))
    }
}
