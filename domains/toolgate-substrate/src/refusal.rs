//! The refusals of the substrate.

use manifest_tree::{BlobDigest, EntryError, METADATA_BYTES_MAX, PathError, TreeError};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal, codes};
use toolgate_store::{StoreError, StoreManifestError};

use crate::limits::NESTING_MAX;

/// The number of characters of a caller's path that a message repeats.
const PATH_CHARS_MAX: usize = 120;

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: StoreError) -> Refusal {
    match error {
        StoreError::BytesGone { .. } => {
            Refusal::new(&codes::STORAGE_BUSY, "the same bytes are being deleted at this moment")
        }
        error => {
            tracing::warn!(%error, "manifests cannot be read or changed");
            Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
        }
    }
}

pub(crate) fn not_stored(error: StoreManifestError) -> Refusal {
    match error {
        StoreManifestError::UnknownManifest(digest) => unknown_manifest(&digest),
        StoreManifestError::UnknownArtifact(digest) => unknown_artifact(&digest, None),
        StoreManifestError::UnknownRoot(root) => damaged(format!("the root {root} is missing")),
        StoreManifestError::Store(error) => down(error),
    }
}

/// A manifest that never was and one of another tenant look the same.
pub fn unknown_manifest(digest: &ManifestDigest) -> Refusal {
    Refusal::new(&codes::UNKNOWN_MANIFEST, format!("there is no manifest {digest}"))
}

/// An artifact that is not there, or that the caller may not use. `path` is the entry that names it.
pub(crate) fn unknown_artifact(digest: &Digest, path: Option<&str>) -> Refusal {
    let message = match path {
        Some(path) => format!("there is no artifact {digest}, which the entry {} names", shown(path)),
        None => format!("there is no artifact {digest}"),
    };
    Refusal::new(&codes::UNKNOWN_ARTIFACT, message)
        .hint("upload it with substrate.artifact.upload first; its answer has the digest")
}

pub(crate) fn bad_path(path: &str, error: PathError) -> Refusal {
    Refusal::new(&codes::BAD_PATH, format!("the path {} cannot be kept: {error}", shown(path)))
}

pub(crate) fn metadata_too_large(of: &str, bytes: usize, max: usize) -> Refusal {
    let message = format!("{of} has {bytes} bytes; at most {max} are kept");
    Refusal::new(&codes::METADATA_TOO_LARGE, message)
}

pub(crate) fn entry_metadata_too_large(path: &str, bytes: usize) -> Refusal {
    metadata_too_large(&format!("the metadata of {}", shown(path)), bytes, METADATA_BYTES_MAX)
}

pub(crate) fn too_many(what: &str, count: usize, max: usize) -> Refusal {
    let message = format!("the call names {count} {what}; one call takes {max} at most");
    Refusal::new(&codes::TOO_MANY_ENTRIES, message)
}

pub(crate) fn too_many_changes(max: usize) -> Refusal {
    Refusal::new(&codes::TOO_MANY_CHANGES, format!("there are more than {max} changes"))
}

pub(crate) fn unknown_path(path: &str) -> Refusal {
    let message = format!("the base has no entry at {}, so it cannot be removed", shown(path));
    Refusal::new(&codes::UNKNOWN_PATH, message)
}

pub(crate) fn invalid(message: impl Into<String>, hint: &str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint)
}

pub(crate) fn nested_too_deep() -> Refusal {
    let message = format!("manifests within manifests are read {NESTING_MAX} deep at most");
    invalid(message, "name the inner manifest itself")
}

pub(crate) fn bad_cursor(text: &str) -> Refusal {
    let message = format!("{text:?} is not a cursor of an earlier page");
    Refusal::new(&codes::INVALID_CURSOR, message).field("cursor")
}

pub(crate) fn history_too_long(message: String) -> Refusal {
    Refusal::new(&codes::HISTORY_TOO_LONG, message)
}

/// Something stored is not what it was. The log has it too: an operator has to act.
pub(crate) fn damaged(message: String) -> Refusal {
    tracing::error!(%message, "a stored manifest is damaged");
    Refusal::new(&codes::DAMAGED_MANIFEST, message)
}

pub(crate) fn missing_node(digest: BlobDigest) -> Refusal {
    damaged(format!("the node sha256:{digest} of a manifest is missing"))
}

/// The error of a tree operation.
pub(crate) fn tree(error: TreeError) -> Refusal {
    match &error {
        TreeError::Duplicate { .. } => Refusal::new(&codes::DUPLICATE_PATH, error.to_string()),
        TreeError::FileAndFolder { .. } => Refusal::new(&codes::FILE_AND_FOLDER, error.to_string()),
        TreeError::TooManyChanges { max } => too_many_changes(*max),
        TreeError::Entry { path, source: EntryError::MetadataTooLong } => {
            let message = format!("the metadata of {path} has more than {METADATA_BYTES_MAX} bytes");
            Refusal::new(&codes::METADATA_TOO_LARGE, message)
        }
        TreeError::Entry { path, source } => invalid(format!("{path}: {source}"), "give another entry"),
        TreeError::TooLarge => invalid(error.to_string(), "leave out the largest entries"),
        TreeError::OutOfOrder { .. } | TreeError::OtherBytes { .. } | TreeError::Damaged { .. } => {
            damaged(error.to_string())
        }
    }
}

/// A path as it was written, if it is short and can be read.
fn shown(path: &str) -> String {
    let start: String = path.chars().take(PATH_CHARS_MAX).collect();
    format!("{start:?}")
}
