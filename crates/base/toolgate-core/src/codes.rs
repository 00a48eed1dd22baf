//! Every code that a caller can hear, in one table: what happened, whose fault it was, whether to try again, what to do.
//!
//! The reference of the documentation is made from it. A test of the binary reads the sources and refuses a code that is
//! used and does not stand here, and one that stands here and is not used.

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

/// What is said about one code.
#[derive(Debug)]
pub struct Code {
    pub code: &'static str,
    pub fault: Blame,
    pub retry: Retry,
    /// Where it can be met.
    pub seen: &'static [Seen],
    pub title: &'static str,
    pub happened: &'static str,
    pub advice: &'static str,
    /// What the gateway says to people, by example.
    pub message: &'static str,
    /// The hint beside it, by example; empty where there is none.
    pub hint: &'static str,
    /// Other codes, and places of the reference such as `configuration.md#limits`.
    pub see: &'static [&'static str],
}

/// Whether the same request may succeed when it is sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    Yes,
    No,
    /// A program should not repeat it by itself, but made anew it can succeed.
    Anew,
    /// The answer itself says it.
    Sometimes,
}

/// How a code reaches whoever hears it.
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
