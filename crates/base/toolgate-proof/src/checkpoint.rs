//! Checkpoints: what all streams of a ledger were at one time, signed.
//!
//! A checkpoint has one note for each stream, as C2SP `tlog-checkpoint` describes it, and the notes follow
//! each other with an empty line between them. The origin of a note is the name of the key, a slash and the
//! stream. Three lines follow size and root: the store, the set of streams (their number, and the root of a
//! tree with their names as leaves), and the time. So each note can be passed on alone, a note that was left
//! out is noticed, and a stream that did not exist yet is not called removed.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolgate_core::Digest;
use toolgate_core::moment::{parse_rfc3339, rfc3339};

use crate::key::{CheckpointKey, VerifierKey};
use crate::note::{BadNote, SignedNote};
use crate::tree;

/// The maximum size of a checkpoint file that is read.
const STREAMS_MAX: usize = 100_000;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadCheckpoint {
    #[error(transparent)]
    Note(#[from] BadNote),
    #[error("it is signed, but it is not a checkpoint of a ledger")]
    Form,
    #[error("it is of {origin}, and the key that signed it is the key of {key}")]
    OtherOrigin { origin: String, key: String },
    #[error("its notes do not belong together: one of them is of another store, time or set of streams")]
    Mixed,
    #[error(
        "notes of some of its streams are missing, or stand there twice: it covers {expected}, and has {found}"
    )]
    Incomplete { expected: u64, found: usize },
    #[error("the stream {0:?} cannot be named in a checkpoint")]
    Stream(String),
    #[error("there is no stream to sign")]
    Empty,
}

/// The tree of one stream at one time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamRoot {
    pub stream: String,
    /// The number of its events.
    pub size: u64,
    pub root: Digest,
}

/// The trees of all streams of a store at one time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerCheckpoint {
    /// The store's name for itself.
    pub store: String,
    pub at_ms: i64,
    /// In the order of their names.
    pub streams: Vec<StreamRoot>,
}

/// One note of a checkpoint, whose signature is right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedStream {
    pub tree: StreamRoot,
    pub store: String,
    pub at_ms: i64,
    /// The public key that signed it.
    pub key: VerifierKey,
    set: StreamSet,
}

/// The number of streams, and the root over their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StreamSet {
    count: u64,
    root: Digest,
}

impl StreamSet {
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let leaves: Vec<Digest> = names.map(|name| tree::leaf(name.as_bytes())).collect();
        Self { count: leaves.len() as u64, root: tree::root(&leaves) }
    }
}

impl LedgerCheckpoint {
    /// True if a stream of this name can be signed.
    pub fn can_name(stream: &str) -> bool {
        is_stream(stream)
    }

    /// The notes, in the order of the streams.
    pub fn sign(&self, key: &CheckpointKey) -> Result<Vec<SignedNote>, BadCheckpoint> {
        let names = || self.streams.iter().map(|one| one.stream.as_str());
        if let Some(bad) = names().find(|name| !is_stream(name)) {
            return Err(BadCheckpoint::Stream(bad.to_owned()));
        }
        if self.streams.is_empty() {
            return Err(BadCheckpoint::Empty);
        }
        let set = StreamSet::of(names());
        Ok(self.streams.iter().map(|one| SignedNote::sign(self.text(one, set, key), key)).collect())
    }

    fn text(&self, one: &StreamRoot, set: StreamSet, key: &CheckpointKey) -> String {
        let StreamRoot { stream, size, root } = one;
        let (name, store, time) = (key.public().name(), &self.store, rfc3339(self.at_ms));
        let (root, StreamSet { count, root: names }) = (encoded(*root), set);
        let names = encoded(names);
        format!("{name}/{stream}\n{size}\n{root}\nstore {store}\nstreams {count} {names}\ntime {time}\n")
    }

    /// The file of some notes.
    pub fn file(notes: &[SignedNote]) -> String {
        notes.iter().map(SignedNote::to_string).collect::<Vec<_>>().join("\n")
    }

    /// The notes of a file, whose signatures are not checked yet.
    pub fn notes(file: &str) -> Result<Vec<SignedNote>, BadCheckpoint> {
        notes_of(file)
    }

    /// Reads a file, and checks that it has exactly the streams that were signed.
    pub fn open(file: &str, keys: &[VerifierKey]) -> Result<Self, BadCheckpoint> {
        let notes = notes_of(file)?;
        let opened: Vec<SignedStream> =
            notes.iter().map(|note| SignedStream::open(note, keys)).collect::<Result<_, _>>()?;
        let Some(first) = opened.first() else { return Err(BadCheckpoint::Form) };
        let is_beside =
            |one: &SignedStream| (one.at_ms, one.set, &one.store) == (first.at_ms, first.set, &first.store);
        if !opened.iter().all(is_beside) {
            return Err(BadCheckpoint::Mixed);
        }
        if StreamSet::of(opened.iter().map(|one| one.tree.stream.as_str())) != first.set {
            return Err(BadCheckpoint::Incomplete { expected: first.set.count, found: opened.len() });
        }
        let (store, at_ms) = (first.store.clone(), first.at_ms);
        Ok(Self { store, at_ms, streams: opened.into_iter().map(|one| one.tree).collect() })
    }
}

impl SignedStream {
    /// Reads one note.
    pub fn open(note: &SignedNote, keys: &[VerifierKey]) -> Result<Self, BadCheckpoint> {
        let (text, key) = note.open(keys)?;
        let mut lines = text.lines();
        let mut next = || lines.next().ok_or(BadCheckpoint::Form);
        let (origin, stream) = next()?.rsplit_once('/').ok_or(BadCheckpoint::Form)?;
        let (size, root) = (number(next()?)?, digest(next()?)?);
        let store = after("store ", next()?)?.to_owned();
        let (count, names) = after("streams ", next()?)?.split_once(' ').ok_or(BadCheckpoint::Form)?;
        let set = StreamSet { count: number(count)?, root: digest(names)? };
        let at_ms = parse_rfc3339(after("time ", next()?)?).ok_or(BadCheckpoint::Form)?;
        if lines.next().is_some() {
            return Err(BadCheckpoint::Form);
        }
        if origin != key.name() {
            let (origin, key) = (origin.to_owned(), key.name().to_owned());
            return Err(BadCheckpoint::OtherOrigin { origin, key });
        }
        let tree = StreamRoot { stream: stream.to_owned(), size, root };
        Ok(Self { tree, store, at_ms, key: key.clone(), set })
    }
}

/// The notes of a file, whose signatures are not checked yet. A note has one empty line: before its
/// signatures.
pub(crate) fn notes_of(file: &str) -> Result<Vec<SignedNote>, BadCheckpoint> {
    let parts: Vec<&str> = file.trim_end_matches('\n').split("\n\n").collect();
    if !parts.len().is_multiple_of(2) || parts.len() / 2 > STREAMS_MAX {
        return Err(BadNote::Form.into());
    }
    let notes = parts.chunks_exact(2).map(|part| SignedNote::parse(&format!("{}\n\n{}\n", part[0], part[1])));
    Ok(notes.collect::<Result<_, _>>()?)
}

fn is_stream(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && !name.chars().any(char::is_control)
}

fn after<'a>(word: &str, line: &'a str) -> Result<&'a str, BadCheckpoint> {
    line.strip_prefix(word).ok_or(BadCheckpoint::Form)
}

/// A number as C2SP has it: without a sign and without zeros before it.
fn number(text: &str) -> Result<u64, BadCheckpoint> {
    let number = u64::from_str(text).ok().filter(|number| number.to_string() == text);
    number.ok_or(BadCheckpoint::Form)
}

fn encoded(digest: Digest) -> String {
    STANDARD.encode(digest.as_bytes())
}

fn digest(text: &str) -> Result<Digest, BadCheckpoint> {
    let bytes = STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.map(Digest::from_bytes).ok_or(BadCheckpoint::Form)
}

#[cfg(test)]
mod tests;
