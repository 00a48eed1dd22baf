#![doc = include_str!("../README.md")]

mod evaluation;
mod follower;
mod indexes;
mod ingest;
mod limits;
mod listing;
mod opening;
mod profiles;
mod reading;
mod refusal;
mod scope;
mod search;
mod source;
mod tools;
mod traces;
mod versions;

/// The engine that keeps indexes, as settings name it.
pub use engine_protocol::EngineKind;

pub use follower::follow;
pub use indexes::{IndexSettings, IndexSetup, Indexes};
pub use opening::open;
pub use scope::IndexScope;
pub use search::{FoundHit, FoundHits, FoundPassage, FoundPassages, IndexQuery, QueriedIndex};
pub use source::IndexSource;
pub use tools::domain;
