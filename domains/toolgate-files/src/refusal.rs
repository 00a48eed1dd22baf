//! The refusals of this crate.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use toolgate_core::codes;
use toolgate_core::file::{Artifact, BadFileName, FileName, Ref};
use toolgate_core::id::{FileId, UploadId};
use toolgate_core::port::SourceError;
use toolgate_core::{Digest, PrincipalId, Refusal, RefusalKind};
use toolgate_store::StoreError;

use crate::files::StoredKind;

pub(crate) fn down(error: StoreError) -> Refusal {
    match error {
        StoreError::BytesGone { .. } => being_deleted(),
        error => {
            tracing::warn!(%error, "the store of the files is not available");
            Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
        }
    }
}

pub(crate) fn no_folder(folder: &Path, error: &std::io::Error) -> Refusal {
    let message = format!("the folder for files, {}, cannot be used: {error}", folder.display());
    Refusal::new(&codes::STORAGE_DOWN, message).hint("check its owner, its mode and its disk")
}

/// The rare moment at which unused bytes are needed again while they are deleted.
pub(crate) fn being_deleted() -> Refusal {
    let message = "the same bytes are being deleted at this moment";
    Refusal::new(&codes::STORAGE_BUSY, message)
}

pub(crate) fn cut_off(bytes: u64, error: &impl Display) -> Refusal {
    let message = format!("the upload broke off after {bytes} bytes: {error}");
    Refusal::new(&codes::UPLOAD_CUT_OFF, message)
}

/// The refusal of an upload that is too large.
pub fn too_large(bytes_max: u64) -> Refusal {
    let message = format!("this has more than {bytes_max} bytes, which is the limit here");
    Refusal::new(&codes::FILE_TOO_LARGE, message)
        .hint("send something smaller, or ask the operator to raise the limit")
}

/// A file that could not be read to its end.
pub(crate) fn broken_off(error: &SourceError) -> Refusal {
    Refusal::new(&codes::FILE_CHANGED, error.0.clone()).kind(RefusalKind::Gone).hint("store the file again")
}

pub(crate) fn bad_name(error: BadFileName) -> Refusal {
    Refusal::new(&codes::BAD_FILE_NAME, error.to_string())
}

/// Parses a file name.
pub fn file_name(name: &str) -> Result<FileName, Refusal> {
    FileName::new(name).map_err(bad_name)
}

/// The maximum number of characters of a caller's text in an answer.
const SHOWN_CHARS_MAX: usize = 100;

pub(crate) fn unknown(what: UnknownContent, id: &str) -> Refusal {
    let (code, noun) = match what {
        UnknownContent::File => (&codes::UNKNOWN_FILE, "file"),
        UnknownContent::Ref => (&codes::UNKNOWN_REF, "ref"),
        UnknownContent::Artifact => (&codes::UNKNOWN_ARTIFACT, "artifact"),
        UnknownContent::Upload => (&codes::UNKNOWN_UPLOAD, "upload URL"),
    };
    Refusal::new(code, format!("there is no {noun} {}", shown(id)))
        .hint("it may have been deleted, have expired, or belong to another principal")
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnknownContent {
    File,
    Ref,
    Artifact,
    Upload,
}

impl UnknownContent {
    pub(crate) fn of(what: StoredKind) -> Self {
        match what {
            StoredKind::File => UnknownContent::File,
            StoredKind::Ref => UnknownContent::Ref,
            StoredKind::Artifact => UnknownContent::Artifact,
        }
    }
}

/// An id as written, unless it is not one.
fn shown(id: &str) -> String {
    if id.len() <= SHOWN_CHARS_MAX && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return id.to_owned();
    }
    let start: String = id.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{start:?}")
}

pub(crate) fn not_yours(id: &FileId) -> Refusal {
    let message = format!("{id} may be used here, but only its owner may delete it");
    Refusal::new(&codes::NOT_ALLOWED, message)
}

pub(crate) fn not_for_others() -> Refusal {
    let message = "only admins and operators store files for other principals";
    Refusal::new(&codes::NOT_ALLOWED, message).field("owner")
}

pub(crate) fn bad_owner(name: &str) -> Refusal {
    let message = format!("a principal cannot be called {}", shown(name));
    Refusal::new(&codes::BAD_OWNER, message).field("owner")
}

pub(crate) fn bad_keep(keep: Option<Duration>) -> Refusal {
    let message = match keep {
        Some(keep) => format!("a file is kept for 1 to {} seconds here", keep.as_secs()),
        None => "a file is kept for a second at least".to_owned(),
    };
    Refusal::new(&codes::BAD_EXPIRY, message).field("expires_in_seconds")
}

pub(crate) fn too_much_kept(owner: &PrincipalId, kept: u64, max: u64) -> Refusal {
    let message = format!("{kept} bytes of files are kept for {owner}, who may have {max}");
    Refusal::new(&codes::STORAGE_QUOTA, message)
}

pub(crate) fn not_content(digest: &Digest) -> Refusal {
    let message = format!("auditors may know of the artifact {digest}, but not read it");
    Refusal::new(&codes::NOT_ALLOWED, message)
}

pub(crate) fn not_fetched(one: &Ref) -> Refusal {
    let message = format!("what {} stands for is still with the server that made it", one.id);
    Refusal::new(&codes::REF_NOT_FETCHED, message)
}

pub(crate) fn artifact_conflict(existing: &Artifact) -> Refusal {
    let message = format!(
        "this run has an artifact {:?} already, with other bytes: {}",
        existing.name.as_str(),
        existing.digest
    );
    Refusal::new(&codes::ARTIFACT_CONFLICT, message)
}

pub(crate) fn bad_base64(error: &base64::DecodeError) -> Refusal {
    Refusal::new(&codes::BAD_BASE64, format!("the content is no Base64: {error}"))
}

pub(crate) fn bad_range(bytes: u64) -> Refusal {
    Refusal::new(&codes::BAD_RANGE, format!("none of the wanted bytes are there; it has {bytes}"))
}

pub(crate) fn bad_address() -> Refusal {
    Refusal::new(&codes::BAD_ADDRESS, "this URL was not issued here, or was changed")
}

pub(crate) fn address_expired() -> Refusal {
    Refusal::new(&codes::ADDRESS_EXPIRED, "this URL has expired")
}

pub(crate) fn no_public_url() -> Refusal {
    Refusal::new(&codes::NO_PUBLIC_URL, "the gateway does not know its public URL")
}

pub(crate) fn upload_used(id: &UploadId) -> Refusal {
    Refusal::new(&codes::UPLOAD_USED, format!("the upload URL {id} was used, or is in use"))
}

pub(crate) fn upload_expired(id: &UploadId) -> Refusal {
    Refusal::new(&codes::UPLOAD_EXPIRED, format!("the upload URL {id} has expired"))
}

pub(crate) fn slow_storage() -> Refusal {
    Refusal::new(&codes::STORAGE_DOWN, "the storage takes too long to delete bytes")
}
