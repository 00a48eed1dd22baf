#![doc = include_str!("../README.md")]

mod access;
mod blobs;
mod contents;
mod files;
#[cfg(test)]
mod fixture;
mod media;
mod refs;
mod refusal;
mod sealing;
mod settings;
mod shown_change;
mod text;

pub use access::ContentAccess;
pub use blobs::{Blobs, NamedObjects, ShownBytes, StoredBlob};
pub use files::{
    Allowance, ArtifactSource, ByteRange, CollectionReport, DownloadContent, FilePage, FileQuery, Files,
    FilesSetup, FoundContent, LongText, NewFile, OfferedUpload, SharedArtifact, SignedAddress, StoredKind,
};
pub use refs::{RefMatch, RefPiece, RefSelection};
pub use refusal::{file_name, too_large};
pub use settings::{BinaryTreatment, FilesSettings, ResultSettings, S3Storage, StoragePlace};
pub use shown_change::ShownChange;
pub use text::{NotText, decode};

pub use toolgate_store::{FILES_PAGE_MAX, PageCursor};
