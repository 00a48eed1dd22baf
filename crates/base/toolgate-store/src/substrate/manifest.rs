//! Manifests as rows, and the ways from one to those before it.

use std::sync::LazyLock;

use toolgate_core::Digest;
use toolgate_core::substrate::ManifestDigest;

use super::node::read_digest;
use crate::digest_list::DigestListQuery;
use crate::error::doing;
use crate::registry::read_count;
use crate::row::row;
use crate::{Store, StoreError};

const COLUMNS: &str =
    "SELECT digest, root, generation, entries, bytes, document, created_at_ms FROM manifests";
static READ: LazyLock<DigestListQuery> = LazyLock::new(|| DigestListQuery::new(COLUMNS, ""));
/// A manifest that is reached by several ways has a row for each number of steps.
const ANCESTRY: &str = "WITH RECURSIVE up (digest, steps) AS (
        SELECT digest, 0 FROM manifests WHERE tenant = $1 AND digest = $2
        UNION SELECT manifest_parents.parent, up.steps + 1 FROM up JOIN manifest_parents
            ON manifest_parents.tenant = $1 AND manifest_parents.manifest = up.digest WHERE up.steps < $3
    )
    SELECT digest, root, generation, entries, bytes, document, created_at_ms FROM manifests
    WHERE tenant = $1 AND digest IN (SELECT digest FROM up) ORDER BY generation DESC LIMIT $4";

/// The longest way that one statement goes.
const STEPS_MAX: i64 = 64;
/// The most manifests that one statement reads: with many parents each, a few steps lead to thousands.
const ANCESTORS_AT_ONCE: i64 = 256;

/// A manifest as it is stored. Its document is not checked here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredManifest {
    pub digest: ManifestDigest,
    pub root: Digest,
    /// One more than the highest of its parents.
    pub generation: u64,
    pub entries: u64,
    pub bytes: u64,
    /// Canonical JSON; its digest is that of the manifest.
    pub document: String,
    pub created_at_ms: i64,
}

impl Store {
    pub async fn manifest(&self, digest: &ManifestDigest) -> Result<Option<StoredManifest>, StoreError> {
        Ok(self.manifests(&[*digest]).await?.pop())
    }

    /// Those of these manifests that are there, in any order.
    pub async fn manifests(&self, digests: &[ManifestDigest]) -> Result<Vec<StoredManifest>, StoreError> {
        const DOING: &str = "read manifests";
        let digests: Vec<Digest> = digests.iter().map(|one| one.digest()).collect();
        let rows: Vec<ManifestRow> = READ.fetch(self, &digests).await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// A manifest and those before it, up to this many steps and 256 of them, with one statement and the highest generation first.
    /// Nothing if it is not there.
    pub async fn manifest_ancestry(
        &self,
        digest: &ManifestDigest,
        steps_max: u16,
    ) -> Result<Vec<StoredManifest>, StoreError> {
        const DOING: &str = "read the history of a manifest";
        let read = self.db.sql(ANCESTRY).bind(self.tenant).bind(&digest.as_bytes()[..]);
        let read = read.bind(i64::from(steps_max).min(STEPS_MAX)).bind(ANCESTORS_AT_ONCE);
        let rows: Vec<ManifestRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}

row! {
    struct ManifestRow {
        digest: Vec<u8>,
        root: Vec<u8>,
        generation: i64,
        entries: i64,
        bytes: i64,
        document: String,
        created_at_ms: i64,
    }
}

impl ManifestRow {
    fn read(self, doing: &'static str) -> Result<StoredManifest, StoreError> {
        Ok(StoredManifest {
            digest: ManifestDigest::new(read_digest(&self.digest, doing)?),
            root: read_digest(&self.root, doing)?,
            generation: read_count(self.generation),
            entries: read_count(self.entries),
            bytes: read_count(self.bytes),
            document: self.document,
            created_at_ms: self.created_at_ms,
        })
    }
}
