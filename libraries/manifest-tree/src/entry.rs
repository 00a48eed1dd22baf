//! An entry of the tree: the thing that a path names.

use std::sync::Arc;

use crate::digest::BlobDigest;

/// The most bytes of an entry's metadata.
pub const METADATA_BYTES_MAX: usize = 4096;
/// The most bytes of a media type: two names of 127 bytes and a slash.
pub const MEDIA_TYPE_BYTES_MAX: usize = 255;

/// The kind of blob that an entry names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    Artifact,
    Manifest,
}

/// An entry without its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeEntry {
    pub kind: EntryKind,
    pub digest: BlobDigest,
    /// The size of the blob.
    pub bytes: u64,
    /// Printable ASCII; empty if it is not known.
    pub media_type: Arc<str>,
    /// Canonical JSON, or nothing. The tree compares these bytes and does not read them: the caller makes them canonical.
    pub metadata: Arc<[u8]>,
}

/// An entry within a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EntryView<'a> {
    pub kind: EntryKind,
    pub digest: BlobDigest,
    pub bytes: u64,
    pub media_type: &'a str,
    pub metadata: &'a [u8],
}

/// The reason why an entry cannot be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EntryError {
    #[error("the metadata has more than {METADATA_BYTES_MAX} bytes")]
    MetadataTooLong,
    #[error("the media type has more than {MEDIA_TYPE_BYTES_MAX} bytes")]
    MediaTypeTooLong,
    #[error("the media type has characters that are not printable ASCII")]
    MediaTypeCharacters,
}

impl TreeEntry {
    pub(crate) fn view(&self) -> EntryView<'_> {
        EntryView {
            kind: self.kind,
            digest: self.digest,
            bytes: self.bytes,
            media_type: &self.media_type,
            metadata: &self.metadata,
        }
    }
}

impl EntryView<'_> {
    pub(crate) fn to_entry(self) -> TreeEntry {
        TreeEntry {
            kind: self.kind,
            digest: self.digest,
            bytes: self.bytes,
            media_type: Arc::from(self.media_type),
            metadata: Arc::from(self.metadata),
        }
    }

    pub(crate) fn check(&self) -> Result<(), EntryError> {
        if self.metadata.len() > METADATA_BYTES_MAX {
            return Err(EntryError::MetadataTooLong);
        }
        if self.media_type.len() > MEDIA_TYPE_BYTES_MAX {
            return Err(EntryError::MediaTypeTooLong);
        }
        if !self.media_type.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(EntryError::MediaTypeCharacters);
        }
        Ok(())
    }
}
