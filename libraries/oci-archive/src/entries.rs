//! The entries of a manifest, a line of JSON each, in the order of the tree.

use std::borrow::Cow;
use std::io::{BufRead, Read as _};
use std::sync::Arc;

use manifest_tree::{EntryKind, EntryPath, TreeEntry};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::ArchiveError;

/// The longest line: a path and metadata of the most bytes, with every character written as an escape.
pub const LINE_BYTES_MAX: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryLine<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    kind: LineKind,
    #[serde(borrow)]
    sha256: Cow<'a, str>,
    bytes: u64,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    media_type: Cow<'a, str>,
    /// Canonical JSON: the tree covers these very bytes.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LineKind {
    Artifact,
    Manifest,
}

/// The line of an entry, with its end. Metadata that are not JSON are an error.
pub fn entry_line(path: &EntryPath, entry: &TreeEntry) -> Result<Vec<u8>, ArchiveError> {
    let metadata: Option<&RawValue> = match &*entry.metadata {
        [] => None,
        written => Some(serde_json::from_slice(written).map_err(|error| wrong(0, error))?),
    };
    let line = EntryLine {
        path: path.as_str().into(),
        kind: match entry.kind {
            EntryKind::Artifact => LineKind::Artifact,
            EntryKind::Manifest => LineKind::Manifest,
        },
        sha256: entry.digest.to_string().into(),
        bytes: entry.bytes,
        media_type: (&*entry.media_type).into(),
        metadata,
    };
    let mut written = serde_json::to_vec(&line).map_err(|error| wrong(0, error))?;
    written.push(b'\n');
    Ok(written)
}

/// Reads entries line by line.
pub struct EntryLines<R> {
    source: R,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> EntryLines<R> {
    pub fn new(source: R) -> Self {
        Self { source, line: Vec::new(), number: 0 }
    }

    fn read(&mut self) -> Result<Option<(EntryPath, TreeEntry)>, ArchiveError> {
        self.line.clear();
        self.number += 1;
        self.source.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut self.line)?;
        if self.line.is_empty() {
            return Ok(None);
        }
        if self.line.pop() != Some(b'\n') {
            return Err(wrong(self.number, "it has no end, or is too long"));
        }
        let line: EntryLine<'_> =
            serde_json::from_slice(&self.line).map_err(|error| wrong(self.number, error))?;
        let path = EntryPath::new(&line.path).map_err(|error| wrong(self.number, error))?;
        let entry = TreeEntry {
            kind: match line.kind {
                LineKind::Artifact => EntryKind::Artifact,
                LineKind::Manifest => EntryKind::Manifest,
            },
            digest: line.sha256.parse().map_err(|error| wrong(self.number, error))?,
            bytes: line.bytes,
            media_type: Arc::from(&*line.media_type),
            metadata: line.metadata.map_or_else(|| Arc::from(&[][..]), |raw| Arc::from(raw.get().as_bytes())),
        };
        Ok(Some((path, entry)))
    }
}

impl<R: BufRead> Iterator for EntryLines<R> {
    type Item = Result<(EntryPath, TreeEntry), ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn wrong(line: u64, why: impl ToString) -> ArchiveError {
    ArchiveError::Entry { line, why: why.to_string() }
}
