//! Codes of knowledge bases and citations.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { KNOWLEDGE, "Knowledge bases and citations";

    UNKNOWN_KNOWLEDGE_BASE = Code {
        name: "unknown_knowledge_base",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such knowledge base",
        happened: "No knowledge base has this id or name, or the session has not mounted all of its pointers.",
        advice: "`toolgate knowledge kb-list` shows those that a session sees. Mount the pointers of the base to see it.",
        message: "there is no knowledge base \"contracts\"",
        hint: Hint::Standard("knowledge.kb_list shows those there are"),
        see: &["unknown_pointer"],
    };

    KNOWLEDGE_BASE_CONFLICT = Code {
        name: "knowledge_base_conflict",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The knowledge base cannot be made as asked",
        happened: "Another knowledge base has the name, or there are as many as the gateway keeps. Nothing was done.",
        advice: "Choose another name. To change the one that has the name, give `expected_version`, its current version.",
        message: "there is a knowledge base \"contracts\" already, at version 2, and it differs",
        hint: Hint::Example("give `expected_version` 2 to change it, or choose another name"),
        see: &["knowledge_base_stale"],
    };

    KNOWLEDGE_BASE_STALE = Code {
        name: "knowledge_base_stale",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(412), CodeChannel::Result],
        title: "The knowledge base has changed meanwhile",
        happened: "The knowledge base is at another version than `expected_version` names. Nothing was done.",
        advice: "Look at the base as it is now, and decide again.",
        message: "the knowledge base \"contracts\" is at version 3 now",
        hint: Hint::Standard("look at it with knowledge.kb_list, and decide again"),
        see: &["stale", "knowledge_base_conflict"],
    };

    UNKNOWN_CITATION = Code {
        name: "unknown_citation",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Console],
        title: "The citation leads nowhere",
        happened: "The document has no such item, the item has no such characters, or the two digests do not belong to the same document.",
        advice: "Take the citation as a result gives it. If the document was parsed again, search again.",
        message: "the document has no item #/texts/999",
        hint: Hint::Standard("take the citation as a result gives it"),
        see: &["unknown_knowledge_base"],
    };
}
