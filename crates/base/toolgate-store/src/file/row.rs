//! One file as columns.

use toolgate_core::PrincipalId;
use toolgate_core::file::File;
use toolgate_core::id::FileId;

use super::shared::{read_digest, read_name};
use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::{read_count, stored_count};
use crate::row::row;

/// In the order of `push`.
pub(super) const INSERT: &str =
    "INSERT INTO files (tenant, id, name, media_type, bytes, digest, owner, created_at_ms,
        expires_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub(super) fn select(condition: &'static str) -> String {
    format!(
        "SELECT id, name, media_type, bytes, digest, owner, created_at_ms, expires_at_ms FROM files {condition}"
    )
}

pub(super) fn push(tenant: &'static str, file: &File, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(without_nul(file.id.as_str()));
    to.push(file.name.as_str());
    to.push(without_nul(&file.media_type));
    to.push(stored_count(file.bytes));
    to.push(&file.digest.as_bytes()[..]);
    to.push(without_nul(file.owner.as_str()));
    to.push(file.created_at_ms);
    to.push(file.expires_at_ms);
}

row! {
    pub(super) struct FileRow {
        id: String,
        name: String,
        media_type: String,
        bytes: i64,
        digest: Vec<u8>,
        owner: String,
        created_at_ms: i64,
        expires_at_ms: Option<i64>,
    }
}

impl FileRow {
    pub(super) fn read(self, doing: &'static str) -> Result<File, StoreError> {
        Ok(File {
            id: FileId::new(self.id),
            name: read_name(&self.name, doing)?,
            media_type: self.media_type,
            bytes: read_count(self.bytes),
            digest: read_digest(&self.digest, doing)?,
            owner: PrincipalId::new(&self.owner),
            created_at_ms: self.created_at_ms,
            expires_at_ms: self.expires_at_ms,
        })
    }
}
