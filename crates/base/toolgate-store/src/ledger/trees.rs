//! The Merkle trees of the streams: their roots for checkpoints, and the proofs of single events.
//!
//! The root of a block that lies in one day is stored; of the others, and of the open part, the lines are
//! read and hashed. So a checkpoint of a long stream reads one row for each block, and few lines. Where the first days
//! were removed, the record of that has what the tree needs to go on.

use std::collections::{BTreeMap, BTreeSet};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_proof::{GrowingTree, LedgerCheckpoint, ProvenEvent, StreamRoot, StreamTree, tree};

use super::block::{self, BLOCK};
use super::read::LedgerOrder;
use super::row::{self, LineRow};
use super::scan::{Horizon, Range};
use crate::error::doing;
use crate::{Store, StoreError};

const PARTS: &str = "SELECT day, first, last, root FROM ledger_blocks WHERE tenant = $1 AND stream = $2 \
     AND last > $3 ORDER BY block, day";
/// Separates the name from everything else that is made with the same key.
const NAME_CONTEXT: &[u8] = b"toolgate ledger name 1\0";

/// A part of a block in one day.
struct TreePart {
    day: i64,
    first: i64,
    last: i64,
    /// The part that is not complete has none.
    root: Option<Vec<u8>>,
}

/// A stream beside a root that was signed of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignedRootMatch {
    /// It has this root at this size.
    Same,
    /// It is shorter, or has another root.
    Different,
    /// The first days were removed, and it was signed before the end of these.
    Removed,
}

/// The parts of a stream that are there.
struct TreeParts {
    head: Horizon,
    /// What was removed before them.
    removed: GrowingTree,
    parts: Vec<TreePart>,
}

/// A stream up to the size that was signed.
struct SignedTree {
    stream: TreeParts,
    size: i64,
    tree: StreamTree,
}

impl TreePart {
    /// The stored root, if it is that of a whole block.
    fn whole_block(&self, size: i64) -> Option<&[u8]> {
        // The numbers may be forged.
        let before = self.first.checked_sub(1).filter(|before| before % BLOCK == 0);
        let is_whole = before.and_then(|before| before.checked_add(BLOCK)) == Some(self.last);
        self.root.as_deref().filter(|_| is_whole && self.last <= size)
    }

    fn range(&self, last: i64) -> Range {
        Range { first: self.first, last: self.last.min(last), day: self.day, only: Vec::new() }
    }
}

impl Store {
    /// The name of this ledger in its checkpoints. It says nothing of the key from which it is made.
    pub async fn ledger_name(&self) -> Result<String, StoreError> {
        let key = self.sealing_key().await?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes a key of any length");
        mac.update(NAME_CONTEXT);
        let name = mac.finalize().into_bytes();
        Ok(name.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    }

    /// The numbers of events in all streams, by which one sees that nothing was written.
    pub async fn ledger_sizes(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let horizon = self.horizon().await.map_err(doing("read the ends of the ledger"))?;
        Ok(horizon.iter().map(|head| (head.stream.to_string(), size_of(head))).collect())
    }

    /// The roots of all streams that a checkpoint can name, in the order of their names. No gateway makes another one, so a row
    /// that someone inserted does not stop all checkpoints.
    pub async fn ledger_roots(&self) -> Result<Vec<StreamRoot>, StoreError> {
        let key = self.sealing_key().await?;
        let roots = async {
            let mut roots = Vec::new();
            let mut horizon = self.horizon().await?;
            horizon.retain(|head| LedgerCheckpoint::can_name(&head.stream));
            for head in horizon {
                let parts = self.tree_parts(&key, head).await?;
                let tree = self.tree_of(&parts, parts.head.number).await?;
                let (stream, size) = (parts.head.stream.to_string(), tree.size());
                roots.push(StreamRoot { stream, size, root: tree.root() });
            }
            Ok(roots)
        };
        let roots: Result<_, sqlx::Error> = roots.await;
        roots.map_err(doing("compute the trees of the ledger"))
    }

    /// Says if a stream has this root at this size, as its blocks say.
    pub async fn ledger_has(&self, signed: &StreamRoot) -> Result<SignedRootMatch, StoreError> {
        let key = self.sealing_key().await?;
        let found = self.signed_tree(&key, signed).await.map_err(doing("compute a tree of the ledger"))?;
        Ok(match found {
            Ok(_) => SignedRootMatch::Same,
            Err(found) => found,
        })
    }

    /// Proves events of a stream under a root. `None` if the stream does not have this root at this size, or
    /// an event lies beyond it or was removed.
    pub async fn prove_events(
        &self,
        signed: &StreamRoot,
        numbers: &BTreeSet<i64>,
    ) -> Result<Option<Vec<ProvenEvent>>, StoreError> {
        let key = self.sealing_key().await?;
        self.prove(&key, signed, numbers).await.map_err(doing("prove events of the ledger"))
    }

    async fn prove(
        &self,
        key: &[u8; 32],
        signed: &StreamRoot,
        numbers: &BTreeSet<i64>,
    ) -> Result<Option<Vec<ProvenEvent>>, sqlx::Error> {
        let Ok(SignedTree { stream, size, mut tree }) = self.signed_tree(key, signed).await? else {
            return Ok(None);
        };
        let mut lines = BTreeMap::new();
        for block in numbers.iter().map(|number| block::of_number(*number)).collect::<BTreeSet<_>>() {
            let last = ((block + 1) * BLOCK).min(size);
            let rows = self.lines_of_block(&stream, block, last).await?;
            let leaves = rows.iter().map(|(.., line)| tree::leaf(line)).collect();
            if last == (block + 1) * BLOCK && !tree.open_block(block.unsigned_abs(), leaves) {
                return Ok(None);
            }
            lines.extend(rows.into_iter().map(|(number, _, line)| (number, line)));
        }
        let prove = |number: &i64| {
            let path = tree.inclusion(u64::try_from(number - 1).ok()?)?;
            Some(ProvenEvent::new(number.unsigned_abs(), lines.get(number)?, &path))
        };
        Ok(numbers.iter().map(prove).collect())
    }

    async fn signed_tree(
        &self,
        key: &[u8; 32],
        signed: &StreamRoot,
    ) -> Result<Result<SignedTree, SignedRootMatch>, sqlx::Error> {
        let horizon = self.horizon().await?;
        let head = horizon.into_iter().find(|head| *head.stream == *signed.stream);
        let (Some(head), Ok(size)) = (head, i64::try_from(signed.size)) else {
            return Ok(Err(SignedRootMatch::Different));
        };
        if size > head.number {
            return Ok(Err(SignedRootMatch::Different));
        }
        let stream = self.tree_parts(key, head).await?;
        if signed.size < stream.removed.size() {
            return Ok(Err(SignedRootMatch::Removed));
        }
        let tree = self.tree_of(&stream, size).await?;
        let is_same = tree.root() == signed.root;
        Ok(if is_same { Ok(SignedTree { stream, size, tree }) } else { Err(SignedRootMatch::Different) })
    }

    /// All parts up to a head, the open one last.
    async fn tree_parts(&self, key: &[u8; 32], head: Horizon) -> Result<TreeParts, sqlx::Error> {
        let cut = self.cut_of(key, &head.stream).await?.map_err(|_| torn())?;
        let (number, removed) = cut.map_or_else(Default::default, |cut| (cut.number, cut.tree));
        let rows = self.db.sql(PARTS).bind(self.tenant).bind(&*head.stream).bind(number);
        let rows: Vec<(i64, i64, i64, Vec<u8>)> = rows.fetch_all().await?;
        let part = |(day, first, last, root)| TreePart { day, first, last, root: Some(root) };
        let mut parts: Vec<TreePart> = rows.into_iter().map(part).collect();
        // It may have been completed since the head was read.
        let complete = parts.last().map_or(number, |part| part.last);
        if let Some(open) = head.open().filter(|open| complete < open.last) {
            parts.push(TreePart { day: open.day, first: open.first, last: open.last, root: None });
        }
        Ok(TreeParts { head, removed, parts })
    }

    async fn tree_of(&self, stream: &TreeParts, size: i64) -> Result<StreamTree, sqlx::Error> {
        let mut tree = StreamTree::after(stream.removed.clone());
        for part in stream.parts.iter().take_while(|part| part.first <= size) {
            match part.whole_block(size) {
                Some(root) => {
                    let fits = tree.push_block(row::digest(root)?);
                    fits.then_some(()).ok_or_else(torn)?;
                }
                None => {
                    let (name, range) = (&stream.head.stream, part.range(size));
                    let lines = self.lines(name, &range, LedgerOrder::OldestFirst, BLOCK).await?;
                    lines.iter().for_each(|(.., line)| tree.push_leaf(tree::leaf(line)));
                }
            }
        }
        if i64::try_from(tree.size()) == Ok(size) { Ok(tree) } else { Err(torn()) }
    }

    async fn lines_of_block(
        &self,
        stream: &TreeParts,
        block: i64,
        last: i64,
    ) -> Result<Vec<LineRow>, sqlx::Error> {
        let mut lines = Vec::new();
        let parts = stream.parts.iter();
        for part in parts.filter(|part| block::of_number(part.first) == block && part.first <= last) {
            let (name, range) = (&stream.head.stream, part.range(last));
            lines.extend(self.lines(name, &range, LedgerOrder::OldestFirst, BLOCK).await?);
        }
        Ok(lines)
    }
}

fn size_of(head: &Horizon) -> u64 {
    u64::try_from(head.number).unwrap_or_default()
}

fn torn() -> sqlx::Error {
    row::unreadable("lines or blocks of a stream are missing; `toolgate ledger verify` names the first")
}
