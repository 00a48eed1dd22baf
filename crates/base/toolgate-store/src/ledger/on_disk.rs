//! Most events reach the disk a moment after they are written. Whoever signs them waits until they have: after a
//! power failure, a signed event that is gone would look like one that was removed.

use toolgate_core::event::Durability;

use crate::error::{doing, random_bytes};
use crate::{Store, StoreError};

const DOING: &str = "write the ledger to disk";
/// The value must change: SQLite writes nothing for a row that stays the same.
const CHANGE: &str = "INSERT INTO secrets (tenant, name, value) VALUES ($1, $2, $3) \
     ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value";
/// The name of a row that is there to be changed.
const CHANGED: &str = "ledger_on_disk";

impl Store {
    /// Waits until everything that was committed before is on disk. Both databases write their log in order, so one
    /// small transaction that waits for the disk takes along all that came before it.
    pub async fn sync_ledger(&self) -> Result<(), StoreError> {
        let value = random_bytes::<16>()?;
        let change = async {
            let mut tx = self.db.begin(Durability::OnDisk).await?;
            tx.sql(CHANGE).bind(self.tenant).bind(CHANGED).bind(&value[..]).execute().await?;
            tx.commit().await
        };
        change.await.map_err(doing(DOING))
    }
}
