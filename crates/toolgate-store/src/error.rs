//! What the store was trying to do when it could not.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot create the data folder {path}: {source}")]
    CreateFolder { path: PathBuf, source: std::io::Error },
    #[error("cannot lock the data folder {path}: {source}")]
    LockFolder { path: PathBuf, source: std::io::Error },
    #[error("cannot create the database {path}: {source}")]
    CreateDatabase { path: PathBuf, source: std::io::Error },
    #[error("cannot open the database {path}: {source}")]
    OpenDatabase { path: PathBuf, source: sqlx::Error },
    #[error(
        "the database {path} was written by a newer version of Toolgate (migration {version} is not known here)"
    )]
    FromTheFuture { path: PathBuf, version: i64 },
    #[error("cannot bring the database {path} up to date: {source}")]
    Migrate { path: PathBuf, source: sqlx::migrate::MigrateError },
    #[error("cannot {doing}: {source}")]
    Query { doing: &'static str, source: sqlx::Error },
    #[error("cannot {doing}: the stored {what} cannot be read")]
    Unreadable { doing: &'static str, what: &'static str },
    #[error("no random numbers from the operating system: {0}")]
    Random(getrandom::Error),
    #[error("no token has the id or label {given:?}")]
    TokenUnknown { given: String },
    #[error("{given:?} fits several tokens: {}", ids.join(", "))]
    TokenAmbiguous { given: String, ids: Vec<String> },
}

/// Names what was attempted.
pub(crate) fn doing(doing: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |source| StoreError::Query { doing, source }
}

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(StoreError::Random)?;
    Ok(bytes)
}
