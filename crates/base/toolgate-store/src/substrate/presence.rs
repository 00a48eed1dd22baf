//! The question which of many artifacts a tenant has, for those who upload only what is missing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use toolgate_core::Digest;
use toolgate_core::event::Durability;

use super::node::read_digest;
use crate::db::Dialect;
use crate::digest_list::DigestListQuery;
use crate::error::doing;
use crate::{Store, StoreError};

/// Artifacts of the whole tenant. Those of runs are not everyone's, so they do not show here.
static PRESENT: LazyLock<DigestListQuery> =
    LazyLock::new(|| DigestListQuery::new("SELECT digest FROM artifacts", " AND run IS NULL"));
const TOUCH: &str = "UPDATE blobs SET touched_at_ms = $3
    WHERE tenant = $1 AND digest = $2 AND touched_at_ms < $3 AND deleting = 0";
/// Locks in one order, so that two who touch the same do not wait for each other.
const TOUCH_LISTED: &str = "UPDATE blobs SET touched_at_ms = $3 WHERE tenant = $1 AND digest IN (
        SELECT digest FROM blobs WHERE tenant = $1 AND digest = ANY($2) AND touched_at_ms < $3 AND deleting = 0
        ORDER BY digest FOR UPDATE)";

impl Store {
    /// Those of these artifacts that the tenant has. They are touched, so that they are still there when a manifest names them.
    pub async fn present_artifacts(
        &self,
        digests: &[Digest],
        now_ms: i64,
    ) -> Result<BTreeSet<Digest>, StoreError> {
        const DOING: &str = "look which artifacts are there";
        self.touch_blobs(digests, now_ms).await.map_err(doing(DOING))?;
        // After the touch: what is there now stays for a while.
        let rows: Vec<(Vec<u8>,)> = PRESENT.fetch(self, digests).await.map_err(doing(DOING))?;
        rows.iter().map(|(digest,)| read_digest(digest, DOING)).collect()
    }

    async fn touch_blobs(&self, digests: &[Digest], now_ms: i64) -> Result<(), sqlx::Error> {
        let mut tx = self.db.begin(Durability::Written).await?;
        match tx.dialect() {
            Dialect::Postgres => {
                let mut touch = tx.sql(TOUCH_LISTED).bind(self.tenant);
                touch.push_list(digests.iter().map(|one| &one.as_bytes()[..]).collect::<Vec<_>>());
                touch.bind(now_ms).execute().await?;
            }
            Dialect::Sqlite => {
                for digest in digests {
                    let touch = tx.sql(TOUCH).bind(self.tenant).bind(&digest.as_bytes()[..]);
                    touch.bind(now_ms).execute().await?;
                }
            }
        }
        tx.commit().await
    }
}
