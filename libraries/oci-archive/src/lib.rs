#![doc = include_str!("../README.md")]

mod description;
mod entries;
mod error;
mod layout;
mod pack;
mod reader;
mod scan;
mod tar;
mod verified;
mod writer;

pub use entries::{EntryLines, LINE_BYTES_MAX, entry_line};
pub use error::ArchiveError;
pub use layout::{ArchivedManifest, LAYERS_MAX, MANIFESTS_MAX};
pub use reader::ArchiveReader;
pub use scan::BlobPlace;
pub use verified::ArchivedEntries;
pub use writer::{ArchiveWriter, EntriesLayer};

#[cfg(test)]
mod tests;
