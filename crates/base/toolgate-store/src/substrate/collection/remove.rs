//! The removal of what is not marked, some rows in each transaction, with the event about it.
//!
//! A transaction locks the rows that it would remove, leaving out those that someone else holds, then looks whether there is a manifest
//! without a mark, and then removes. A manifest that is being written holds what it names, so its rows are left out; one that was
//! written before the look is found by it; one that comes later does not find the rows that are gone, and is refused.

use std::sync::Arc;

use serde_json::json;
use sqlx::AssertSqlSafe;
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::{Digest, stop_point};

use super::super::node::read_digest;
use super::mark::MarkKind;
use super::turn::{CollectionTerms, CollectionTurn};
use crate::books::Books;
use crate::db::{Dialect, SqlStatement, Transaction};
use crate::error::doing;
use crate::file::Actor;
use crate::registry::{read_count, stored_count};
use crate::{Store, StoreError};

const DOING: &str = "remove what nothing reaches";
/// The digests that an event names.
const FIRST_MAX: usize = 10;

/// A manifest without a mark that was touched lately: it may name one that would be removed.
const NEW_MANIFEST: &str = "SELECT CAST(1 AS BIGINT) FROM manifests WHERE tenant = $1 AND touched_at_ms >= $3
    AND NOT EXISTS (SELECT 1 FROM collection_marks WHERE collection_marks.tenant = $1 AND collection_marks.kind = 1
        AND collection_marks.digest = manifests.digest AND collection_marks.generation >= $2) LIMIT 1";
/// The same of any manifest: what it reaches is not marked.
const ANY_MANIFEST: &str = "SELECT CAST(1 AS BIGINT) FROM manifests WHERE tenant = $1
    AND NOT EXISTS (SELECT 1 FROM collection_marks WHERE collection_marks.tenant = $1 AND collection_marks.kind = 1
        AND collection_marks.digest = manifests.digest AND collection_marks.generation >= $2) LIMIT 1";

const UNTOUCHED_MANIFEST: &str = "manifests.touched_at_ms < $3
    AND NOT EXISTS (SELECT 1 FROM pointers WHERE pointers.tenant = $1 AND pointers.manifest = manifests.digest)
    AND NOT EXISTS (SELECT 1 FROM pins WHERE pins.tenant = $1 AND pins.manifest = manifests.digest)
    AND manifests.digest NOT IN (SELECT input_manifest FROM runs WHERE runs.tenant = $1 AND input_manifest IS NOT NULL)
    AND manifests.digest NOT IN (SELECT output_manifest FROM runs WHERE runs.tenant = $1 AND output_manifest IS NOT NULL)";
const UNTOUCHED_NODE: &str = "tree_nodes.touched_at_ms < $3";
/// Artifacts of runs stay with their runs, the DocIR of a document with the document, and what claims cite with the claims. Whoever stores the same bytes again touches
/// the blob first.
const UNTOUCHED_ARTIFACT: &str = "artifacts.run IS NULL AND artifacts.created_at_ms < $3
    AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.tenant = $1 AND blobs.digest = artifacts.digest
        AND blobs.touched_at_ms >= $3)
    AND NOT EXISTS (SELECT 1 FROM parsed_documents WHERE parsed_documents.tenant = $1
        AND parsed_documents.docir = artifacts.digest AND parsed_documents.artifact <> artifacts.digest)
    AND NOT EXISTS (SELECT 1 FROM claim_evidence WHERE claim_evidence.tenant = $1
        AND claim_evidence.artifact = artifacts.digest)
    AND NOT EXISTS (SELECT 1 FROM claim_evidence WHERE claim_evidence.tenant = $1
        AND claim_evidence.docir = artifacts.digest)";
/// Whoever stores the same bytes waits here, and then finds no artifact. Bytes that someone holds stay.
const HOLD_BYTES: &str =
    "SELECT digest FROM blobs WHERE tenant = $1 AND digest = ANY($2) AND touched_at_ms < $3
    FOR UPDATE SKIP LOCKED";
const FORGET_PARENTS: &str = "DELETE FROM manifest_parents WHERE tenant = $1 AND manifest = $2";
const FORGET_PARENTS_LISTED: &str = "DELETE FROM manifest_parents WHERE tenant = $1 AND manifest = ANY($2)";

/// Rows that nothing reaches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnreachedRows {
    pub count: u64,
    pub bytes: u64,
    /// The first of them.
    pub first: Vec<Digest>,
}

/// The outcome of one transaction that removes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RemovalStep {
    /// These are gone. The next step goes on after this digest; without one it was the last.
    Removed(UnreachedRows, Option<Digest>),
    /// There is a manifest without a mark. Mark what it reaches first.
    Unmarked,
}

/// The statements for one kind.
struct UnreachedQuery {
    table: &'static str,
    /// The size of a row.
    bytes: &'static str,
    condition: &'static str,
    kind: MarkKind,
}

impl UnreachedQuery {
    fn of(kind: MarkKind) -> Self {
        let (table, bytes, condition) = match kind {
            MarkKind::Manifest => ("manifests", "LENGTH(manifests.document)", UNTOUCHED_MANIFEST),
            MarkKind::Node => ("tree_nodes", "LENGTH(tree_nodes.bytes)", UNTOUCHED_NODE),
            MarkKind::Artifact => ("artifacts", "artifacts.bytes", UNTOUCHED_ARTIFACT),
        };
        Self { table, bytes, condition, kind }
    }

    /// Of this tenant, without a mark of this generation, and untouched: `$1`, `$2` and `$3`.
    fn unreached(&self) -> String {
        let Self { table, condition, kind, .. } = self;
        let kind = *kind as i64;
        format!(
            "{table}.tenant = $1 AND {condition} AND NOT EXISTS (SELECT 1 FROM collection_marks
                WHERE collection_marks.tenant = $1 AND collection_marks.kind = {kind}
                AND collection_marks.digest = {table}.digest AND collection_marks.generation >= $2)"
        )
    }

    fn candidates(&self, dialect: Dialect) -> String {
        let (table, unreached) = (self.table, self.unreached());
        let lock = dialect.pick("", " FOR UPDATE SKIP LOCKED");
        format!(
            "SELECT {table}.digest FROM {table} WHERE {unreached} AND {table}.digest > $4
                ORDER BY {table}.digest LIMIT $5{lock}"
        )
    }

    /// Looks again: until a row was locked, it may have been touched.
    fn removal(&self, dialect: Dialect) -> String {
        let Self { table, bytes, .. } = self;
        let (unreached, listed) = (self.unreached(), dialect.pick("= $4", "= ANY($4)"));
        format!(
            "DELETE FROM {table} WHERE {unreached} AND {table}.digest {listed}
                RETURNING digest, CAST({bytes} AS BIGINT)"
        )
    }

    fn count(&self) -> String {
        let Self { table, bytes, .. } = self;
        let unreached = self.unreached();
        format!("SELECT COUNT(*), CAST(COALESCE(SUM({bytes}), 0) AS BIGINT) FROM {table} WHERE {unreached}")
    }

    fn first(&self) -> String {
        let (table, unreached) = (self.table, self.unreached());
        format!("SELECT {table}.digest FROM {table} WHERE {unreached} ORDER BY {table}.digest LIMIT $4")
    }
}

impl Store {
    /// The rows that would be removed now.
    pub async fn unreached(
        &self,
        turn: &CollectionTurn,
        terms: &CollectionTerms,
        kind: MarkKind,
        first_max: u16,
    ) -> Result<UnreachedRows, StoreError> {
        const DOING: &str = "count what nothing reaches";
        let query = UnreachedQuery::of(kind);
        let count = self.db.sql(AssertSqlSafe(query.count())).bind(self.tenant).bind(turn.generation);
        let counted = count.bind(terms.untouched_since_ms).fetch_one::<(i64, i64)>().await;
        let (count, bytes) = counted.map_err(doing(DOING))?;
        let first = self.db.sql(AssertSqlSafe(query.first())).bind(self.tenant).bind(turn.generation);
        let first = first.bind(terms.untouched_since_ms).bind(i64::from(first_max));
        let first: Vec<(Vec<u8>,)> = first.fetch_all().await.map_err(doing(DOING))?;
        let first = first.iter().map(|(digest,)| read_digest(digest, DOING)).collect::<Result<_, _>>()?;
        Ok(UnreachedRows { count: read_count(count), bytes: read_count(bytes), first })
    }
}

impl Books {
    /// Removes some of what nothing reaches, after this digest in order.
    pub async fn remove_unreached(
        &self,
        turn: &CollectionTurn,
        terms: &CollectionTerms,
        kind: MarkKind,
        after: Option<Digest>,
        max: u16,
        by: &Actor,
    ) -> Result<RemovalStep, StoreError> {
        let tenant = self.store().tenant;
        let removal = UnreachedRemoval { turn, terms, tenant, query: UnreachedQuery::of(kind) };
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (candidates, is_last) = removal.lock(&mut tx, after, max).await?;
        let next = candidates.last().copied().filter(|_| !is_last);
        let candidates = removal.hold_bytes(&mut tx, candidates).await?;
        if candidates.is_empty() {
            return Ok(RemovalStep::Removed(UnreachedRows::default(), next));
        }
        if removal.is_any_unmarked(&mut tx).await.map_err(doing(DOING))? {
            return Ok(RemovalStep::Unmarked);
        }
        let removed = removal.remove(&mut tx, &candidates).await?;
        let events = if removed.count == 0 { Vec::new() } else { vec![collected(kind, &removed, terms, by)] };
        stop_point::reach("unreached removed");
        self.record(tx, events).await.map_err(doing(DOING))?;
        Ok(RemovalStep::Removed(removed, next))
    }
}

/// One transaction that removes.
struct UnreachedRemoval<'a> {
    turn: &'a CollectionTurn,
    terms: &'a CollectionTerms,
    tenant: &'static str,
    query: UnreachedQuery,
}

impl UnreachedRemoval<'_> {
    /// Some candidates, and true if there are no others.
    async fn lock(
        &self,
        tx: &mut Transaction,
        after: Option<Digest>,
        max: u16,
    ) -> Result<(Vec<Digest>, bool), StoreError> {
        let text = self.query.candidates(tx.dialect());
        let after = after.map_or_else(Vec::new, |digest| digest.as_bytes().to_vec());
        let lock = self.begin(tx, text).bind(after).bind(i64::from(max));
        let rows: Vec<(Vec<u8>,)> = lock.fetch_all().await.map_err(doing(DOING))?;
        let mut digests =
            rows.iter().map(|(digest,)| read_digest(digest, DOING)).collect::<Result<Vec<_>, _>>()?;
        let is_last = digests.len() < usize::from(max);
        // An artifact may have several rows.
        digests.dedup();
        Ok((digests, is_last))
    }

    /// Those of these artifacts whose bytes nobody else begins to use meanwhile. SQLite has one writer anyway.
    async fn hold_bytes(
        &self,
        tx: &mut Transaction,
        digests: Vec<Digest>,
    ) -> Result<Vec<Digest>, StoreError> {
        if self.query.kind != MarkKind::Artifact || tx.dialect() == Dialect::Sqlite || digests.is_empty() {
            return Ok(digests);
        }
        let mut hold = tx.sql(HOLD_BYTES).bind(self.tenant);
        hold.push_list(listed(&digests));
        let held = hold.bind(self.terms.untouched_since_ms).fetch_all::<(Vec<u8>,)>().await;
        let held = held.map_err(doing(DOING))?;
        held.iter().map(|(digest,)| read_digest(digest, DOING)).collect()
    }

    async fn is_any_unmarked(&self, tx: &mut Transaction) -> Result<bool, sqlx::Error> {
        let look = match self.query.kind {
            MarkKind::Manifest => self.begin(tx, NEW_MANIFEST.to_owned()),
            MarkKind::Node | MarkKind::Artifact => {
                tx.sql(ANY_MANIFEST).bind(self.tenant).bind(self.turn.generation)
            }
        };
        Ok(look.fetch_optional::<(i64,)>().await?.is_some())
    }

    async fn remove(&self, tx: &mut Transaction, digests: &[Digest]) -> Result<UnreachedRows, StoreError> {
        let text = self.query.removal(tx.dialect());
        let mut gone: Vec<(Vec<u8>, i64)> = Vec::new();
        match tx.dialect() {
            Dialect::Postgres => {
                let mut removal = self.begin(tx, text);
                removal.push_list(listed(digests));
                gone.extend(removal.fetch_all::<(Vec<u8>, i64)>().await.map_err(doing(DOING))?);
            }
            Dialect::Sqlite => {
                for digest in digests {
                    let removal = self.begin(tx, text.clone()).bind(&digest.as_bytes()[..]);
                    gone.extend(removal.fetch_all::<(Vec<u8>, i64)>().await.map_err(doing(DOING))?);
                }
            }
        }
        let mut removed = UnreachedRows::default();
        let mut all = Vec::with_capacity(gone.len());
        for (digest, bytes) in gone {
            removed.count += 1;
            removed.bytes = removed.bytes.saturating_add(read_count(bytes));
            all.push(read_digest(&digest, DOING)?);
        }
        if self.query.kind == MarkKind::Manifest {
            self.forget_parents(tx, &all).await.map_err(doing(DOING))?;
        }
        all.truncate(FIRST_MAX);
        removed.first = all;
        Ok(removed)
    }

    async fn forget_parents(&self, tx: &mut Transaction, manifests: &[Digest]) -> Result<(), sqlx::Error> {
        match tx.dialect() {
            Dialect::Postgres => {
                let mut forget = tx.sql(FORGET_PARENTS_LISTED).bind(self.tenant);
                forget.push_list(listed(manifests));
                forget.execute().await?;
            }
            Dialect::Sqlite => {
                for manifest in manifests {
                    let forget = tx.sql(FORGET_PARENTS).bind(self.tenant);
                    forget.bind(&manifest.as_bytes()[..]).execute().await?;
                }
            }
        }
        Ok(())
    }

    /// A statement whose first values are tenant, generation and time.
    fn begin<'t>(&self, tx: &'t mut Transaction, text: String) -> SqlStatement<'t> {
        let statement = tx.sql(AssertSqlSafe(text)).bind(self.tenant).bind(self.turn.generation);
        statement.bind(self.terms.untouched_since_ms)
    }
}

fn listed(digests: &[Digest]) -> Vec<&[u8]> {
    digests.iter().map(|one| &one.as_bytes()[..]).collect()
}

fn collected(kind: MarkKind, removed: &UnreachedRows, terms: &CollectionTerms, by: &Actor) -> Event {
    let detail = json!({
        "kind": kind.as_str(),
        "count": stored_count(removed.count),
        "bytes": stored_count(removed.bytes),
        "first": removed.first,
    });
    let about =
        EventSubject { session: by.session.clone(), call: by.call.clone(), ..EventSubject::default() };
    let mut event =
        Event::new(EventKind::SubstrateCollected, terms.now_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
