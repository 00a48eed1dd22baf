//! Erasing what the ledger and its neighbours hold of a principal's calls: arguments, results and salts. The
//! lines stay, and with them the chain; without the salt, a commitment in a line says nothing about the body.
//!
//! Each transaction deletes some and records in `ledger.erased` exactly what it deleted. A process that dies
//! leaves the rest for the next erasure.

mod beside;
mod find;
mod grants;
mod messages;
mod recorded;
mod scope;
mod scrub;

use std::sync::Arc;

use toolgate_core::RawJson;
use toolgate_core::event::{Durability, Event, EventKind, EventSubject, LedgerEntry};

use super::append::{KnownRows, append};
use super::clean::clean;
use super::head::{LedgerStream, StreamHead};
use crate::clock::now_ms;
use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};
use find::FoundBodies;
pub(super) use recorded::RecordedErasure;
pub use scope::{ErasureCounts, ErasureReport, ErasureRequest, ErasureScope};

/// Bodies that are deleted in one transaction, which blocks all other writers of SQLite.
const ERASED_AT_ONCE: usize = 512;

const DOING: &str = "erase what the ledger holds of a principal";
/// Writers make new commitments from here on: what is erased does not come back under the old ones.
const COUNT: &str = "UPDATE ledger_heads SET erasures = erasures + 1 WHERE tenant = $1";
const ENDS: &str = "SELECT stream, number FROM ledger_heads WHERE tenant = $1";

impl Store {
    /// Looks for what `erase` would delete, and deletes nothing.
    pub async fn find_erasable(&self, scope: &ErasureScope) -> Result<ErasureReport, StoreError> {
        let find = async {
            let found = self.find_bodies(scope).await?;
            let (mut erased, open_approvals) = self.count_beside(scope).await?;
            erased.bodies = found.bodies.len() as u64;
            Ok::<_, sqlx::Error>(ErasureReport {
                calls: found.calls,
                erased,
                shared: found.shared,
                open_approvals,
            })
        };
        find.await.map_err(doing(DOING))
    }

    /// Deletes it, and records that in this stream. Nothing is recorded if there is nothing to delete.
    pub async fn erase(&self, stream: &str, request: &ErasureRequest) -> Result<ErasureReport, StoreError> {
        let pen = self.pen(stream).await?;
        let erase = async {
            let FoundBodies { calls, bodies, shared } = self.find_bodies(&request.scope).await?;
            let (beside, open_approvals) = self.count_beside(&request.scope).await?;
            let mut erased = ErasureCounts::default();
            if !beside.is_empty() && bodies.is_empty() {
                erased.add(self.erase_some(&pen, request, &[]).await?);
            }
            for some in bodies.chunks(ERASED_AT_ONCE) {
                erased.add(self.erase_some(&pen, request, some).await?);
            }
            // Also if nothing was left: an erasure that broke off may have been about to.
            self.empty_log().await?;
            Ok::<_, sqlx::Error>(ErasureReport { calls, erased, shared, open_approvals })
        };
        erase.await.map_err(doing(DOING))
    }

    /// These bodies, and whatever else is there.
    async fn erase_some(
        &self,
        pen: &LedgerStream,
        request: &ErasureRequest,
        bodies: &[i64],
    ) -> Result<ErasureCounts, sqlx::Error> {
        let mut tx = self.db.begin(Durability::OnDisk).await?;
        scrub::overwrite(&mut tx).await?;
        let mut erased = beside::delete(&mut tx, self.tenant, &request.scope).await?;
        // Heads before bodies, as every writer takes them: from here on nothing is written.
        tx.sql(COUNT).bind(self.tenant).execute().await?;
        erased.bodies = delete_bodies(&mut tx, self.tenant, bodies).await?;
        if erased.is_empty() {
            return Ok(erased);
        }
        let ends: Vec<(String, i64)> = tx.sql(ENDS).bind(self.tenant).fetch_all().await?;
        let events = vec![event(request, erased, ends)];
        let mut entry = LedgerEntry { events, bodies: Vec::new(), durability: Durability::OnDisk };
        clean(&mut entry);
        let taken = StreamHead::take(&mut tx, pen).await?;
        append(&mut tx, pen, taken, &[&entry], &mut KnownRows::default()).await?;
        tx.commit().await?;
        Ok(erased)
    }
}

/// Each place is of one body.
async fn delete_bodies(
    tx: &mut Transaction,
    tenant: &'static str,
    bodies: &[i64],
) -> Result<u64, sqlx::Error> {
    let Some(last) = bodies.last() else { return Ok(0) };
    // Few different texts, so that they stay prepared.
    let count = bodies.len().next_power_of_two();
    let places: Vec<String> = (2..2 + count).map(|place| format!("${place}")).collect();
    let text = format!("DELETE FROM ledger_bodies WHERE tenant = $1 AND place IN ({})", places.join(", "));
    let mut delete = tx.sql(sqlx::AssertSqlSafe(text)).bind(tenant);
    bodies.iter().chain(std::iter::repeat(last)).take(count).for_each(|place| delete.push(*place));
    delete.execute().await
}

fn event(request: &ErasureRequest, erased: ErasureCounts, ends: Vec<(String, i64)>) -> Event {
    let scope = &request.scope;
    let detail = RecordedErasure {
        principal: scope.principal.clone(),
        session: scope.session.clone(),
        call: scope.call.clone(),
        erased,
        reason: request.reason.clone(),
        ends: ends.into_iter().collect(),
    };
    let about = Arc::new(EventSubject::default());
    let mut event = Event::new(EventKind::LedgerErased, now_ms(), request.by.clone(), about);
    event.detail = serde_json::to_value(detail).ok().map(RawJson::from);
    event
}
