//! Every error code that a caller can receive, in one table: what happened, whose fault it was, whether to
//! retry, what to do.
//!
//! Each code is a constant here, such as `codes::STALE`, and refusals take nothing else: a code that is not in the
//! table does not compile. The reference documentation is generated from the table. Names that come from elsewhere,
//! such as stored events, are texts; [`find`] looks them up.

/// Declares the codes of an area as constants, and the area itself. A constant has the name of its code in capitals.
macro_rules! codes {
    ($area:ident, $title:literal; $($constant:ident = $code:expr;)*) => {
        $(pub static $constant: Code = $code;)*

        pub(super) static $area: $crate::codes::CodeArea = $crate::codes::CodeArea { title: $title, codes: &[$(&$constant),*] };
    };
}

mod approvals;
mod automations;
mod calls;
mod claims;
mod code;
mod collection;
mod connectors;
mod console;
mod credentials;
mod door;
mod driven;
mod engine;
mod files;
mod indexes;
mod knowledge;
mod models;
mod pointers;
mod registry;
mod runs;
mod schemas;
mod sessions;
mod substrate;
mod warnings;
mod work;

pub use approvals::*;
pub use automations::*;
pub use calls::*;
pub use claims::*;
pub use code::{Code, CodeArea, CodeChannel, Hint, Retry};
pub use collection::*;
pub use connectors::*;
pub use console::*;
pub use credentials::*;
pub use door::*;
pub use driven::*;
pub use engine::*;
pub use files::*;
pub use indexes::*;
pub use knowledge::*;
pub use models::*;
pub use pointers::*;
pub use registry::*;
pub use runs::*;
pub use schemas::*;
pub use sessions::*;
pub use substrate::*;
pub use warnings::*;
pub use work::*;

pub static AREAS: &[&CodeArea] = &[
    &DOOR,
    &CALLS,
    &APPROVALS,
    &FILES,
    &CREDENTIALS,
    &SUBSTRATE,
    &COLLECTION,
    &POINTERS,
    &ENGINE,
    &SCHEMAS,
    &INDEXES,
    &KNOWLEDGE,
    &CLAIMS,
    &CONNECTORS,
    &RUNS,
    &MODELS,
    &DRIVEN,
    &WORK,
    &AUTOMATIONS,
    &SESSIONS,
    &REGISTRY,
    &WARNINGS,
    &CONSOLE,
];

pub fn all() -> impl Iterator<Item = &'static Code> {
    AREAS.iter().flat_map(|area| area.codes).copied()
}

/// The code of this name.
pub fn find(name: &str) -> Option<&'static Code> {
    all().find(|code| code.name == name)
}

#[cfg(test)]
mod tests;
