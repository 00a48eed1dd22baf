//! The refusals of the link: faults of the engine in the gateway's words.

use std::io;
use std::path::Path;
use std::time::Duration;

use engine_protocol::{ContentId, EngineErrorCode, EngineFault, IndexFile};
use toolgate_core::codes::{self, Code};
use toolgate_core::port::SourceError;
use toolgate_core::{Refusal, RefusalKind};

use crate::places::RequestClass;
use crate::process::StartTrouble;
use crate::waiting::RequestTrouble;

const CHECK_DISK: &str = "check the owner, the mode and the disk of the folder that `[engine] folder` names";

pub(crate) fn missing(why: &str) -> Refusal {
    Refusal::new(&codes::ENGINE_MISSING, format!("the engine is not installed: {why}"))
}

pub(crate) fn not_started(trouble: &StartTrouble) -> Refusal {
    let refusal = Refusal::new(&codes::ENGINE_FAILED, trouble.to_string());
    match trouble {
        StartTrouble::Protocol { .. } => {
            refusal.hint("install the `toolgate-engine` that came with this gateway")
        }
        StartTrouble::Folder { .. } => refusal.hint(CHECK_DISK),
        StartTrouble::Confine(_) => refusal.hint("`toolgate doctor` says what this machine lacks for it"),
        _ => refusal,
    }
}

pub(crate) fn stopped() -> Refusal {
    Refusal::new(&codes::ENGINE_FAILED, "the gateway is ending, and the engine with it")
}

pub(crate) fn resting(why: &str, left: Duration) -> Refusal {
    let message = format!("the engine is left alone for a while, since it failed repeatedly: {why}");
    let hint = format!(
        "it is started again in {} seconds at the earliest; the log of the gateway has its last words",
        left.as_secs() + 1
    );
    Refusal::new(&codes::ENGINE_FAILED, message).hint(hint)
}

pub(crate) fn busy(limit: Duration) -> Refusal {
    let message = format!(
        "the engine has too much to do: the request found no place within {} seconds",
        limit.as_secs()
    );
    Refusal::new(&codes::ENGINE_FAILED, message).hint("try again when there is less to do")
}

/// A request that ended without its answer.
pub(crate) fn unanswered(trouble: RequestTrouble, class: RequestClass) -> Refusal {
    match trouble {
        RequestTrouble::Fault(fault) => faulty(fault, class),
        RequestTrouble::Ended(why) => {
            Refusal::new(&codes::ENGINE_FAILED, format!("the engine {why} while it worked on the request"))
        }
        trouble => Refusal::new(&codes::ENGINE_FAILED, trouble.to_string()),
    }
}

/// An answer that is none.
pub(crate) fn garbled(error: &serde_json::Error) -> Refusal {
    Refusal::new(
        &codes::ENGINE_FAILED,
        format!("the engine answered with something that is no answer: {error}"),
    )
}

fn faulty(fault: EngineFault, class: RequestClass) -> Refusal {
    let EngineFault { code, message, hint, .. } = fault;
    let (code, message) = match (told_as(code, class), code) {
        (told, EngineErrorCode::MissingContents) => {
            (told, "the engine still lacks contents that were brought to it".to_owned())
        }
        (told, _) if *told == codes::UNREADABLE_DOCUMENT => {
            (told, format!("the document cannot be read: {message}"))
        }
        (told, _) => (told, message),
    };
    let refusal = Refusal::new(code, message);
    match hint {
        Some(hint) => refusal.hint(hint),
        None if refusal.hint.is_empty() => refusal.hint("the message says what to change"),
        None => refusal,
    }
}

fn told_as(code: EngineErrorCode, class: RequestClass) -> &'static Code {
    match (code, class) {
        (EngineErrorCode::Unreadable, _)
        | (EngineErrorCode::TooLarge | EngineErrorCode::TimedOut, RequestClass::Document) => {
            &codes::UNREADABLE_DOCUMENT
        }
        (EngineErrorCode::BadRequest | EngineErrorCode::TooLarge, _) => &codes::INVALID_ARGUMENTS,
        (EngineErrorCode::Damaged, _) => &codes::INDEX_DAMAGED,
        (EngineErrorCode::Outdated, _) => &codes::INDEX_OUTDATED,
        (EngineErrorCode::Unsupported, _) => &codes::UNSUPPORTED,
        (
            EngineErrorCode::MissingContents
            | EngineErrorCode::UnknownBuild
            | EngineErrorCode::TimedOut
            | EngineErrorCode::Cancelled
            | EngineErrorCode::Internal,
            _,
        ) => &codes::ENGINE_FAILED,
    }
}

/// A file of an index is not in the storage any more, or is not what it was.
pub(crate) fn lost_file(file: &IndexFile, why: &str) -> Refusal {
    Refusal::new(&codes::INDEX_DAMAGED, format!("the file {:?} of the index cannot be had: {why}", file.name))
}

/// A content that broke off on its way from the storage.
pub(crate) fn broken_off(error: &SourceError) -> Refusal {
    Refusal::new(&codes::FILE_CHANGED, error.0.clone()).kind(RefusalKind::Gone).hint("store the file again")
}

pub(crate) fn slow_storage(limit: Duration) -> Refusal {
    let message = format!("the storage of files did not give a content within {} seconds", limit.as_secs());
    Refusal::new(&codes::STORAGE_DOWN, message).hint("try again later")
}

pub(crate) fn too_large(bytes: u64, max: u64) -> Refusal {
    let message = format!("a content has {bytes} bytes; the engine takes {max} at most");
    Refusal::new(&codes::FILE_TOO_LARGE, message)
}

pub(crate) fn bad_folder(path: &Path, error: &io::Error) -> Refusal {
    let message = format!("the folder of the engine cannot be written: {}: {error}", path.display());
    Refusal::new(&codes::ENGINE_FAILED, message).hint(CHECK_DISK)
}

pub(crate) fn not_made(content: &ContentId, error: &io::Error) -> Refusal {
    let message = format!("the engine named the content {} and did not leave it: {error}", content.as_str());
    Refusal::new(&codes::ENGINE_FAILED, message)
}

pub(crate) fn other_bytes(content: &ContentId) -> Refusal {
    let message = format!("the engine left other bytes under the name {}", content.as_str());
    Refusal::new(&codes::ENGINE_FAILED, message)
}
