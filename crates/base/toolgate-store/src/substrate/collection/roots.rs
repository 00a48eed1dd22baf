//! The roots: manifests that pointers, their moves, runs and pins lead to, and those that were touched lately.

use toolgate_core::Digest;
use toolgate_core::substrate::ManifestDigest;

use super::super::node::read_digest;
use super::turn::{CollectionTerms, CollectionTurn};
use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};

/// A deleted pointer leads nowhere; its moves keep what it had for as long as moves are kept.
const ADD: &str = "INSERT INTO collection_roots (tenant, digest, round)
    SELECT CAST($1 AS TEXT), roots.digest, CAST($2 AS BIGINT) FROM (
        SELECT manifest AS digest FROM pointers WHERE tenant = $1
        UNION SELECT old_manifest FROM pointer_moves WHERE tenant = $1 AND at_ms >= $3
        UNION SELECT new_manifest FROM pointer_moves WHERE tenant = $1 AND at_ms >= $3
        UNION SELECT input_manifest FROM runs WHERE tenant = $1
        UNION SELECT output_manifest FROM runs WHERE tenant = $1
        UNION SELECT manifest FROM pins WHERE tenant = $1
        UNION SELECT digest FROM manifests WHERE tenant = $1 AND touched_at_ms >= $4
    ) AS roots WHERE roots.digest IS NOT NULL
    ON CONFLICT (tenant, digest) DO UPDATE SET round = excluded.round";
const FORGET_GONE: &str = "DELETE FROM collection_roots WHERE tenant = $1 AND round < $2";
const UNMARKED: &str = "SELECT manifests.digest, manifests.root FROM collection_roots
    JOIN manifests ON manifests.tenant = collection_roots.tenant AND manifests.digest = collection_roots.digest
    WHERE collection_roots.tenant = $1 AND NOT EXISTS (SELECT 1 FROM collection_marks
        WHERE collection_marks.tenant = $1 AND collection_marks.kind = 1
        AND collection_marks.digest = manifests.digest AND collection_marks.generation >= $2)
    ORDER BY manifests.digest LIMIT $3";

/// A manifest from which marking begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootManifest {
    pub manifest: ManifestDigest,
    /// The root of its tree.
    pub tree: Digest,
}

/// Notes the roots of this round. True if some of the round before are none any more.
pub(super) async fn note(
    tx: &mut Transaction,
    tenant: &'static str,
    round: i64,
    terms: &CollectionTerms,
) -> Result<bool, sqlx::Error> {
    add(tx, tenant, round, terms).await?;
    let gone = tx.sql(FORGET_GONE).bind(tenant).bind(round);
    Ok(gone.execute().await? > 0)
}

/// Adds the roots that there are now.
pub(super) async fn add(
    tx: &mut Transaction,
    tenant: &'static str,
    round: i64,
    terms: &CollectionTerms,
) -> Result<(), sqlx::Error> {
    let add = tx.sql(ADD).bind(tenant).bind(round).bind(terms.moves_since_ms);
    add.bind(terms.untouched_since_ms).execute().await.map(drop)
}

impl Store {
    /// Some of the roots that are not marked in this generation.
    pub async fn unmarked_roots(
        &self,
        turn: &CollectionTurn,
        max: u16,
    ) -> Result<Vec<RootManifest>, StoreError> {
        const DOING: &str = "look for the roots of manifests";
        let read = self.db.sql(UNMARKED).bind(self.tenant).bind(turn.generation).bind(i64::from(max));
        let rows: Vec<(Vec<u8>, Vec<u8>)> = read.fetch_all().await.map_err(doing(DOING))?;
        let root = |(manifest, tree): (Vec<u8>, Vec<u8>)| {
            let manifest = ManifestDigest::new(read_digest(&manifest, DOING)?);
            Ok(RootManifest { manifest, tree: read_digest(&tree, DOING)? })
        };
        rows.into_iter().map(root).collect()
    }
}
