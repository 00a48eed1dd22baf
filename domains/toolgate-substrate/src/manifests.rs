//! `substrate.manifest.*`: immutable trees of paths, and what is made of them.

mod ancestry;
mod browsing;
mod changed_files;
mod difference;
mod entries;
mod listing;
mod making;
mod manifest;
mod proof;
mod snapshot;
mod tools;

pub use browsing::{BrowsedChange, BrowsedEntry, BrowsedFolder, BrowsedTarget};
pub use changed_files::{ChangedFile, ChangedFileKind};
pub use difference::{ChangedPath, DifferenceSummary};
pub use entries::NamedContents;
pub use listing::ListedFile;
pub use making::{MadeManifest, ManifestNote};
pub use manifest::Manifest;
pub use proof::{BadPathProof, ProvedPath, check_proof};
pub use snapshot::{NewFile, SnapshotContent, SnapshotEntry};
pub(crate) use tools::tools;
