//! Keys the gateway made for itself.

use crate::error::{doing, random_bytes};
use crate::{Store, StoreError};

const KEEP: &str = "INSERT INTO secrets (tenant, name, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const READ: &str = "SELECT value FROM secrets WHERE tenant = $1 AND name = $2";

const SEALING: &str = "sealing";

impl Store {
    /// The key that seals data which the gateway hands out and expects back unchanged. It is created once and
    /// never changes.
    pub async fn sealing_key(&self) -> Result<[u8; 32], StoreError> {
        const DOING: &str = "read the sealing key";
        let fresh = random_bytes::<32>()?;
        let keep = self.db.sql(KEEP).bind(self.tenant).bind(SEALING).bind(&fresh[..]);
        keep.execute().await.map_err(doing(DOING))?;
        let read = self.db.sql(READ).bind(self.tenant).bind(SEALING);
        let (key,): (Vec<u8>,) = read.fetch_one().await.map_err(doing(DOING))?;
        key.try_into().map_err(|_| StoreError::Unreadable { doing: DOING, what: "key" })
    }
}
