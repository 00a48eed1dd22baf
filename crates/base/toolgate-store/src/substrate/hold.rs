//! Holding a manifest while something that names it is written.

use toolgate_core::substrate::ManifestDigest;

use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};

/// A touched manifest is not collected; and while the row is held, nobody removes it.
const HOLD: &str =
    "UPDATE manifests SET touched_at_ms = CASE WHEN touched_at_ms < $3 THEN $3 ELSE touched_at_ms END
    WHERE tenant = $1 AND digest = $2";

/// The manifest stays until the end of the transaction, and for the grace time after it. `false` if there is none.
pub(super) async fn hold_manifest(
    tx: &mut Transaction,
    tenant: &'static str,
    digest: &[u8],
    at_ms: i64,
) -> Result<bool, sqlx::Error> {
    let held = tx.sql(HOLD).bind(tenant).bind(digest).bind(at_ms).execute().await?;
    Ok(held > 0)
}

impl Store {
    /// The manifest is not collected for the grace time from now on. `false` if there is none.
    pub async fn touch_manifest(&self, digest: &ManifestDigest, at_ms: i64) -> Result<bool, StoreError> {
        let touch = self.db.sql(HOLD).bind(self.tenant).bind(&digest.as_bytes()[..]).bind(at_ms);
        Ok(touch.execute().await.map_err(doing("touch a manifest"))? > 0)
    }
}
