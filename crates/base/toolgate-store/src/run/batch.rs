//! Calls under ids of their client: a call that is sent twice runs once, and is answered twice.

use toolgate_core::event::Durability;
use toolgate_core::id::RunId;
use toolgate_core::{Digest, RawJson};

use crate::db::without_nul;
use crate::error::doing;
use crate::registry::{read_raw, unreadable};
use crate::{Store, StoreError};

const CLAIM: &str = "INSERT INTO batch_calls (tenant, run, client_id, request, state, stream, created_at_ms)
    VALUES ($1, $2, $3, $4, 'running', $5, $6) ON CONFLICT DO NOTHING";
const READ: &str =
    "SELECT request, result FROM batch_calls WHERE tenant = $1 AND run = $2 AND client_id = $3";
const RECORD: &str = "UPDATE batch_calls SET state = 'done', result = $4
    WHERE tenant = $1 AND run = $2 AND client_id = $3 AND state = 'running'";
const PUT_OFF: &str = "UPDATE batch_calls SET state = 'put_off', result = $4
    WHERE tenant = $1 AND run = $2 AND client_id = $3 AND state = 'running'";
const TAKE_UP: &str = "UPDATE batch_calls SET state = 'running', result = NULL, stream = $5
    WHERE tenant = $1 AND run = $2 AND client_id = $3 AND request = $4 AND state = 'put_off'";
const FORGET: &str = "UPDATE batch_calls SET state = 'done', result = $3
    WHERE tenant = $1 AND stream = $2 AND state = 'running'";
/// Gateways of a shared database claim their streams; one without a claim is dead. Elsewhere there is one gateway. A call of a gateway
/// that lost its lease of the run has no stream any more (`agent_loop/lease.rs`).
const GIVE_UP: &str = "UPDATE batch_calls SET state = 'done', result = $4
    WHERE tenant = $1 AND run = $2 AND client_id = $3 AND state = 'running' AND stream <> $5
    AND NOT EXISTS (SELECT 1 FROM gateways WHERE gateways.tenant = batch_calls.tenant
        AND gateways.stream = batch_calls.stream)";

/// A call that a client has sent under its own id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchCall {
    /// The digest of the request.
    pub request: Digest,
    /// `None` while it runs. The last result, if it was put off.
    pub result: Option<RawJson>,
}

impl Store {
    /// Claims a call for a gateway of this stream. `false` if it is claimed already.
    pub async fn claim_batch_call(
        &self,
        run: &RunId,
        client_id: &str,
        request: Digest,
        stream: &str,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        const DOING: &str = "take on a call of a batch";
        // A claim survives a crash of the machine: the call may be sent next.
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let claim = tx.sql(CLAIM).bind(self.tenant).bind(without_nul(run.as_str()));
        let claim = claim.bind(without_nul(client_id)).bind(request.as_bytes().to_vec());
        let claimed = claim.bind(stream).bind(now_ms).execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(claimed > 0)
    }

    /// Claims a call again that was put off. `false` if it was not, or if another gateway has it now.
    pub async fn take_up_batch_call(
        &self,
        run: &RunId,
        client_id: &str,
        request: Digest,
        stream: &str,
    ) -> Result<bool, StoreError> {
        const DOING: &str = "take up a call of a batch";
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let take = tx.sql(TAKE_UP).bind(self.tenant).bind(without_nul(run.as_str()));
        let take = take.bind(without_nul(client_id)).bind(request.as_bytes().to_vec()).bind(stream);
        let taken = take.execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(taken > 0)
    }

    pub async fn batch_call(&self, run: &RunId, client_id: &str) -> Result<Option<BatchCall>, StoreError> {
        const DOING: &str = "read a call of a batch";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(run.as_str()));
        let read = read.bind(without_nul(client_id));
        let row: Option<(Vec<u8>, Option<String>)> = read.fetch_optional().await.map_err(doing(DOING))?;
        let Some((request, result)) = row else { return Ok(None) };
        let request = <[u8; 32]>::try_from(request).map_err(|_| unreadable(DOING, "digest of a request"))?;
        let result = result.map(|result| read_raw(result, DOING, "result of a call")).transpose()?;
        Ok(Some(BatchCall { request: Digest::from_bytes(request), result }))
    }

    /// Keeps the result of a call that runs. `false` if it has one, or was never taken on.
    pub async fn record_batch_call(
        &self,
        run: &RunId,
        client_id: &str,
        result: &RawJson,
    ) -> Result<bool, StoreError> {
        let record = self.db.sql(RECORD).bind(self.tenant).bind(without_nul(run.as_str()));
        let record = record.bind(without_nul(client_id)).bind(result.as_str().to_owned());
        Ok(record.execute().await.map_err(doing("keep the result of a call"))? > 0)
    }

    /// Stores the result of a call that runs and has not ended: the next sender continues it.
    pub async fn put_off_batch_call(
        &self,
        run: &RunId,
        client_id: &str,
        result: &RawJson,
    ) -> Result<bool, StoreError> {
        let put_off = self.db.sql(PUT_OFF).bind(self.tenant).bind(without_nul(run.as_str()));
        let put_off = put_off.bind(without_nul(client_id)).bind(result.as_str().to_owned());
        Ok(put_off.execute().await.map_err(doing("put off a call"))? > 0)
    }

    /// Gives this result, an unknown outcome, to calls that a dead gateway of this stream had claimed.
    /// Returns how many.
    pub async fn forget_batch_calls(&self, stream: &str, unknown: &RawJson) -> Result<u64, StoreError> {
        let forget = self.db.sql(FORGET).bind(self.tenant).bind(stream).bind(unknown.as_str().to_owned());
        forget.execute().await.map_err(doing("close the calls of batches that a crash left open"))
    }

    /// Gives this result, an unknown outcome, to a call that runs in a gateway other than that of this stream, if that gateway is
    /// dead. `false` if it lives, or the call has ended.
    pub async fn give_up_batch_call(
        &self,
        run: &RunId,
        client_id: &str,
        unknown: &RawJson,
        own_stream: &str,
    ) -> Result<bool, StoreError> {
        let give_up = self.db.sql(GIVE_UP).bind(self.tenant).bind(without_nul(run.as_str()));
        let give_up = give_up.bind(without_nul(client_id)).bind(unknown.as_str().to_owned());
        let given_up = give_up.bind(own_stream).execute().await;
        Ok(given_up.map_err(doing("give up a call of a dead gateway"))? > 0)
    }
}
