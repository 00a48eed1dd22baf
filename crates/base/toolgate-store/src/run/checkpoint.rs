//! The saved states of a run. A state is a blob; its row, its event and its number are one transaction.

use toolgate_core::event::Durability;
use toolgate_core::id::RunId;
use toolgate_core::{Digest, stop_point};

use super::error::RunError;
use super::held::{ActionStamp, HeldRun};
use super::report::{NewCheckpoint, RunCheckpoint, SavedCheckpoint};
use super::{events, note};
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

/// The number of states of a run that are kept, the latest ones.
pub const CHECKPOINTS_KEPT_MAX: u64 = 100;

/// Locks the bytes, so that they are not collected before the row is there that uses them.
const HOLD: &str = "SELECT bytes FROM blobs WHERE tenant = $1 AND digest = $2 AND deleting = 0";
const INSERT: &str = "INSERT INTO run_checkpoints (tenant, run, id, number, digest, bytes, media_type, at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const FIND: &str = "SELECT id, number, digest, bytes, media_type, at_ms FROM run_checkpoints
    WHERE tenant = $1 AND run = $2 AND id = $3";
const LATEST: &str = "SELECT id, number, digest, bytes, media_type, at_ms FROM run_checkpoints
    WHERE tenant = $1 AND run = $2 ORDER BY number DESC LIMIT 1";
const FORGET: &str = "DELETE FROM run_checkpoints WHERE tenant = $1 AND run = $2 AND number <=
    (SELECT number FROM run_checkpoints WHERE tenant = $1 AND run = $2 ORDER BY number DESC LIMIT 1 OFFSET $3)";

impl Books {
    /// Saves a state of a run that has started and not ended.
    pub async fn checkpoint_run(
        &self,
        id: &RunId,
        new: &NewCheckpoint,
        act: ActionStamp<'_>,
    ) -> Result<SavedCheckpoint, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "save a state of a run").await?;
        match find(&mut held, &new.id).await? {
            Some(same) if same.digest == new.digest => return Ok(SavedCheckpoint::Same(same)),
            Some(other) => return Err(RunError::CheckpointTaken(Box::new(other))),
            None => note::check_open(&held)?,
        }
        hold(&mut held, new.digest).await?;
        held.kept.run.events += 1;
        held.save_own().await?;
        let run = held.run().clone();
        let saved = RunCheckpoint {
            id: new.id.clone(),
            number: run.events,
            digest: new.digest,
            bytes: new.bytes,
            media_type: new.media_type.clone(),
            at_ms: held.act().at_ms,
        };
        insert(&mut held, &saved).await?;
        let event = events::saved(&run, &saved, new.call.as_ref(), held.act());
        held.log(&run, event, None).await?;
        stop_point::reach("state saved");
        held.commit().await?;
        Ok(SavedCheckpoint::New(saved))
    }
}

impl Store {
    /// The latest saved state of a run.
    pub async fn latest_checkpoint(&self, run: &RunId) -> Result<Option<RunCheckpoint>, StoreError> {
        const DOING: &str = "read the latest state of a run";
        let read = self.db.sql(LATEST).bind(self.tenant).bind(without_nul(run.as_str()));
        let row: Option<CheckpointRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }
}

async fn find(held: &mut HeldRun<'_>, id: &str) -> Result<Option<RunCheckpoint>, StoreError> {
    let (failed, doing) = (held.failed(), held.doing);
    let run = without_nul(held.run().id.as_str());
    let find = held.tx.sql(FIND).bind(held.tenant).bind(run).bind(without_nul(id));
    let row: Option<CheckpointRow> = find.fetch_optional().await.map_err(failed)?;
    row.map(|row| row.read(doing)).transpose()
}

async fn hold(held: &mut HeldRun<'_>, digest: Digest) -> Result<(), RunError> {
    let failed = held.failed();
    let hold = held.tx.sql_for_update(HOLD).bind(held.tenant).bind(digest.as_bytes().to_vec());
    let row: Option<(i64,)> = hold.fetch_optional().await.map_err(failed)?;
    row.map(drop).ok_or(RunError::StateGone { digest })
}

/// With it, the oldest states beyond the number that is kept are forgotten; their bytes are collected later.
async fn insert(held: &mut HeldRun<'_>, saved: &RunCheckpoint) -> Result<(), StoreError> {
    let failed = held.failed();
    let run = without_nul(held.run().id.as_str());
    let mut insert = held.tx.sql(INSERT).bind(held.tenant).bind(run.clone()).bind(without_nul(&saved.id));
    insert.push(stored_count(saved.number));
    insert.push(saved.digest.as_bytes().to_vec());
    insert.push(stored_count(saved.bytes));
    insert.push(without_nul(&saved.media_type));
    insert.push(saved.at_ms);
    insert.execute().await.map_err(&failed)?;
    let forget = held.tx.sql(FORGET).bind(held.tenant).bind(run).bind(stored_count(CHECKPOINTS_KEPT_MAX));
    forget.execute().await.map(drop).map_err(&failed)
}

row! {
    struct CheckpointRow {
        id: String,
        number: i64,
        digest: Vec<u8>,
        bytes: i64,
        media_type: String,
        at_ms: i64,
    }
}

impl CheckpointRow {
    fn read(self, doing: &'static str) -> Result<RunCheckpoint, StoreError> {
        let digest = <[u8; 32]>::try_from(self.digest).map_err(|_| unreadable(doing, "digest of a state"))?;
        Ok(RunCheckpoint {
            id: self.id,
            number: read_count(self.number),
            digest: Digest::from_bytes(digest),
            bytes: read_count(self.bytes),
            media_type: self.media_type,
            at_ms: self.at_ms,
        })
    }
}
