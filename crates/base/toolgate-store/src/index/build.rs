//! The indexes that were built of states of pointers.

use toolgate_core::id::RunId;
use toolgate_core::stop_point;
use toolgate_core::substrate::ManifestDigest;

use super::events;
use crate::books::Books;
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::file::Actor;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::run::json;
use crate::{Store, StoreError};

/// The builds of one pointer that are listed.
pub const INDEX_BUILDS_MAX: usize = 200;
/// The problems of a build that are named. All are counted.
pub const INDEX_PROBLEMS_NAMED_MAX: usize = 100;
/// The indexes of all pointers that are listed.
const INDEXED_POINTERS_MAX: i64 = 10_000;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT namespace, name, profile, profile_version, engine, source_manifest, index_manifest, documents, chunks, \
             problems, problem_count, run, at_ms FROM index_builds",
            $conditions
        )
    };
}

const READ: &str = select!(
    " WHERE tenant = $1 AND namespace = $2 AND name = $3 AND profile = $4 AND profile_version = $5 AND engine = $6
        AND source_manifest = $7"
);
const OF_POINTER: &str = select!(
    " WHERE tenant = $1 AND namespace = $2 AND name = $3
    ORDER BY at_ms DESC, profile, profile_version DESC, engine, source_manifest LIMIT $4"
);
const POINTERS: &str = "SELECT DISTINCT namespace, name, profile FROM index_builds WHERE tenant = $1
    ORDER BY namespace, name, profile LIMIT $2";
/// In the order of `push`. A build anew replaces the one before.
const PUT: &str =
    "INSERT INTO index_builds (tenant, namespace, name, profile, profile_version, engine, source_manifest, index_manifest,
        documents, chunks, problems, problem_count, run, at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT (tenant, namespace, name, profile, profile_version, engine, source_manifest) DO UPDATE
        SET index_manifest = excluded.index_manifest, documents = excluded.documents, chunks = excluded.chunks,
            problems = excluded.problems, problem_count = excluded.problem_count, run = excluded.run,
            at_ms = excluded.at_ms";
const FORGET: &str =
    "DELETE FROM index_builds WHERE tenant = $1 AND namespace = $2 AND name = $3 AND profile = $4
    AND profile_version = $5 AND engine = $6 AND source_manifest = $7 AND index_manifest = $8";

/// One state of a pointer, with one version of a profile on one engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexBuildKey {
    pub namespace: String,
    pub name: String,
    pub profile: String,
    pub profile_version: u64,
    pub engine: String,
    pub source_manifest: ManifestDigest,
}

/// The index that was built of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexBuildRow {
    pub key: IndexBuildKey,
    pub index_manifest: ManifestDigest,
    pub documents: u64,
    pub chunks: u64,
    /// The first of the documents that are not in it. Of more than `INDEX_PROBLEMS_NAMED_MAX`, the rest is not kept.
    pub problems: Vec<IndexProblem>,
    /// The count of all of them.
    pub problem_count: u64,
    pub run: Option<RunId>,
    pub at_ms: i64,
}

/// A document that is not in an index.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct IndexProblem {
    pub path: String,
    pub why: String,
}

row! {
    struct StoredBuild {
        namespace: String,
        name: String,
        profile: String,
        profile_version: i64,
        engine: String,
        source_manifest: Vec<u8>,
        index_manifest: Vec<u8>,
        documents: i64,
        chunks: i64,
        problems: String,
        problem_count: i64,
        run: Option<String>,
        at_ms: i64,
    }
}

impl StoredBuild {
    fn read(self, doing: &'static str) -> Result<IndexBuildRow, StoreError> {
        let problems = serde_json::from_str(&self.problems);
        Ok(IndexBuildRow {
            key: IndexBuildKey {
                namespace: self.namespace,
                name: self.name,
                profile: self.profile,
                profile_version: read_count(self.profile_version),
                engine: self.engine,
                source_manifest: read_manifest(&self.source_manifest, doing)?,
            },
            index_manifest: read_manifest(&self.index_manifest, doing)?,
            documents: read_count(self.documents),
            chunks: read_count(self.chunks),
            problems: problems.map_err(|_| unreadable(doing, "problems of an index"))?,
            problem_count: read_count(self.problem_count),
            run: self.run.map(RunId::new),
            at_ms: self.at_ms,
        })
    }
}

fn read_manifest(bytes: &[u8], doing: &'static str) -> Result<ManifestDigest, StoreError> {
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| unreadable(doing, "manifest of an index"))?;
    Ok(ManifestDigest::from_bytes(bytes))
}

impl Store {
    /// The index of one state of a pointer.
    pub async fn index_build(&self, key: &IndexBuildKey) -> Result<Option<IndexBuildRow>, StoreError> {
        const DOING: &str = "look for an index";
        let mut read = self.db.sql(READ);
        push_key(self.tenant, key, &mut read);
        let row: Option<StoredBuild> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The indexes of a pointer, newest first.
    pub async fn index_builds_of(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Vec<IndexBuildRow>, StoreError> {
        const DOING: &str = "list the indexes of a pointer";
        let limit = i64::try_from(INDEX_BUILDS_MAX).expect("the limit is small");
        let read = self.db.sql(OF_POINTER).bind(self.tenant).bind(without_nul(namespace));
        let read = read.bind(without_nul(name)).bind(limit);
        let rows: Vec<StoredBuild> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// Namespace, name and profile of all that were ever indexed, in this order.
    pub async fn indexed_pointers(&self) -> Result<Vec<(String, String, String)>, StoreError> {
        let read = self.db.sql(POINTERS).bind(self.tenant).bind(INDEXED_POINTERS_MAX);
        read.fetch_all().await.map_err(doing("list the pointers that have indexes"))
    }

    /// Forgets an index whose files are gone or damaged: it is built again. `false` if another one has its place.
    pub async fn forget_index_build(&self, row: &IndexBuildRow) -> Result<bool, StoreError> {
        let mut forget = self.db.sql(FORGET);
        push_key(self.tenant, &row.key, &mut forget);
        forget.push(&row.index_manifest.as_bytes()[..]);
        Ok(forget.execute().await.map_err(doing("forget an index"))? > 0)
    }
}

impl Books {
    /// Keeps an index, whose manifest is stored, under the state that it was built of.
    pub async fn keep_index_build(&self, row: &IndexBuildRow, by: &Actor) -> Result<(), StoreError> {
        const DOING: &str = "keep an index";
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let mut put = tx.sql(PUT);
        push(self.store().tenant, row, &mut put);
        put.execute().await.map_err(doing(DOING))?;
        stop_point::reach("index kept");
        self.record(tx, vec![events::published(row, by)]).await.map_err(doing(DOING))
    }
}

/// Tenant and key.
fn push_key(tenant: &'static str, key: &IndexBuildKey, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(without_nul(&key.namespace));
    to.push(without_nul(&key.name));
    to.push(without_nul(&key.profile));
    to.push(stored_count(key.profile_version));
    to.push(without_nul(&key.engine));
    to.push(&key.source_manifest.as_bytes()[..]);
}

fn push(tenant: &'static str, row: &IndexBuildRow, to: &mut SqlStatement<'_>) {
    let named = &row.problems[..row.problems.len().min(INDEX_PROBLEMS_NAMED_MAX)];
    push_key(tenant, &row.key, to);
    to.push(&row.index_manifest.as_bytes()[..]);
    to.push(stored_count(row.documents));
    to.push(stored_count(row.chunks));
    to.push(json(named));
    to.push(stored_count(row.problem_count));
    to.push(row.run.as_ref().map(|run| without_nul(run.as_str())));
    to.push(row.at_ms);
}
