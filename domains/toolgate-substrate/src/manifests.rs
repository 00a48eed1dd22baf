//! `substrate.manifest.*`: immutable trees of paths, and what is made of them.

mod ancestry;
mod difference;
mod entries;
mod making;
mod manifest;
mod proof;
mod snapshot;
mod tools;

pub use difference::{ChangedPath, DifferenceSummary};
pub use entries::NamedContents;
pub use making::{MadeManifest, ManifestNote};
pub use manifest::Manifest;
pub use proof::{BadPathProof, ProvedPath, check_proof};
pub use snapshot::{SnapshotContent, SnapshotEntry};
pub(crate) use tools::tools;
