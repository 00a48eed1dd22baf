//! Errors of the tree, and faults of the bytes of a node.

use crate::digest::BlobDigest;
use crate::entry::EntryError;
use crate::path::{EntryPath, PathError};

/// The reason why a tree cannot be made, changed or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    #[error("the path {path} is given twice")]
    Duplicate { path: EntryPath },
    #[error("the path {path} comes after {previous}, and belongs before it")]
    OutOfOrder { previous: EntryPath, path: EntryPath },
    #[error("{file} would be a file and also the folder of {below}")]
    FileAndFolder { file: EntryPath, below: EntryPath },
    #[error("the entry at {path} cannot be kept")]
    Entry { path: EntryPath, source: EntryError },
    #[error("the sizes of all entries do not fit 64 bits")]
    TooLarge,
    #[error("the bytes given for {digest} have another digest")]
    OtherBytes { digest: BlobDigest },
    #[error("the node {digest} is damaged: {fault}")]
    Damaged { digest: BlobDigest, fault: NodeFault },
    #[error("there are more than {max} changes")]
    TooManyChanges { max: usize },
}

/// The rule that the bytes of a node break.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NodeFault {
    #[error("it does not begin like a node")]
    Header,
    #[error("it is longer than a node may be")]
    TooLong,
    #[error("it ends within an entry")]
    CutShort,
    #[error("a number is not written in its shortest form, or too large")]
    Number,
    #[error("a path does not repeat as much of the one before as it could")]
    Prefix,
    #[error("a path is wrong: {0}")]
    Path(#[from] PathError),
    #[error("a path is not UTF-8")]
    PathText,
    #[error("paths are not in order")]
    Order,
    #[error("a path is both a file and a folder")]
    FileAndFolder,
    #[error("an entry is wrong: {0}")]
    Entry(#[from] EntryError),
    #[error("the mark of an entry is unknown, or says more than it needs to")]
    Mark,
    #[error("it goes on after the place where it had to end")]
    PastBoundary,
    #[error("it ends where no node may end")]
    NoBoundary,
    #[error("it has too few entries for its place")]
    TooFew,
    #[error("its level is not that of its place")]
    Level,
    #[error("it has more than one place in the same tree")]
    Twice,
    #[error("its paths, its number of entries or its size are not those that its parent says")]
    Claim,
}
