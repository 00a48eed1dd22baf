//! Files that pages give.

use std::path::PathBuf;

/// A download that has come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Download {
    /// The file is the receiver's: it moves or removes it. What is left goes with the context.
    Done {
        name: String,
        media_type: String,
        path: PathBuf,
        bytes: u64,
    },
    Refused {
        name: String,
        why: String,
    },
}
