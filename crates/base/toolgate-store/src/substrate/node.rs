//! Nodes of trees: bytes under their digests. Whoever reads them compares both.

use std::collections::HashMap;
use std::sync::LazyLock;

use toolgate_core::Digest;
use toolgate_core::event::Durability;

use crate::digest_list::{DIGESTS_AT_ONCE, DigestListQuery};
use crate::error::doing;
use crate::registry::unreadable;
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};

static READ: LazyLock<DigestListQuery> =
    LazyLock::new(|| DigestListQuery::new("SELECT digest, bytes FROM tree_nodes", ""));
static WRITE: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let before = "INSERT INTO tree_nodes (tenant, digest, bytes, touched_at_ms) VALUES ";
    // Someone who looks for nodes that are left over sees that this one is needed, or waits for it.
    let after = " ON CONFLICT (tenant, digest) DO UPDATE SET touched_at_ms = excluded.touched_at_ms";
    MultiRowInsert::new(before, 4, after)
});

impl Store {
    /// The bytes of nodes, in the order of `digests`. Up to 256 are read with one statement.
    pub async fn tree_nodes(&self, digests: &[Digest]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        const DOING: &str = "read nodes of a manifest";
        let rows: Vec<(Vec<u8>, Vec<u8>)> = READ.fetch(self, digests).await.map_err(doing(DOING))?;
        let mut nodes = HashMap::with_capacity(rows.len());
        for (digest, bytes) in rows {
            nodes.insert(read_digest(&digest, DOING)?, bytes);
        }
        Ok(digests.iter().map(|digest| nodes.remove(digest)).collect())
    }

    /// Stores nodes, some in each transaction. Nodes that are there are touched.
    pub async fn put_tree_nodes(&self, nodes: &[(Digest, &[u8])], now_ms: i64) -> Result<(), StoreError> {
        const DOING: &str = "store nodes of a manifest";
        // In one order, so that two writers of the same nodes do not wait for each other; and each once.
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable_by_key(|(digest, _)| *digest);
        sorted.dedup_by_key(|(digest, _)| *digest);
        for part in sorted.chunks(DIGESTS_AT_ONCE) {
            let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
            let tenant = self.tenant;
            let written = WRITE.execute(&mut tx, part, |statement, (digest, bytes)| {
                statement.push(tenant);
                statement.push(&digest.as_bytes()[..]);
                statement.push(*bytes);
                statement.push(now_ms);
            });
            written.await.map_err(doing(DOING))?;
            tx.commit().await.map_err(doing(DOING))?;
        }
        Ok(())
    }
}

pub(super) fn read_digest(bytes: &[u8], doing: &'static str) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable(doing, "digest"))
}
