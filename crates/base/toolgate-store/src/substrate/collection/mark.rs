//! Marks: what was reached, and in which generation. They are rows of their own, so that marking does not write large rows anew.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use toolgate_core::Digest;
use toolgate_core::event::Durability;

use super::super::node::read_digest;
use super::turn::CollectionTurn;
use crate::digest_list::DigestListQuery;
use crate::error::doing;
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};

static WRITE: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let before = "INSERT INTO collection_marks (tenant, kind, digest, generation) VALUES ";
    // A gateway that lost its turn may still write marks of an earlier generation; those of the later one stay.
    let after = " ON CONFLICT (tenant, kind, digest) DO UPDATE SET generation = CASE
            WHEN excluded.generation > collection_marks.generation THEN excluded.generation
            ELSE collection_marks.generation END";
    MultiRowInsert::new(before, 4, after)
});
static OF_NODES: LazyLock<DigestListQuery> = LazyLock::new(|| {
    DigestListQuery::new("SELECT digest, generation FROM collection_marks", " AND kind = 2")
});
const FORGET: &str = "DELETE FROM collection_marks WHERE tenant = $1 AND kind = $2 AND digest IN (
        SELECT digest FROM collection_marks WHERE tenant = $1 AND kind = $2 AND generation < $3 LIMIT $4)";

/// Marks that one transaction writes or forgets.
const AT_ONCE: usize = 1_000;

const DOING: &str = "mark what is reached";

/// The kinds of things that are collected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MarkKind {
    Manifest = 1,
    Node = 2,
    Artifact = 3,
}

impl MarkKind {
    pub const ALL: [MarkKind; 3] = [MarkKind::Manifest, MarkKind::Node, MarkKind::Artifact];

    /// As events and answers name them.
    pub fn as_str(self) -> &'static str {
        match self {
            MarkKind::Manifest => "manifests",
            MarkKind::Node => "nodes",
            MarkKind::Artifact => "artifacts",
        }
    }
}

/// A node of a tree that is being marked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MarkedNode {
    /// It is marked, and so is or will be everything below it.
    Marked,
    Unmarked(Vec<u8>),
    Missing,
}

impl Store {
    /// These nodes, in order, as far as they are not marked in this generation.
    pub async fn nodes_to_mark(
        &self,
        turn: &CollectionTurn,
        digests: &[Digest],
    ) -> Result<Vec<MarkedNode>, StoreError> {
        let rows: Vec<(Vec<u8>, i64)> = OF_NODES.fetch(self, digests).await.map_err(doing(DOING))?;
        let mut generations = HashMap::with_capacity(rows.len());
        for (digest, generation) in rows {
            generations.insert(read_digest(&digest, DOING)?, generation);
        }
        let is_marked = |digest: &Digest| generations.get(digest).is_some_and(|one| *one >= turn.generation);
        let unmarked: Vec<Digest> = digests.iter().filter(|digest| !is_marked(digest)).copied().collect();
        let mut nodes = self.tree_nodes(&unmarked).await?.into_iter();
        let mut next = || nodes.next().flatten().map_or(MarkedNode::Missing, MarkedNode::Unmarked);
        Ok(digests.iter().map(|one| if is_marked(one) { MarkedNode::Marked } else { next() }).collect())
    }

    /// Marks these in this generation.
    pub async fn mark(
        &self,
        turn: &CollectionTurn,
        kind: MarkKind,
        digests: impl IntoIterator<Item = Digest>,
    ) -> Result<(), StoreError> {
        // Each once, and in one order.
        let digests: Vec<Digest> = digests.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let (tenant, generation) = (self.tenant, turn.generation);
        for part in digests.chunks(AT_ONCE) {
            let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
            let written = WRITE.execute(&mut tx, part, |statement, digest| {
                statement.push(tenant);
                statement.push(kind as i64);
                statement.push(&digest.as_bytes()[..]);
                statement.push(generation);
            });
            written.await.map_err(doing(DOING))?;
            tx.commit().await.map_err(doing(DOING))?;
        }
        Ok(())
    }

    /// Forgets marks of earlier generations.
    pub(super) async fn forget_marks(&self, generation: i64) -> Result<(), StoreError> {
        for kind in MarkKind::ALL {
            loop {
                let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
                let forget = tx.sql(FORGET).bind(self.tenant).bind(kind as i64).bind(generation);
                let gone = forget.bind(AT_ONCE as i64).execute().await.map_err(doing(DOING))?;
                tx.commit().await.map_err(doing(DOING))?;
                if gone == 0 {
                    break;
                }
            }
        }
        Ok(())
    }
}
