//! Every error code that a caller can receive, in one table: what happened, whose fault it was, whether to
//! retry, what to do.
//!
//! The reference documentation is generated from it. A test of the binary scans the sources and fails on a
//! code that is used but missing here, and on one that is listed here but unused.

mod approvals;
mod calls;
mod code;
mod console;
mod door;
mod files;
mod registry;
mod runs;
mod sessions;
mod warnings;

pub use code::{Code, Retry, Seen};

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
