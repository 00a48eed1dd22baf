//! Artifacts: the permanent output of runs. A run has one of each name.

use std::sync::LazyLock;

use toolgate_core::event::Event;
use toolgate_core::file::Artifact;
use toolgate_core::id::RunId;
use toolgate_core::{Digest, PrincipalId, stop_point};

use super::shared::{Actor, read_digest, read_name};
use super::{blob, event};
use crate::books::Books;
use crate::db::{SqlStatement, Transaction, without_nul};
use crate::digest_list::DigestListQuery;
use crate::error::doing;
use crate::registry::{read_count, stored_count};
use crate::row::row;
use crate::{Store, StoreError};

/// In the order of `push`.
const INSERT: &str =
    "INSERT INTO artifacts (tenant, digest, name, media_type, bytes, run, owner, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
const COLUMNS: &str = "SELECT digest, name, media_type, bytes, run, owner, created_at_ms FROM artifacts ";
const OF_RUN_BY_NAME: &str = "WHERE tenant = $1 AND run = $2 AND name = $3";
const BY_DIGEST: &str = "WHERE tenant = $1 AND digest = $2 ORDER BY created_at_ms, name";
const OF_RUN: &str = "WHERE tenant = $1 AND run = $2 ORDER BY created_at_ms, name";
static OF_DIGESTS: LazyLock<DigestListQuery> =
    LazyLock::new(|| DigestListQuery::new(COLUMNS.trim_end(), " ORDER BY created_at_ms, name"));

const STORING: &str = "store an artifact";

/// True if an artifact is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArtifactOutcome {
    New,
    /// The run had the same bytes under the same name already.
    Same,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreArtifactError {
    #[error("the run has an artifact {name} with other bytes", name = .0.name)]
    Conflict(Box<Artifact>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Books {
    /// Keeps an artifact, whose bytes are written already.
    pub async fn store_artifact(
        &self,
        artifact: &Artifact,
        by: &Actor,
    ) -> Result<ArtifactOutcome, StoreArtifactError> {
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(doing(STORING))?;
        if let Some(told) = insert_artifact_in(&mut transaction, tenant, artifact, by).await? {
            stop_point::reach("artifact written");
            self.record(transaction, vec![told]).await.map_err(doing(STORING))?;
            return Ok(ArtifactOutcome::New);
        }
        match existing(&mut transaction, tenant, artifact).await? {
            Some(other) if other.digest != artifact.digest => {
                Err(StoreArtifactError::Conflict(Box::new(other)))
            }
            _ => Ok(ArtifactOutcome::Same),
        }
    }
}

impl Store {
    /// All that is known under a digest, the oldest first.
    pub async fn artifact_rows(&self, digest: &Digest) -> Result<Vec<Artifact>, StoreError> {
        const DOING: &str = "read the artifacts of a digest";
        let read = self.db.sql(sqlx::AssertSqlSafe(format!("{COLUMNS}{BY_DIGEST}"))).bind(self.tenant);
        read_all(read.bind(&digest.as_bytes()[..]), DOING).await
    }

    /// The same for many digests, each with its oldest first.
    pub async fn artifacts_of(&self, digests: &[Digest]) -> Result<Vec<Artifact>, StoreError> {
        const DOING: &str = "read the artifacts of digests";
        let rows: Vec<ArtifactRow> = OF_DIGESTS.fetch(self, digests).await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// The artifacts of a run, the oldest first.
    pub async fn run_artifacts(&self, run: &RunId) -> Result<Vec<Artifact>, StoreError> {
        const DOING: &str = "read the artifacts of a run";
        let read = self.db.sql(sqlx::AssertSqlSafe(format!("{COLUMNS}{OF_RUN}"))).bind(self.tenant);
        read_all(read.bind(without_nul(run.as_str())), DOING).await
    }
}

/// Inserts an artifact whose bytes are written, and returns the event about it. `None` if its row was there.
pub(crate) async fn insert_artifact_in(
    transaction: &mut Transaction,
    tenant: &'static str,
    artifact: &Artifact,
    by: &Actor,
) -> Result<Option<Event>, StoreError> {
    blob::hold(transaction, tenant, &artifact.digest, STORING).await?;
    let mut insert = transaction.sql(INSERT);
    push(tenant, artifact, &mut insert);
    let is_new = insert.execute().await.map_err(doing(STORING))? > 0;
    Ok(is_new.then(|| event::artifact_stored(artifact, by)))
}

/// The existing one under the name in the run. Outside a run only equal bytes conflict.
async fn existing(
    transaction: &mut Transaction,
    tenant: &'static str,
    artifact: &Artifact,
) -> Result<Option<Artifact>, StoreError> {
    let Some(run) = &artifact.run else { return Ok(None) };
    let read = transaction.sql(sqlx::AssertSqlSafe(format!("{COLUMNS}{OF_RUN_BY_NAME}"))).bind(tenant);
    let read = read.bind(without_nul(run.as_str())).bind(artifact.name.as_str());
    let row: Option<ArtifactRow> = read.fetch_optional().await.map_err(doing(STORING))?;
    row.map(|row| row.read(STORING)).transpose()
}

async fn read_all(read: SqlStatement<'_>, at: &'static str) -> Result<Vec<Artifact>, StoreError> {
    let rows: Vec<ArtifactRow> = read.fetch_all().await.map_err(doing(at))?;
    rows.into_iter().map(|row| row.read(at)).collect()
}

fn push(tenant: &'static str, artifact: &Artifact, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(&artifact.digest.as_bytes()[..]);
    to.push(artifact.name.as_str());
    to.push(without_nul(&artifact.media_type));
    to.push(stored_count(artifact.bytes));
    to.push(artifact.run.as_ref().map(|run| without_nul(run.as_str())));
    to.push(without_nul(artifact.owner.as_str()));
    to.push(artifact.created_at_ms);
}

row! {
    struct ArtifactRow {
        digest: Vec<u8>,
        name: String,
        media_type: String,
        bytes: i64,
        run: Option<String>,
        owner: String,
        created_at_ms: i64,
    }
}

impl ArtifactRow {
    fn read(self, doing: &'static str) -> Result<Artifact, StoreError> {
        Ok(Artifact {
            digest: read_digest(&self.digest, doing)?,
            name: read_name(&self.name, doing)?,
            media_type: self.media_type,
            bytes: read_count(self.bytes),
            run: self.run.map(RunId::new),
            owner: PrincipalId::new(&self.owner),
            created_at_ms: self.created_at_ms,
        })
    }
}
