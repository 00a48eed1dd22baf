//! The refusals of this crate, with hints.

use toolgate_core::{Refusal, codes};
use toolgate_store::{KnowledgeBaseError, StoreError};

use crate::manner::AnswerManner;

pub(crate) fn unknown(id_or_name: &str) -> Refusal {
    let message = format!("there is no knowledge base {id_or_name:?}");
    Refusal::new(&codes::UNKNOWN_KNOWLEDGE_BASE, message).field("kb")
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "knowledge bases cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn invalid(message: impl Into<String>, field: &'static str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).field(field)
}

pub(crate) fn unknown_manner(text: &str) -> Refusal {
    let known = AnswerManner::ALL.map(AnswerManner::as_str).join(", ");
    invalid(format!("{text:?} is no manner of an answer"), "manner").hint(format!("there are {known}"))
}

/// The base promises a stricter manner to those who rely on it.
pub(crate) fn weaker(base: &str, manner: AnswerManner) -> Refusal {
    let manner = manner.as_str();
    invalid(format!("the knowledge base {base:?} answers in the manner {manner} or a stricter one"), "manner")
        .hint(format!("leave `manner` out, which means {manner}"))
}

pub(crate) fn no_target() -> Refusal {
    invalid("neither or both of `kb` and `pointers` are given", "kb").hint("give one of them")
}

/// Another base has the name, and it is not the same.
pub(crate) fn differs(name: &str, version: u64) -> Refusal {
    let message = format!("there is a knowledge base {name:?} already, at version {version}, and it differs");
    Refusal::new(&codes::KNOWLEDGE_BASE_CONFLICT, message)
        .hint(format!("give `expected_version` {version} to change it, or choose another name"))
        .field("name")
}

/// The name belongs to a base that the session does not see. Nothing of it is told.
pub(crate) fn taken(name: &str) -> Refusal {
    let message = format!("the name {name:?} cannot be used");
    Refusal::new(&codes::KNOWLEDGE_BASE_CONFLICT, message).hint("choose another name").field("name")
}

pub(crate) fn stale(name: &str, current: u64) -> Refusal {
    let message = format!("the knowledge base {name:?} is at version {current} now");
    Refusal::new(&codes::KNOWLEDGE_BASE_STALE, message).field("expected_version")
}

/// A change that the store refused.
pub(crate) fn changed(error: KnowledgeBaseError, name: &str) -> Refusal {
    match error {
        KnowledgeBaseError::Unknown(_) => unknown(name),
        KnowledgeBaseError::NameTaken(_) => taken(name),
        KnowledgeBaseError::Stale { current } => stale(name, current),
        KnowledgeBaseError::TooMany { max } => {
            let message = format!("there are {max} knowledge bases, which is the limit");
            Refusal::new(&codes::KNOWLEDGE_BASE_CONFLICT, message).hint("use one of those there are")
        }
        KnowledgeBaseError::Store(error) => down(&error),
    }
}
