//! Errors of an archive.

use manifest_tree::{BlobDigest, TreeError};

/// The reason why an archive cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archive cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    #[error("the file is not a tar")]
    NotTar,
    #[error("the archive breaks off")]
    CutShort,
    #[error("the member {name:?} is neither a file nor a folder")]
    MemberKind { name: String },
    #[error("a member has the name {name:?}, which leads elsewhere")]
    MemberName { name: String },
    #[error("{name} is there twice")]
    Twice { name: &'static str },
    #[error("the archive has more than {max} {what}")]
    TooMany { what: &'static str, max: usize },
    #[error("{name} has more than {max} bytes")]
    TooLong { name: String, max: u64 },
    #[error("the archive has no {name}")]
    Missing { name: String },
    #[error("{name} cannot be read: {source}")]
    Document { name: &'static str, source: serde_json::Error },
    #[error("the archive does not hold manifests: {why}")]
    OtherContent { why: &'static str },
    #[error("the bytes of {digest} have another digest")]
    OtherBytes { digest: BlobDigest },
    #[error("{digest} has {found} bytes, and not {wanted}")]
    OtherSize { digest: BlobDigest, wanted: u64, found: u64 },
    #[error("an entry in line {line} is wrong: {why}")]
    Entry { line: u64, why: String },
    #[error("the entries make no tree: {0}")]
    Tree(#[from] TreeError),
    #[error("the entries make a tree with the root {built}, and the archive says {claimed}")]
    OtherRoot { claimed: BlobDigest, built: BlobDigest },
}
