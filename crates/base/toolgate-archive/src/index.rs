//! The index: every segment of the archive, in one file that is replaced as a whole.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use toolgate_core::Digest;
use toolgate_core::named_bytes::NamedObject;
use toolgate_store::LinePlace;

use crate::fault::{ArchiveFault, SegmentTrouble};
use crate::segment::SegmentFacts;

/// The version of the file's form.
const VERSION: u32 = 1;

/// A segment in the index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SegmentEntry {
    #[serde(flatten)]
    pub facts: SegmentFacts,
    pub digest: Digest,
    pub bytes: u64,
}

impl SegmentEntry {
    /// The name of the segment beside the files.
    pub fn name(&self) -> String {
        self.facts.name(self.digest)
    }
}

/// The file.
#[derive(Serialize, Deserialize)]
struct IndexFile {
    version: u32,
    /// By stream and number.
    segments: Vec<SegmentEntry>,
    /// The digest of the list, so that damage is noticed before anything relies on it.
    digest: Digest,
}

pub(crate) struct ArchiveIndex {
    pub(crate) segments: Vec<SegmentEntry>,
    /// The file as it was read.
    pub(crate) read: Option<NamedObject>,
}

/// The end of a stream in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ArchivedEnd {
    pub(crate) place: LinePlace,
    pub(crate) hash: Digest,
}

impl ArchiveIndex {
    pub(crate) fn read(tenant: &str, found: Option<NamedObject>) -> Result<Self, ArchiveFault> {
        let Some(object) = found else { return Ok(Self { segments: Vec::new(), read: None }) };
        let fault = |what| ArchiveFault::of_index(tenant, what);
        let segments = parse(&object.bytes).map_err(fault)?;
        Ok(Self { segments, read: Some(object) })
    }

    /// The file with these segments.
    pub(crate) fn encoded(&self) -> Bytes {
        let file = IndexFile {
            version: VERSION,
            segments: self.segments.clone(),
            digest: digest_of(&self.segments),
        };
        let mut text = serde_json::to_vec_pretty(&file).expect("an index is written as JSON");
        text.push(b'\n');
        text.into()
    }

    /// Adds a segment in its place.
    pub(crate) fn add(&mut self, entry: SegmentEntry) {
        self.segments.push(entry);
        self.sort();
    }

    pub(crate) fn sort(&mut self) {
        self.segments.sort_by(|a, b| place(a).cmp(&place(b)));
    }

    /// The end of a stream, if any of it is archived.
    pub(crate) fn end_of(&self, stream: &str) -> Option<ArchivedEnd> {
        let last = self.segments.iter().rfind(|entry| entry.facts.stream == stream)?;
        Some(ArchivedEnd { place: last.facts.end(), hash: last.facts.hash })
    }
}

fn place(entry: &SegmentEntry) -> (&str, i64) {
    (&entry.facts.stream, entry.facts.first)
}

fn parse(bytes: &[u8]) -> Result<Vec<SegmentEntry>, SegmentTrouble> {
    #[derive(Deserialize)]
    struct VersionOnly {
        version: u32,
    }
    let damaged = |_| SegmentTrouble::IndexDamaged;
    let VersionOnly { version } = serde_json::from_slice(bytes).map_err(damaged)?;
    if version > VERSION {
        return Err(SegmentTrouble::Newer);
    }
    let file: IndexFile = serde_json::from_slice(bytes).map_err(damaged)?;
    match digest_of(&file.segments) == file.digest {
        true => Ok(file.segments),
        false => Err(SegmentTrouble::IndexDamaged),
    }
}

fn digest_of(segments: &[SegmentEntry]) -> Digest {
    Digest::of(serde_json::to_vec(segments).expect("an index is written as JSON"))
}
