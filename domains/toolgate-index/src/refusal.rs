//! The refusals of this crate, with hints.

use toolgate_core::pointer::BadPointerPath;
use toolgate_core::{Refusal, RefusalKind, codes};
use toolgate_store::StoreError;

use crate::source::IndexSource;

/// The characters of a caller's text that a message repeats.
const SHOWN_CHARS_MAX: usize = 120;

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "indexes cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn invalid(message: impl Into<String>, field: &'static str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).field(field)
}

pub(crate) fn bad_pointer(error: &BadPointerPath) -> Refusal {
    Refusal::new(&codes::BAD_POINTER, error.to_string()).field(error.what)
}

pub(crate) fn bad_hit(text: &str) -> Refusal {
    let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    invalid(format!("{shown:?} is no hit"), "hit").hint("give `hit` of a hit of index.search")
}

pub(crate) fn bad_profile(file: &str, flaw: impl std::fmt::Display) -> Refusal {
    Refusal::new(&codes::BAD_PROFILE, format!("the profile {file} cannot be used: {flaw}"))
}

pub(crate) fn unknown_profile<'a>(
    name: &str,
    version: Option<u32>,
    known: impl Iterator<Item = &'a str>,
) -> Refusal {
    let shown: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    let message = match version {
        Some(version) => format!("there is no profile {shown:?} with version {version}"),
        None => format!("there is no profile {shown:?}"),
    };
    let known: Vec<&str> = known.collect();
    Refusal::new(&codes::UNKNOWN_PROFILE, message)
        .hint(format!("there are {}", known.join(", ")))
        .field("profile")
}

/// Nothing of the scope has an index.
pub(crate) fn no_index(source: Option<&IndexSource>, profile: &str) -> Refusal {
    let message = match source {
        Some(source) => format!("{source} has no index of the profile {profile}"),
        None => format!("nothing in the scope has an index of the profile {profile}"),
    };
    Refusal::new(&codes::NO_INDEX, message).field("scope")
}

/// A pointer that leads nowhere yet has nothing to index.
pub(crate) fn empty_pointer(source: &IndexSource) -> Refusal {
    let message = format!("{source} leads to no manifest yet");
    Refusal::new(&codes::NO_INDEX, message).hint("move the pointer to a manifest first").field("target")
}

pub(crate) fn under_way(profile: &str, run: &str) -> Refusal {
    let message = format!("the index of {profile} that is measured is not built yet; run {run} builds it");
    Refusal::new(&codes::INDEX_UNDER_WAY, message)
}

pub(crate) fn not_for_traces(session: &str) -> Refusal {
    Refusal::new(&codes::NOT_ALLOWED, format!("{session} does not search traces"))
        .hint("search them in a session of your own, outside of a run")
}

/// True if the refusal is about one document, and others can go on.
pub(crate) fn is_about_document(refusal: &Refusal) -> bool {
    !matches!(refusal.kind, RefusalKind::Down | RefusalKind::TooMany)
}

/// True if an index has to be built anew: a file of it is not what it was, or not there, or of another form.
pub(crate) fn is_about_index(refusal: &Refusal) -> bool {
    [&codes::INDEX_DAMAGED, &codes::INDEX_OUTDATED].contains(&refusal.code)
}

/// The refusal of a search none of whose indexes is sound.
pub(crate) fn all_damaged(refusal: Refusal) -> Refusal {
    refusal.hint("it is being built anew from its corpus; index.status shows when it is there")
}
