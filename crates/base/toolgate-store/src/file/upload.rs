//! Places for one upload each, which open with a key that was handed out once.

use toolgate_core::file::FileName;
use toolgate_core::id::{FileId, RunId, SessionId, UploadId};
use toolgate_core::{Digest, PrincipalId};

use super::shared::{read_digest, read_name, stored_limit};
use super::write;
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

const OFFER: &str =
    "INSERT INTO uploads (tenant, id, secret_digest, name, owner, session, run, state, expires_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'open', $8)";
const READ: &str =
    "SELECT id, secret_digest, name, owner, session, run, state, file, expires_at_ms FROM uploads
    WHERE tenant = $1 AND id = $2";
const CLAIM: &str = "UPDATE uploads SET state = 'claimed'
    WHERE tenant = $1 AND id = $2 AND state = 'open' AND expires_at_ms > $3";
const RELEASE: &str = "UPDATE uploads SET state = 'open' WHERE tenant = $1 AND id = $2 AND state = 'claimed'";
const FINISH: &str =
    "UPDATE uploads SET state = 'done', file = $3 WHERE tenant = $1 AND id = $2 AND state = 'claimed'";
const FORGET: &str = "DELETE FROM uploads WHERE tenant = $1 AND id IN (
        SELECT id FROM uploads WHERE tenant = $1 AND expires_at_ms < $2 ORDER BY expires_at_ms LIMIT $3
    )";

const OPEN: &str = "open";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewUpload {
    pub id: UploadId,
    /// The digest of the key that opens it.
    pub secret_digest: Digest,
    pub name: FileName,
    /// The owner of the future file.
    pub owner: PrincipalId,
    /// The session that asked for it.
    pub session: SessionId,
    pub run: Option<RunId>,
    pub expires_at_ms: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Upload {
    pub id: UploadId,
    pub secret_digest: Digest,
    pub name: FileName,
    pub owner: PrincipalId,
    pub session: SessionId,
    pub run: Option<RunId>,
    pub expires_at_ms: i64,
    /// The resulting file.
    pub file: Option<FileId>,
}

/// The result of an attempt to use a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UploadClaim {
    /// It is the caller's, until they finish or release it.
    Ready(Upload),
    /// It is in use or was used.
    Used,
    Expired,
    Unknown,
}

impl Store {
    pub async fn offer_upload(&self, upload: &NewUpload) -> Result<(), StoreError> {
        let offer = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(without_nul(upload.id.as_str()));
            to.push(&upload.secret_digest.as_bytes()[..]);
            to.push(upload.name.as_str());
            to.push(without_nul(upload.owner.as_str()));
            to.push(without_nul(upload.session.as_str()));
            to.push(upload.run.as_ref().map(|run| without_nul(run.as_str())));
            to.push(upload.expires_at_ms);
        };
        write(self, OFFER, offer).await.map(drop).map_err(doing("offer a place for an upload"))
    }

    /// A place as it is, for checking a key before use.
    pub async fn upload(&self, id: &UploadId) -> Result<Option<Upload>, StoreError> {
        Ok(self.read_upload(id).await?.map(|(upload, _)| upload))
    }

    /// Claims a place. Of several concurrent attempts, one succeeds.
    pub async fn claim_upload(&self, id: &UploadId, now_ms: i64) -> Result<UploadClaim, StoreError> {
        let claim = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(without_nul(id.as_str()));
            to.push(now_ms);
        };
        let claimed = write(self, CLAIM, claim).await.map_err(doing("use a place for an upload"))?;
        Ok(match self.read_upload(id).await? {
            None => UploadClaim::Unknown,
            Some((upload, _)) if claimed > 0 => UploadClaim::Ready(upload),
            Some((_, state)) if state == OPEN => UploadClaim::Expired,
            Some(_) => UploadClaim::Used,
        })
    }

    /// Releases a place whose upload broke off. It may be tried again until it expires.
    pub async fn release_upload(&self, id: &UploadId) -> Result<(), StoreError> {
        let release = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(without_nul(id.as_str()));
        };
        write(self, RELEASE, release).await.map(drop).map_err(doing("give a place for an upload back"))
    }

    /// Closes a place for good.
    pub async fn finish_upload(&self, id: &UploadId, file: &FileId) -> Result<(), StoreError> {
        let finish = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(without_nul(id.as_str()));
            to.push(without_nul(file.as_str()));
        };
        write(self, FINISH, finish).await.map(drop).map_err(doing("close a place for an upload"))
    }

    /// Forgets places that expired before a moment: `max` at most. Tells how many.
    pub async fn forget_uploads(&self, expired_before_ms: i64, max: usize) -> Result<u64, StoreError> {
        let forget = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(expired_before_ms);
            to.push(stored_limit(max));
        };
        write(self, FORGET, forget).await.map_err(doing("forget places for uploads"))
    }

    async fn read_upload(&self, id: &UploadId) -> Result<Option<(Upload, String)>, StoreError> {
        const DOING: &str = "read a place for an upload";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<UploadRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }
}

row! {
    struct UploadRow {
        id: String,
        secret_digest: Vec<u8>,
        name: String,
        owner: String,
        session: String,
        run: Option<String>,
        state: String,
        file: Option<String>,
        expires_at_ms: i64,
    }
}

impl UploadRow {
    fn read(self, doing: &'static str) -> Result<(Upload, String), StoreError> {
        let upload = Upload {
            id: UploadId::new(self.id),
            secret_digest: read_digest(&self.secret_digest, doing)?,
            name: read_name(&self.name, doing)?,
            owner: PrincipalId::new(&self.owner),
            session: SessionId::new(self.session),
            run: self.run.map(RunId::new),
            expires_at_ms: self.expires_at_ms,
            file: self.file.map(FileId::new),
        };
        Ok((upload, self.state))
    }
}
