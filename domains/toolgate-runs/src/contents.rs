//! The port to bytes: manifests of input and output, and saved states. They are kept elsewhere.

use toolgate_core::content::ContentHolder;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, PrincipalId, Refusal};

/// The origin of a manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContentAuthor {
    pub principal: PrincipalId,
    pub session: Option<SessionId>,
    pub run: Option<RunId>,
}

/// An entry of a manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunEntry {
    pub path: String,
    /// The path if `path` is none that a manifest takes. Without it, such an entry is refused.
    pub otherwise: Option<String>,
    pub content: RunEntryContent,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEntryContent {
    /// A JSON text that is stored first.
    Json(String),
    /// Bytes that are stored already.
    Stored(Digest),
}

/// The bytes of a state. Whoever stored them has an hour to write the row that uses them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateBytes {
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
}

/// An address that opens a state by itself, for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateAddress {
    pub url: String,
    pub expires_at_ms: i64,
}

pub trait RunContents: Send + Sync {
    /// Makes a manifest of these entries, and returns its digest.
    fn snapshot(
        &self,
        author: ContentAuthor,
        entries: Vec<RunEntry>,
        message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>>;

    /// Refuses a manifest that does not exist.
    fn check_manifest(&self, digest: Digest) -> BoxFuture<'_, Result<(), Refusal>>;

    /// Stores a state that came as JSON.
    fn put_state(&self, json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>>;

    /// The bytes that a file, a ref or an artifact of the caller has.
    fn find_state<'a>(
        &'a self,
        holder: &'a ContentHolder,
        id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>>;

    /// The text of a state of a few bytes. `None` if it is no text.
    fn read_state<'a>(&'a self, state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>>;

    fn address<'a>(&'a self, state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>>;
}
