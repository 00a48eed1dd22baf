//! The creation of a manifest: its row, its parents, the artifacts that it makes known, and the events, in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use toolgate_core::event::Event;
use toolgate_core::file::Artifact;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, stop_point};

use super::event::manifest_created;
use super::node::read_digest;
use crate::StoreError;
use crate::books::Books;
use crate::db::Transaction;
use crate::digest_list::DigestListQuery;
use crate::error::doing;
use crate::file::{Actor, insert_artifact_in};
use crate::registry::{read_count, stored_count};

const DOING: &str = "store a manifest";

static MANIFESTS: LazyLock<DigestListQuery> =
    LazyLock::new(|| DigestListQuery::new("SELECT digest, generation FROM manifests", ""));
/// Artifacts of the whole tenant belong to no run.
static ARTIFACTS: LazyLock<DigestListQuery> =
    LazyLock::new(|| DigestListQuery::new("SELECT digest FROM artifacts", " AND run IS NULL"));
static NODES: LazyLock<DigestListQuery> =
    LazyLock::new(|| DigestListQuery::new("SELECT digest FROM tree_nodes", ""));
const SAME_ROOT: &str = "SELECT generation FROM manifests WHERE tenant = $1 AND root = $2 LIMIT 1";
const INSERT: &str =
    "INSERT INTO manifests (tenant, digest, root, generation, entries, bytes, document, created_at_ms,
        touched_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT DO NOTHING";
/// Changes the row in any case: whether it is still there shows in the number of changed rows.
const TOUCH: &str =
    "UPDATE manifests SET touched_at_ms = CASE WHEN touched_at_ms < $3 THEN $3 ELSE touched_at_ms END
    WHERE tenant = $1 AND digest = $2";
const INSERT_PARENT: &str =
    "INSERT INTO manifest_parents (tenant, manifest, place, parent) VALUES ($1, $2, $3, $4)";

/// A manifest whose nodes are stored.
#[derive(Clone, Copy, Debug)]
pub struct NewManifest<'a> {
    pub digest: ManifestDigest,
    pub root: Digest,
    pub parents: &'a [ManifestDigest],
    pub entries: u64,
    pub bytes: u64,
    pub document: &'a str,
    /// Artifacts of a run or of its author, which the whole tenant knows from now on.
    pub shared: &'a [Artifact],
    /// The artifacts and manifests that its new entries name.
    pub artifacts: &'a [Digest],
    pub manifests: &'a [ManifestDigest],
    pub created_at_ms: i64,
}

/// The outcome of storing a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ManifestOutcome {
    /// False if the very same manifest was there: same entries, parents, message and author.
    pub is_new: bool,
    /// True if a manifest with the same entries was there.
    pub is_duplicate: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreManifestError {
    #[error("there is no manifest {0}")]
    UnknownManifest(ManifestDigest),
    #[error("there is no artifact {0}")]
    UnknownArtifact(Digest),
    #[error("the root {0} of the manifest is not stored")]
    UnknownRoot(Digest),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Books {
    /// Stores a manifest and the events about it. Storing the same again changes nothing.
    pub async fn store_manifest(
        &self,
        new: &NewManifest<'_>,
        by: &Actor,
    ) -> Result<ManifestOutcome, StoreManifestError> {
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let generation = checked_generation(&mut tx, tenant, new).await?;
        let mut events = share_all(&mut tx, tenant, new.shared, by).await?;
        check_named(&mut tx, tenant, new).await?;
        let same = tx.sql(SAME_ROOT).bind(tenant).bind(&new.root.as_bytes()[..]);
        let same: Option<(i64,)> = same.fetch_optional().await.map_err(doing(DOING))?;
        let is_new = insert(&mut tx, tenant, new, generation).await.map_err(doing(DOING))?;
        if is_new {
            events.push(manifest_created(new, by));
        }
        stop_point::reach("manifest written");
        self.record(tx, events).await.map_err(doing(DOING))?;
        Ok(ManifestOutcome { is_new, is_duplicate: same.is_some() })
    }
}

/// The generation of the manifest, if everything that it comes from or names as a manifest is there.
async fn checked_generation(
    tx: &mut Transaction,
    tenant: &'static str,
    new: &NewManifest<'_>,
) -> Result<u64, StoreManifestError> {
    let named: BTreeSet<ManifestDigest> = new.parents.iter().chain(new.manifests).copied().collect();
    let digests: Vec<Digest> = named.iter().map(|one| one.digest()).collect();
    let rows: Vec<(Vec<u8>, i64)> = MANIFESTS.lock(tx, tenant, &digests).await.map_err(doing(DOING))?;
    let mut there = BTreeMap::new();
    for (digest, generation) in rows {
        there.insert(ManifestDigest::new(read_digest(&digest, DOING)?), read_count(generation));
    }
    if let Some(missing) = named.iter().find(|one| !there.contains_key(*one)) {
        return Err(StoreManifestError::UnknownManifest(*missing));
    }
    let highest = new.parents.iter().filter_map(|parent| there.get(parent)).max();
    Ok(highest.map_or(1, |highest| highest.saturating_add(1)))
}

async fn share_all(
    tx: &mut Transaction,
    tenant: &'static str,
    shared: &[Artifact],
    by: &Actor,
) -> Result<Vec<Event>, StoreError> {
    let mut events = Vec::new();
    for artifact in shared {
        events.extend(insert_artifact_in(tx, tenant, artifact, by).await?);
    }
    Ok(events)
}

async fn check_named(
    tx: &mut Transaction,
    tenant: &'static str,
    new: &NewManifest<'_>,
) -> Result<(), StoreManifestError> {
    let there = present(&ARTIFACTS, tx, tenant, new.artifacts).await?;
    if let Some(missing) = new.artifacts.iter().find(|one| !there.contains(*one)) {
        return Err(StoreManifestError::UnknownArtifact(*missing));
    }
    let root = present(&NODES, tx, tenant, &[new.root]).await?;
    if root.is_empty() { Err(StoreManifestError::UnknownRoot(new.root)) } else { Ok(()) }
}

/// Those of these digests that have a row.
async fn present(
    query: &DigestListQuery,
    tx: &mut Transaction,
    tenant: &'static str,
    digests: &[Digest],
) -> Result<BTreeSet<Digest>, StoreError> {
    let rows: Vec<(Vec<u8>,)> = query.lock(tx, tenant, digests).await.map_err(doing(DOING))?;
    rows.iter().map(|(digest,)| read_digest(digest, DOING)).collect()
}

/// The number of times that a manifest is found and then gone, because it was collected at that moment.
const GONE_MAX: usize = 3;

/// True if it is new.
async fn insert(
    tx: &mut Transaction,
    tenant: &'static str,
    new: &NewManifest<'_>,
    generation: u64,
) -> Result<bool, sqlx::Error> {
    let digest = &new.digest.as_bytes()[..];
    for _ in 0..GONE_MAX {
        if insert_row(tx, tenant, new, generation).await? {
            return Ok(true);
        }
        let touch = tx.sql(TOUCH).bind(tenant).bind(digest).bind(new.created_at_ms);
        if touch.execute().await? > 0 {
            return Ok(false);
        }
    }
    Err(sqlx::Error::RowNotFound)
}

/// False if there is such a row.
async fn insert_row(
    tx: &mut Transaction,
    tenant: &'static str,
    new: &NewManifest<'_>,
    generation: u64,
) -> Result<bool, sqlx::Error> {
    let digest = &new.digest.as_bytes()[..];
    let row = tx.sql(INSERT).bind(tenant).bind(digest).bind(&new.root.as_bytes()[..]);
    let row =
        row.bind(stored_count(generation)).bind(stored_count(new.entries)).bind(stored_count(new.bytes));
    if row.bind(new.document).bind(new.created_at_ms).execute().await? == 0 {
        return Ok(false);
    }
    for (place, parent) in (0_i64..).zip(new.parents) {
        let row = tx.sql(INSERT_PARENT).bind(tenant).bind(digest).bind(place);
        row.bind(&parent.as_bytes()[..]).execute().await?;
    }
    Ok(true)
}
