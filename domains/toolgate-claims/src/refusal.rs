//! The refusals of this crate, with hints.

use toolgate_core::claim::{Claim, ClaimState};
use toolgate_core::{Digest, Refusal, codes};
use toolgate_store::{ClaimChangeError, ClaimTypeError, StoreError};

/// The number of characters of a quotation that a refusal repeats.
const QUOTE_CHARS_SHOWN: usize = 80;

pub(crate) fn unknown(id: &str) -> Refusal {
    let id: String = id.chars().take(QUOTE_CHARS_SHOWN).collect();
    Refusal::new(&codes::UNKNOWN_CLAIM, format!("there is no claim {id:?}"))
}

pub(crate) fn unknown_type(name: &str) -> Refusal {
    let message = format!("there is no type of claims {:?}", shortened(name));
    Refusal::new(&codes::UNKNOWN_CLAIM_TYPE, message).field("type")
}

pub(crate) fn unknown_option(kind: &str, option: &str, known: &[&str]) -> Refusal {
    let message = format!("a claim of the type {kind:?} is not resolved as {:?}", shortened(option));
    Refusal::new(&codes::UNKNOWN_CLAIM_TYPE, message)
        .hint(format!("choose one of: {}", known.join(", ")))
        .field("option")
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "claims cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn invalid(message: impl Into<String>, field: &'static str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).field(field)
}

pub(crate) fn own(claim: &Claim, principal: &str) -> Refusal {
    let message = format!("{principal} wrote the claim {} and does not decide on it", claim.id);
    Refusal::new(&codes::OWN_CLAIM, message)
}

pub(crate) fn not_yours(claim: &Claim) -> Refusal {
    let message = format!("the claim {} is of {}", claim.id, claim.created_by);
    Refusal::new(&codes::NOT_YOUR_CLAIM, message)
}

/// A claim that is in no state to be decided on.
pub(crate) fn not_open(claim: &Claim) -> Refusal {
    let why = match claim.state {
        ClaimState::Draft => "is draft, and only a submitted claim is decided",
        ClaimState::Decided => "is decided, and the decision holds",
        ClaimState::Superseded => "is superseded by another one",
        ClaimState::Submitted | ClaimState::UnderReview => "is being decided on",
    };
    Refusal::new(&codes::CLAIM_STATE, format!("the claim {} {why}", claim.id))
}

pub(crate) fn stale(claim: &str, digest: Digest) -> Refusal {
    let message = format!("the claim {claim} and its evidence are {digest} now");
    Refusal::new(&codes::CLAIM_STALE, message).field("expected_digest")
}

/// The approval was given for something else.
pub(crate) fn not_agreed(claim: &str) -> Refusal {
    let message = format!("the decision on {claim} is not what was agreed to any more");
    Refusal::new(&codes::CLAIM_STALE, message).hint("call again, which asks the approvers again")
}

/// People agree to each decision of its own.
pub(crate) fn not_approved(claim: &str, option: &str) -> Refusal {
    let message = format!("people have not agreed that {claim} is resolved as {option:?}");
    Refusal::new(&codes::NOT_APPROVED, message).hint("a standing grant does not decide on claims: call again")
}

pub(crate) fn absent(quote: &str) -> Refusal {
    let message = format!("the document does not say {:?}", shortened(quote));
    Refusal::new(&codes::EVIDENCE_ABSENT, message).field("quote")
}

pub(crate) fn ambiguous(quote: &str, places: usize) -> Refusal {
    let message = format!("the document says {:?} at {places} places", shortened(quote));
    Refusal::new(&codes::EVIDENCE_AMBIGUOUS, message).field("quote")
}

pub(crate) fn unknown_citation(message: String) -> Refusal {
    Refusal::new(&codes::UNKNOWN_CITATION, message).field("docir")
}

/// A change that the store refused.
pub(crate) fn changed(error: ClaimChangeError, claim: &str) -> Refusal {
    match error {
        ClaimChangeError::Unknown(id) => unknown(id.as_str()),
        ClaimChangeError::State { state } => {
            let message = format!(
                "this cannot be done: the claim {claim}, or the one beside it, is {}",
                state.as_str()
            );
            Refusal::new(&codes::CLAIM_STATE, message)
        }
        ClaimChangeError::OtherRevision { revision } => {
            let message = format!("the claim {claim} is at revision {revision} now");
            Refusal::new(&codes::CLAIM_STALE, message).field("expected_revision")
        }
        ClaimChangeError::Stale { digest } => stale(claim, digest),
        ClaimChangeError::ArtifactGone(digest) => {
            Refusal::new(&codes::UNKNOWN_ARTIFACT, format!("the artifact {digest} is gone")).field("artifact")
        }
        ClaimChangeError::TooMany { what, max } => {
            let message = format!("the claim {claim} has {max} {what}, which is the limit");
            Refusal::new(&codes::CLAIM_TOO_LARGE, message)
        }
        ClaimChangeError::Store(error) => down(&error),
    }
}

/// A type that the store did not take.
pub(crate) fn type_changed(error: ClaimTypeError, name: &str) -> Refusal {
    match error {
        ClaimTypeError::Other(other) => type_differs(name, other.version),
        ClaimTypeError::Unknown => unknown_type(name),
        ClaimTypeError::TooMany { max } => {
            let message = format!("there are {max} types of claims, which is the limit");
            Refusal::new(&codes::CLAIM_TYPE_CONFLICT, message).hint("change one of those there are")
        }
        ClaimTypeError::Store(error) => down(&error),
    }
}

pub(crate) fn type_differs(name: &str, version: u64) -> Refusal {
    let message = format!("there is a type {name:?} already, at version {version}, and it differs");
    Refusal::new(&codes::CLAIM_TYPE_CONFLICT, message)
        .hint(format!("give `expected_version` {version} to change it, or choose another name"))
        .field("name")
}

fn shortened(text: &str) -> String {
    text.chars().take(QUOTE_CHARS_SHOWN).collect()
}
