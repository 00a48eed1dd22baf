#![doc = include_str!("../README.md")]

mod known;
mod port;
mod refusal;
mod source;

pub use known::{InstanceView, KnownServer, Lease, Setting, ToolDiff};
pub use port::{Machinery, Shelf, Vitals};
pub use refusal::{Refusal, RefusalKind};
pub use source::{AliasSpec, Drift, FileState, NewTools, OnFinding, Registration, Review, ServerEntry, Source, Verdict};
