//! A plan of a passage as its text and places.

use docir::BodyItem;
use engine_protocol::ItemSpan;

use super::pack::PassagePlan;
use super::pieces::Piece;
use super::{Chunk, ChunkPlace};

pub(super) fn chunk(title: &str, headings: &[String], plan: &PassagePlan, items: &[BodyItem<'_>]) -> Chunk {
    let mut text = String::new();
    let mut places = Vec::new();
    let mut at = 0;
    for stretch in plan.pieces.chunk_by(follows) {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
        if !text.is_empty() {
            text.push('\n');
            at += 1;
        }
        let item = &items[first.item];
        text.push_str(&item.text[first.bytes.start..last.bytes.end]);
        let (start, end) = (first.span.start, last.span.end);
        let span = ItemSpan { item: item.pointer.clone(), start: start as u64, end: end as u64 };
        places.push(ChunkPlace { span, at });
        at += end - start;
    }
    let page = plan.pieces.first().and_then(|piece| items[piece.item].page);
    Chunk { text, title: title.to_owned(), headings: headings.to_vec(), places, page }
}

/// True for two pieces of an item with nothing between them but blanks and signs.
fn follows(one: &Piece, next: &Piece) -> bool {
    one.item == next.item && one.number + 1 == next.number
}
