//! The operations of the store that failed.

use std::path::PathBuf;

/// Each text includes its cause, for logs that print nothing else; so no cause is also a `source` that would
/// be printed again.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot create the data folder {path}: {cause}")]
    CreateFolder { path: PathBuf, cause: std::io::Error },
    #[error("cannot lock the data folder {path}: {cause}")]
    LockFolder { path: PathBuf, cause: std::io::Error },
    #[error("cannot create the database {path}: {cause}")]
    CreateDatabase { path: PathBuf, cause: std::io::Error },
    #[error("cannot read the URL of the database: {cause}")]
    DatabaseUrl { cause: String },
    #[error("cannot open the database {place}: {cause}")]
    OpenDatabase { place: String, cause: sqlx::Error },
    #[error(
        "the database {place} was written by a newer version of Toolgate (migration {version} is not known here)"
    )]
    FromTheFuture { place: String, version: i64 },
    #[error("cannot bring the database {place} up to date: {cause}")]
    Migrate { place: String, cause: sqlx::migrate::MigrateError },
    #[error("the database has only a part of a store: moving one there was interrupted")]
    UnfinishedTransfer,
    #[error("cannot start the thread that writes the ledger: {cause}")]
    StartWriter { cause: std::io::Error },
    #[error("cannot {doing}: {cause}")]
    Query { doing: &'static str, cause: sqlx::Error },
    #[error("cannot {doing}: the stored {what} cannot be read")]
    Unreadable { doing: &'static str, what: &'static str },
    #[error("cannot {doing}: its bytes {digest} were not kept")]
    BytesGone { doing: &'static str, digest: toolgate_core::Digest },
    #[error("the body {digest} of the ledger was changed after it was written")]
    BodyChanged { digest: toolgate_core::Digest },
    #[error("no random numbers from the operating system: {0}")]
    Random(getrandom::Error),
    #[error("cannot create the token: {what}")]
    TokenSpec { what: String },
    #[error("no token has the id or label {given:?}")]
    TokenUnknown { given: String },
    #[error("{given:?} fits several tokens: {}", ids.join(", "))]
    TokenAmbiguous { given: String, ids: Vec<String> },
}

/// Names the attempted operation.
pub(crate) fn doing(doing: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |cause| StoreError::Query { doing, cause }
}

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(StoreError::Random)?;
    Ok(bytes)
}
