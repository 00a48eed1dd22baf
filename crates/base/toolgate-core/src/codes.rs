//! Every error code that a caller can receive, in one table: what happened, whose fault it was, whether to
//! retry, what to do.
//!
//! The reference documentation is generated from it. A test of the binary scans the sources and fails on a
//! code that is used but missing here, and on one that is listed here but unused.

mod approvals;
mod calls;
mod console;
mod door;
mod files;
mod registry;
mod runs;
mod sessions;
mod warnings;

use crate::Blame;

/// The entry of one code.
#[derive(Debug)]
pub struct Code {
    pub code: &'static str,
    pub fault: Blame,
    pub retry: Retry,
    /// The places where it occurs.
    pub seen: &'static [Seen],
    pub title: &'static str,
    pub happened: &'static str,
    pub advice: &'static str,
    /// An example of the gateway's message.
    pub message: &'static str,
    /// An example of the hint; empty if there is none.
    pub hint: &'static str,
    /// Other codes, and places of the reference such as `configuration.md#limits`.
    pub see: &'static [&'static str],
}

/// The chance that the same request succeeds when it is sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    Yes,
    No,
    /// A program should not repeat it unchanged, but a new request can succeed.
    Anew,
    /// The answer itself says whether.
    Sometimes,
}

/// The way in which a code reaches a caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
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

/// Codes that belong together.
#[derive(Debug)]
pub struct Area {
    pub title: &'static str,
    pub codes: &'static [Code],
}

pub const AREAS: [Area; 9] = [
    Area { title: "At the door", codes: door::CODES },
    Area { title: "Tool calls and servers", codes: calls::CODES },
    Area { title: "Approvals and grants", codes: approvals::CODES },
    Area { title: "Files, refs and artifacts", codes: files::CODES },
    Area { title: "Runs and questions", codes: runs::CODES },
    Area { title: "Sessions, agents and capabilities", codes: sessions::CODES },
    Area { title: "Servers, settings and reviews", codes: registry::CODES },
    Area { title: "Warnings", codes: warnings::CODES },
    Area { title: "Console", codes: console::CODES },
];

pub fn all() -> impl Iterator<Item = &'static Code> {
    AREAS.iter().flat_map(|area| area.codes)
}

pub fn find(code: &str) -> Option<&'static Code> {
    all().find(|one| one.code == code)
}

#[cfg(test)]
mod tests;
