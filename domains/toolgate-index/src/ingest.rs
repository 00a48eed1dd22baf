//! Ingest: the difference between the corpus and its last index becomes the next index. It is work with a run; any gateway takes it up
//! again after a crash, and doing it twice changes nothing.

mod base;
mod building;
mod order;
mod problems;
mod publishing;
mod worker;

pub(crate) use order::{IngestMode, IngestOrder};
pub(crate) use worker::{IngestResult, IngestWorker};
