//! Proving the lines that a cut would remove.

use toolgate_core::Digest;
use toolgate_core::event::HybridTime;
use toolgate_proof::GrowingTree;

use super::super::cut::LedgerCut;
use super::signed::SignedSizes;
use super::walk::{End, FaultPlace, Tampering};
use super::{HEAD, LedgerFault, LineWalk, SealedHead, WalkedLines};
use crate::Store;

/// The last line of a stream that a cut would remove.
#[derive(Clone, Copy)]
pub(crate) struct LastRemoved<'a> {
    pub(crate) stream: &'a str,
    pub(crate) number: i64,
    pub(crate) time: HybridTime,
    pub(crate) hash: Digest,
}

impl Store {
    /// Checks what a cut would remove, and says after which number the stream began before, with the tree of everything
    /// that will have been removed. `None` if the stream begins after it already.
    pub(crate) async fn verify_before(
        &self,
        key: &[u8; 32],
        last: LastRemoved<'_>,
    ) -> Result<Result<Option<(i64, GrowingTree)>, LedgerFault>, sqlx::Error> {
        let fault = |found: FaultPlace| LedgerFault::of_event(last.stream, found.number, found.what);
        let cut = match self.cut_of(key, last.stream).await? {
            Ok(cut) => cut,
            Err(number) => return Ok(Err(fault(FaultPlace { number, what: Tampering::CutForged }))),
        };
        let before = cut.as_ref().map_or(0, |cut| cut.number);
        if last.number <= before {
            return Ok(Ok(None));
        }
        let verified = self.verify_between(key, cut.as_ref(), last).await?;
        Ok(verified.map(|tree| Some((before, tree))).map_err(fault))
    }

    async fn verify_between(
        &self,
        key: &[u8; 32],
        cut: Option<&LedgerCut>,
        last: LastRemoved<'_>,
    ) -> Result<Result<GrowingTree, FaultPlace>, sqlx::Error> {
        let LastRemoved { stream, number, time, hash } = last;
        let head: Option<SealedHead> =
            self.db.sql(HEAD).bind(self.tenant).bind(stream).fetch_optional().await?;
        let head = match head.map(|head| head.open(key)) {
            Some(Ok(head)) if number > head.number => {
                return Ok(Err(FaultPlace { number: head.number + 1, what: Tampering::Inserted }));
            }
            Some(Ok(head)) => head,
            Some(Err(found)) => return Ok(Err(found)),
            None => return Ok(Err(FaultPlace { number, what: Tampering::HeadForged })),
        };
        let end = End { number, time, part: head.part.min(number + 1), hash };
        let signed = SignedSizes::tree_after(cut.map(|cut| cut.tree.clone()).unwrap_or_default());
        let walk = match self.walk_from(stream, cut, end, signed).await? {
            Ok(walk) => walk,
            Err(found) => return Ok(Err(found)),
        };
        let lines = WalkedLines { stream, cut, until: number, watch: None };
        let walk = LineWalk { lines: walk, terms: None };
        let walked = self.walk_lines(&lines, walk, &mut |_, _| ()).await?;
        // Writers go on, and what they add is none of this.
        let now = End { number: i64::MAX, ..head };
        Ok(walked.and_then(|walk| walk.lines.end_with_tree(Some(now))))
    }
}
