//! The refusals of the tools over pointers, with hints.

use serde_json::json;
use toolgate_core::pointer::{BadPointerPath, ExpectedHead, MoveRefusal, Pointer, PointerPath};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes, moment};
use toolgate_domain::unknown_pointer;
use toolgate_store::PointerError;

use crate::refusal::{down, unknown_manifest};

pub(super) fn bad_path(error: &BadPointerPath) -> Refusal {
    Refusal::new(&codes::BAD_POINTER, error.to_string())
        .hint("such as namespace \"project/a\" and name \"handbook\"")
        .field(error.what)
}

/// A tool would change a pointer of the gateway's own.
pub(super) fn of_gateway(path: &PointerPath) -> Refusal {
    let message =
        format!("{:?} is a namespace of the gateway's own, where it alone moves pointers", path.namespace());
    Refusal::new(&codes::BAD_POINTER, message)
        .hint("choose a namespace that does not begin with \"toolgate.\"")
        .field("namespace")
}

/// A part of the gateway would keep a pointer outside of its own namespaces.
pub(super) fn not_of_gateway(path: &PointerPath) -> Refusal {
    let message = format!("{path} does not belong to the gateway itself, so it moves by a tool alone");
    Refusal::new(&codes::BAD_POINTER, message).hint("choose a namespace that begins with \"toolgate.\"")
}

/// The same for a pointer that is not there and one that the session has not mounted.
pub(super) fn unknown(path: &PointerPath) -> Refusal {
    unknown_pointer(path.namespace(), path.name())
}

/// Everything but a pointer that has moved, which needs a look at the history of manifests.
pub(super) fn unchanged(path: &PointerPath, error: PointerError) -> Refusal {
    match error {
        PointerError::Unknown => unknown(path),
        PointerError::NameTaken(taken) => name_taken(&taken),
        PointerError::Moved(pointer) => moved(&pointer, None, None),
        PointerError::Refused(refusal) => refused(path, refusal),
        PointerError::UnknownManifest(manifest) => unknown_manifest(&manifest),
        PointerError::Store(error) => down(error),
    }
}

fn name_taken(taken: &Pointer) -> Refusal {
    let (name, namespace) = (taken.path.name(), taken.path.namespace());
    let is_there = if taken.deleted_at_ms.is_some() { "was" } else { "is" };
    let message = format!(
        "there {is_there} a pointer {name:?} in {namespace:?} already: {}, a {}",
        taken.id,
        taken.kind.as_str()
    );
    Refusal::new(&codes::POINTER_EXISTS, message)
}

pub(super) fn refused(path: &PointerPath, refusal: MoveRefusal) -> Refusal {
    match refusal {
        MoveRefusal::Fixed => {
            Refusal::new(&codes::POINTER_FIXED, format!("{path} is a snapshot, which never moves"))
        }
        MoveRefusal::HeadNotNamed => {
            let message = format!("{path} is a corpus: its moves name the manifest that they replace");
            Refusal::new(&codes::EXPECTED_REQUIRED, message).field("expected_sha256")
        }
        MoveRefusal::NotApproved => gate_required(path),
    }
}

fn gate_required(path: &PointerPath) -> Refusal {
    let message =
        format!("{path} is a corpus: people agree to each of its moves, and nobody was asked about this one");
    Refusal::new(&codes::GATE_REQUIRED, message).hint(
        "use substrate.pointer.promote in a session at the level standard or stricter, or have a gate written for this tool; \
         a standing grant is not enough",
    )
}

/// Both manifests, and the nearest one that both come from.
pub(super) fn moved(
    pointer: &Pointer,
    expected: Option<ManifestDigest>,
    ancestor: Option<ManifestDigest>,
) -> Refusal {
    let named = |digest: Option<ManifestDigest>| digest.map_or("nothing".to_owned(), |one| one.to_string());
    let mut message =
        format!("{} leads to {}, not to {}", pointer.path, named(pointer.manifest), named(expected));
    if let Some(ancestor) = ancestor {
        message.push_str(&format!("; their common ancestor is {ancestor}"));
    }
    let details = json!({
        "pointer": pointer.id, "version": pointer.version, "expected_sha256": expected,
        "current_sha256": pointer.manifest, "ancestor_sha256": ancestor,
    });
    Refusal::new(&codes::POINTER_MOVED, message)
        .hint("merge with the current manifest (substrate.manifest.merge), and move again with it as expected_sha256")
        .field("expected_sha256")
        .details(details)
}

/// The manifest that a move was to replace.
pub(super) fn expected_of(expected: ExpectedHead) -> Option<ManifestDigest> {
    match expected {
        ExpectedHead::Any => None,
        ExpectedHead::Exactly(manifest) => manifest,
    }
}

pub(super) fn empty_snapshot() -> Refusal {
    Refusal::new(&codes::BAD_POINTER, "a snapshot leads to its manifest from the start")
        .hint("give it as manifest_sha256")
        .field("manifest_sha256")
}

pub(super) fn full_corpus() -> Refusal {
    Refusal::new(&codes::GATE_REQUIRED, "people agree to the first manifest of a corpus too")
        .hint("create it without manifest_sha256, then use substrate.pointer.promote")
        .field("manifest_sha256")
}

pub(super) fn not_a_corpus(pointer: &Pointer) -> Refusal {
    let message =
        format!("{} is a {}, and only a corpus is promoted to", pointer.path, pointer.kind.as_str());
    Refusal::new(&codes::NOT_A_CORPUS, message)
}

pub(super) fn one_source() -> Refusal {
    let message = "a promotion has one source: `manifest_sha256`, or `source_name`";
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint("give one of them").field("manifest_sha256")
}

pub(super) fn empty_source(source: &Pointer) -> Refusal {
    let message = format!("{} is empty, so there is nothing to promote", source.path);
    Refusal::new(&codes::UNKNOWN_MANIFEST, message).hint("advance it first").field("source_name")
}

/// The approval was given for something else.
pub(super) fn not_agreed(path: &PointerPath) -> Refusal {
    let message = format!("the move of {path} is not what was agreed to any more");
    Refusal::new(&codes::FILE_CHANGED, message).hint("call again, which asks the approvers again")
}

pub(super) fn not_in_history(pointer: &Pointer, manifest: Option<ManifestDigest>) -> Refusal {
    let message = match manifest {
        Some(manifest) => format!("{} never led to {manifest}", pointer.path),
        None => format!("{} led to no other manifest before", pointer.path),
    };
    Refusal::new(&codes::NOT_IN_HISTORY, message)
}

pub(super) fn beyond_retention(
    pointer: &Pointer,
    manifest: ManifestDigest,
    left_at_ms: i64,
    kept: &str,
) -> Refusal {
    let left = moment::rfc3339(left_at_ms);
    let message = format!("{} left {manifest} on {left}, and moves are retained for {kept}", pointer.path);
    let hint = "if the manifest is still there, substrate.pointer.advance or .promote moves to it; a snapshot keeps one for good";
    Refusal::new(&codes::BEYOND_RETENTION, message).hint(hint)
}
