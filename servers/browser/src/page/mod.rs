//! Everything that is seen of a page. The page script (`script/*.js`) runs in a world of its own in each document and answers
//! with entries; the rest is arithmetic on them: which lines to show within how many tokens, and what changed since.
//!
//! Nothing here acts on a page, and nothing here speaks the DevTools protocol: [`crate::Tab`] does both.

mod ask;
mod budget;
mod difference;
mod entry;
mod find;
mod frames;
mod line;
mod problem;
mod read;
mod resolve;
mod shape;
mod snapshot;
mod target;
#[cfg(test)]
mod tests;
mod tokens;

pub use ask::ask;
pub use difference::difference;
pub use find::find;
pub use line::SnapshotLines;
pub use read::{ReadPage, read_page};
pub use resolve::{PageElement, resolve};
pub use snapshot::{Snapshot, SnapshotWish, snapshot};
pub use target::Target;
pub use tokens::tokens;

/// Defines `globalThis.toolgate` in the world that it is evaluated in. The files share one scope, so their order matters.
pub const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    include_str!("script/base.js"),
    include_str!("script/sight.js"),
    include_str!("script/roles.js"),
    include_str!("script/names.js"),
    include_str!("script/states.js"),
    include_str!("script/walk.js"),
    include_str!("script/snapshot.js"),
    include_str!("script/resolve.js"),
    include_str!("script/find.js"),
    include_str!("script/read.js"),
    include_str!("script/act.js"),
    include_str!("script/secrets.js"),
    include_str!("script/export.js"),
    "})();\n"
);
