#![doc = include_str!("../README.md")]

mod artifacts;
mod cache;
mod collection;
mod digests;
mod limits;
mod manifests;
mod nodes;
mod pages;
mod pointers;
mod refusal;
mod state;
mod transport;

use toolgate_domain::Domain;

pub use collection::{CollectedRows, CollectionMode, CollectionSettings, CollectionSummary};
pub use manifests::{
    BadPathProof, BrowsedChange, BrowsedEntry, BrowsedFolder, BrowsedTarget, ChangedFile, ChangedFileKind,
    ChangedPath, DifferenceSummary, ListedFile, MadeManifest, Manifest, ManifestNote, NamedContents, NewFile,
    ProvedPath, SnapshotContent, SnapshotEntry, check_proof,
};
pub use pointers::PointerHead;
pub use refusal::unknown_manifest;
pub use state::{Substrate, SubstrateSetup};
pub use toolgate_core::substrate::{ArtifactDigest, ManifestDigest};

/// The author of a manifest: a principal, in a session, a run and a call.
pub use toolgate_store::Actor as ManifestAuthor;

/// The tools of the substrate.
pub fn domain() -> Domain<Substrate> {
    let domain = artifacts::tools(Domain::new());
    let domain = manifests::tools(domain);
    let domain = collection::add(domain);
    let domain = transport::add(domain);
    pointers::tools::add(domain)
}
