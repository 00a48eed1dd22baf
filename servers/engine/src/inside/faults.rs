//! Faults of index files.

use std::path::Path;

use engine_protocol::{EngineErrorCode, EngineFault};
use tantivy::TantivyError;
use tantivy::directory::error::OpenReadError;

use crate::fault::{hinted, internal};

/// A file of an index that is not what it should be.
pub(super) fn damaged(file: &str, why: impl std::fmt::Display) -> EngineFault {
    hinted(
        EngineErrorCode::Damaged,
        format!("the index file {file} is damaged: {why}"),
        "ingest the corpus again in the mode `rebuild`",
    )
}

/// An index that was built differently.
pub(super) fn outdated(why: impl Into<String>) -> EngineFault {
    hinted(EngineErrorCode::Outdated, why, "ingest the corpus again in the mode `rebuild`")
}

/// A failure while an index is read, whose files were found to be whole before.
pub(super) fn unreadable(error: impl Into<TantivyError>) -> EngineFault {
    match error.into() {
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) => {
            damaged(&name_of(&path), "it is not among the files of the index")
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
            damaged(&name_of(&filepath), io_error)
        }
        TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(why)) => outdated(format!("{why:?}")),
        TantivyError::IncompatibleIndex(why) => outdated(format!("{why:?}")),
        error @ TantivyError::DataCorruption(_) => damaged("meta.json", error),
        error => internal("reading an index", error),
    }
}

/// A failure while an index is written.
pub(super) fn unwritable(error: impl Into<TantivyError>) -> EngineFault {
    internal("writing an index", error.into())
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
