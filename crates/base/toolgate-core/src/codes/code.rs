//! The entry of one code: what the table says of it, and how it is written.

use std::fmt;

use crate::blame::{Blame, RefusalKind};

/// An error code and its documentation. On the wire it is its name.
pub struct Code {
    pub name: &'static str,
    pub fault: Blame,
    pub retry: Retry,
    /// The places where it occurs. The first HTTP status is the usual one.
    pub seen: &'static [CodeChannel],
    pub title: &'static str,
    pub happened: &'static str,
    pub advice: &'static str,
    /// An example of the gateway's message.
    pub message: &'static str,
    pub hint: Hint,
    /// Other codes, and places of the reference such as `configuration.md#limits`.
    pub see: &'static [&'static str],
}

/// The advice that an answer gives beside its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    None,
    /// Every answer with this code gives it, unless it has a better one.
    Standard(&'static str),
    /// Each answer gives its own, such as this one.
    Example(&'static str),
}

impl Hint {
    pub fn text(self) -> &'static str {
        match self {
            Hint::None => "",
            Hint::Standard(text) | Hint::Example(text) => text,
        }
    }
}

/// The chance that the same request succeeds when it is sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    Yes,
    No,
    /// A program should not repeat it unchanged, but a new request can succeed.
    NewRequest,
    /// The answer itself says whether.
    Sometimes,
}

/// The way in which a code reaches a caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeChannel {
    /// A problem with this HTTP status.
    Http(u16),
    /// The `error` of a tool call's result.
    Result,
    /// The `data` of a JSON-RPC error.
    Rpc,
    /// A warning beside a result.
    Warning,
    /// A page of the console.
    Console,
    /// The gateway does not start.
    Start,
}

impl Code {
    /// The usual HTTP status, if it occurs over HTTP.
    pub fn status(&self) -> Option<u16> {
        self.seen.iter().find_map(|seen| match seen {
            CodeChannel::Http(status) => Some(*status),
            _ => None,
        })
    }

    /// The hint of an answer that has none of its own.
    pub fn standard_hint(&self) -> &'static str {
        match self.hint {
            Hint::Standard(text) => text,
            Hint::None | Hint::Example(_) => "",
        }
    }

    /// The usual kind of a refusal with this code.
    pub fn kind(&self) -> RefusalKind {
        match self.status() {
            Some(401 | 403) => RefusalKind::Forbidden,
            Some(404) => RefusalKind::NotFound,
            Some(409) => RefusalKind::Conflict,
            Some(410) => RefusalKind::Gone,
            Some(412) => RefusalKind::Stale,
            Some(429) => RefusalKind::TooMany,
            Some(503) => RefusalKind::Down,
            None if self.retry == Retry::Yes && self.fault == Blame::Gateway => RefusalKind::Down,
            None if self.retry == Retry::Yes => RefusalKind::TooMany,
            _ => RefusalKind::Invalid,
        }
    }
}

/// Names are unique, so codes of the same name are the same.
impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.name, f)
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// Codes that belong together.
#[derive(Debug)]
pub struct CodeArea {
    pub title: &'static str,
    pub codes: &'static [&'static Code],
}
