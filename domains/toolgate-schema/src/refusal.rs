//! The refusals of this crate, with hints.

use schema_words::{CompatibilityFinding, SchemaFlaw};
use toolgate_core::schema::{CompatibilityMode, SchemaRecord, SchemaState};
use toolgate_core::{Refusal, codes};
use toolgate_store::{SchemaChangeError, StoreError};

/// The number of characters of a validator's complaint that are passed on.
const COMPLAINT_CHARS_MAX: usize = 500;

/// `the schema "invoice" in "billing"`
pub(crate) fn called(namespace: &str, name: &str) -> String {
    format!("the schema {name:?} in {namespace:?}")
}

pub(crate) fn unknown(namespace: &str, name: &str) -> Refusal {
    let message = format!("{} does not exist, or no version of it is active", called(namespace, name));
    Refusal::new(&codes::UNKNOWN_SCHEMA, message)
}

pub(crate) fn unknown_version(namespace: &str, name: &str, version: u64) -> Refusal {
    let message = format!("there is no version {version} of {}", called(namespace, name));
    Refusal::new(&codes::UNKNOWN_SCHEMA, message).field("version")
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "schemas cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn flawed(flaw: &SchemaFlaw) -> Refusal {
    let code = match flaw {
        SchemaFlaw::TooLarge(_) | SchemaFlaw::TooDeep | SchemaFlaw::TooManyParts => &codes::SCHEMA_TOO_LARGE,
        _ => &codes::BAD_SCHEMA,
    };
    Refusal::new(code, format!("this schema cannot be kept: {flaw}")).field("definition")
}

/// A validator cannot use it.
pub(crate) fn unusable(reason: &str) -> Refusal {
    let reason: String = reason.chars().take(COMPLAINT_CHARS_MAX).collect();
    let message = format!("this schema cannot be kept: {reason}");
    Refusal::new(&codes::BAD_SCHEMA, message).field("definition")
}

/// A value was not checked, or not in full.
pub(crate) fn unchecked(reason: &str) -> Refusal {
    let reason: String = reason.chars().take(COMPLAINT_CHARS_MAX).collect();
    Refusal::new(&codes::BAD_SCHEMA, format!("the value was not checked: {reason}"))
}

pub(crate) fn invalid(message: impl Into<String>, field: &'static str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).field(field)
}

/// A change that the store refused.
pub(crate) fn changed(
    error: SchemaChangeError,
    (namespace, name, version): (&str, &str, u64),
    expected: Option<u64>,
) -> Refusal {
    match error {
        SchemaChangeError::Unknown => unknown_version(namespace, name, version),
        SchemaChangeError::OtherName { kind, mode } => {
            let (kind, mode) = (kind.as_str(), mode.as_str());
            let message =
                format!("{} has the type {kind} and the compatibility {mode}", called(namespace, name));
            Refusal::new(&codes::SCHEMA_CONFLICT, message)
        }
        SchemaChangeError::State { state } => wrong_state(namespace, name, version, state),
        SchemaChangeError::Stale { active } => stale(namespace, name, active, expected),
        SchemaChangeError::TooManyVersions { max } => {
            let message = format!("{} has {max} versions, which is the limit", called(namespace, name));
            Refusal::new(&codes::SCHEMA_TOO_LARGE, message).hint("register it under another name")
        }
        SchemaChangeError::Store(error) => down(&error),
    }
}

pub(crate) fn wrong_state(namespace: &str, name: &str, version: u64, state: SchemaState) -> Refusal {
    let message = format!(
        "version {version} of {} is {}; only a draft is promoted, and only the active version is deprecated",
        called(namespace, name),
        state.as_str()
    );
    Refusal::new(&codes::SCHEMA_STATE, message)
}

/// Another version is active than the caller or the review saw.
pub(crate) fn stale(namespace: &str, name: &str, active: Option<u64>, expected: Option<u64>) -> Refusal {
    let now = match active {
        Some(active) => format!("version {active} of {} is active", called(namespace, name)),
        None => format!("no version of {} is active", called(namespace, name)),
    };
    let message = match expected {
        Some(0) => format!("{now}, and none was expected"),
        Some(expected) => format!("{now}, not {expected}"),
        None => format!("{now} now"),
    };
    Refusal::new(&codes::SCHEMA_STALE, message).field("expected")
}

/// The approval was given for something else.
pub(crate) fn not_agreed(namespace: &str, name: &str) -> Refusal {
    let message = format!("the promotion of {} is not what was agreed to any more", called(namespace, name));
    Refusal::new(&codes::SCHEMA_STALE, message).hint("call again, which asks the approvers again")
}

/// A version that breaks its promise, or is not known to keep it. `None` if it keeps it.
pub(crate) fn broken(
    draft: &SchemaRecord,
    earlier: u64,
    mode: CompatibilityMode,
    finding: &CompatibilityFinding,
) -> Option<Refusal> {
    let (which, mode) = (called(&draft.namespace, &draft.name), mode.as_str());
    let version = draft.version;
    match finding {
        CompatibilityFinding::Compatible => None,
        CompatibilityFinding::Incompatible(..) => {
            let message = format!(
                "version {version} of {which} does not keep the compatibility {mode} towards version {earlier}: {}",
                finding.words()
            );
            Some(Refusal::new(&codes::INCOMPATIBLE_SCHEMA, message).field("version"))
        }
        CompatibilityFinding::Unproven(..) => {
            let message = format!(
                "it is not known whether version {version} of {which} keeps the compatibility {mode} towards version \
                 {earlier}: {}",
                finding.words()
            );
            Some(Refusal::new(&codes::UNPROVEN_SCHEMA, message).field("version"))
        }
    }
}

pub(crate) fn too_many_to_compare(draft: &SchemaRecord, max: usize) -> Refusal {
    let message = format!(
        "{} has {max} promoted versions or more, too many to compare all of them",
        called(&draft.namespace, &draft.name)
    );
    Refusal::new(&codes::UNPROVEN_SCHEMA, message).hint("register it under another name")
}
