//! The Merkle trees of the streams: their roots for checkpoints, and the proofs of single events.
//!
//! The root of a block that lies in one day is stored; of the others, and of the open part, the lines are
//! read and hashed. So a checkpoint of a long stream reads one row for each block, and few lines.

use std::collections::{BTreeMap, BTreeSet};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_proof::{ProvenEvent, StreamRoot, StreamTree, tree};

use super::block::{self, BLOCK};
use super::read::LedgerOrder;
use super::row::{self, LineRow};
use super::scan::{Horizon, Range};
use crate::error::doing;
use crate::{Store, StoreError};

const PARTS: &str = "SELECT day, first, last, root FROM ledger_blocks WHERE tenant = $1 AND stream = $2 \
     ORDER BY block, day";
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

/// A stream up to the size that was signed.
struct SignedTree {
    head: Horizon,
    parts: Vec<TreePart>,
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

    /// The roots of all streams, in the order of their names.
    pub async fn ledger_roots(&self) -> Result<Vec<StreamRoot>, StoreError> {
        let roots = async {
            let mut roots = Vec::new();
            for head in self.horizon().await? {
                let parts = self.tree_parts(&head).await?;
                let tree = self.tree_of(&head, &parts, head.number).await?;
                let (stream, size) = (head.stream.to_string(), tree.size());
                roots.push(StreamRoot { stream, size, root: tree.root() });
            }
            Ok(roots)
        };
        let roots: Result<_, sqlx::Error> = roots.await;
        roots.map_err(doing("compute the trees of the ledger"))
    }

    /// True if a stream has this root at this size, as its blocks say.
    pub async fn ledger_has(&self, signed: &StreamRoot) -> Result<bool, StoreError> {
        let found = self.signed_tree(signed).await.map_err(doing("compute a tree of the ledger"))?;
        Ok(found.is_some())
    }

    /// Proves events of a stream under a root. `None` if the stream does not have this root at this size, or
    /// an event lies beyond it.
    pub async fn prove_events(
        &self,
        signed: &StreamRoot,
        numbers: &BTreeSet<i64>,
    ) -> Result<Option<Vec<ProvenEvent>>, StoreError> {
        self.prove(signed, numbers).await.map_err(doing("prove events of the ledger"))
    }

    async fn prove(
        &self,
        signed: &StreamRoot,
        numbers: &BTreeSet<i64>,
    ) -> Result<Option<Vec<ProvenEvent>>, sqlx::Error> {
        let Some(SignedTree { head, parts, size, mut tree }) = self.signed_tree(signed).await? else {
            return Ok(None);
        };
        let mut lines = BTreeMap::new();
        for block in numbers.iter().map(|number| block::of_number(*number)).collect::<BTreeSet<_>>() {
            let last = ((block + 1) * BLOCK).min(size);
            let rows = self.lines_of_block(&head, &parts, block, last).await?;
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

    async fn signed_tree(&self, signed: &StreamRoot) -> Result<Option<SignedTree>, sqlx::Error> {
        let horizon = self.horizon().await?;
        let head = horizon.into_iter().find(|head| *head.stream == *signed.stream);
        let (Some(head), Ok(size)) = (head, i64::try_from(signed.size)) else { return Ok(None) };
        if size > head.number {
            return Ok(None);
        }
        let parts = self.tree_parts(&head).await?;
        let tree = self.tree_of(&head, &parts, size).await?;
        Ok((tree.root() == signed.root).then_some(SignedTree { head, parts, size, tree }))
    }

    /// All parts up to a head, the open one last.
    async fn tree_parts(&self, head: &Horizon) -> Result<Vec<TreePart>, sqlx::Error> {
        let rows = self.db.sql(PARTS).bind(self.tenant).bind(&*head.stream);
        let rows: Vec<(i64, i64, i64, Vec<u8>)> = rows.fetch_all().await?;
        let part = |(day, first, last, root)| TreePart { day, first, last, root: Some(root) };
        let mut parts: Vec<TreePart> = rows.into_iter().map(part).collect();
        // It may have been completed since the head was read.
        let complete = parts.last().map_or(0, |part| part.last);
        if let Some(open) = head.open().filter(|open| complete < open.last) {
            parts.push(TreePart { day: open.day, first: open.first, last: open.last, root: None });
        }
        Ok(parts)
    }

    async fn tree_of(
        &self,
        head: &Horizon,
        parts: &[TreePart],
        size: i64,
    ) -> Result<StreamTree, sqlx::Error> {
        let mut tree = StreamTree::default();
        for part in parts.iter().take_while(|part| part.first <= size) {
            match part.whole_block(size) {
                Some(root) => {
                    let fits = tree.push_block(row::digest(root)?);
                    fits.then_some(()).ok_or_else(torn)?;
                }
                None => {
                    let lines =
                        self.lines(&head.stream, &part.range(size), LedgerOrder::OldestFirst, BLOCK).await?;
                    lines.iter().for_each(|(.., line)| tree.push_leaf(tree::leaf(line)));
                }
            }
        }
        if i64::try_from(tree.size()) == Ok(size) { Ok(tree) } else { Err(torn()) }
    }

    async fn lines_of_block(
        &self,
        head: &Horizon,
        parts: &[TreePart],
        block: i64,
        last: i64,
    ) -> Result<Vec<LineRow>, sqlx::Error> {
        let mut lines = Vec::new();
        for part in parts.iter().filter(|part| block::of_number(part.first) == block && part.first <= last) {
            let rows = self.lines(&head.stream, &part.range(last), LedgerOrder::OldestFirst, BLOCK).await?;
            lines.extend(rows);
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
