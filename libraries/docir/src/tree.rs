//! The tree of a document, walked in reading order without recursion: a hostile document may be deep.

use crate::model::{DocIr, DocRef};
use crate::pointer::DocNode;

/// The nodes below some references, in reading order. References that lead nowhere are passed over.
pub(crate) struct TreeOrder<'d> {
    document: &'d DocIr,
    /// The next one is last.
    waiting: Vec<&'d DocRef>,
}

impl DocIr {
    /// All nodes below the body, in reading order.
    pub(crate) fn in_order(&self) -> TreeOrder<'_> {
        TreeOrder { document: self, waiting: self.body.children.iter().rev().collect() }
    }
}

impl<'d> Iterator for TreeOrder<'d> {
    type Item = DocNode<'d>;

    fn next(&mut self) -> Option<DocNode<'d>> {
        loop {
            let next = self.waiting.pop()?;
            if let Some(node) = self.document.node(&next.pointer) {
                self.waiting.extend(node.children().iter().rev());
                return Some(node);
            }
        }
    }
}
