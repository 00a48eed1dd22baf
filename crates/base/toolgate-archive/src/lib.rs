#![doc = include_str!("../README.md")]

mod archive;
mod call;
mod columns;
mod day;
mod decode;
mod encode;
mod error;
mod export;
mod fault;
mod index;
mod mend;
mod page;
mod segment;
mod verify;

#[cfg(test)]
mod tests;

pub use archive::{Archive, ArchivePlan, ArchiveReport, PlannedDay};
pub use day::{closed_until, day_of_text, day_text};
pub use error::ArchiveError;
pub use export::ArchiveExport;
pub use fault::{ArchiveFault, FaultyLines, SegmentTrouble};
pub use index::SegmentEntry;
pub use page::ArchivePage;
pub use segment::SegmentFacts;
pub use verify::ArchiveVerification;
