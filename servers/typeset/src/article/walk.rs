//! Walking over all blocks and texts of an article, at any depth.

use crate::article::{Block, StyledText};

/// Calls `with` for each block, those within first.
pub(crate) fn each_block(blocks: &mut [Block], with: &mut dyn FnMut(&mut Block)) {
    for block in blocks {
        match block {
            Block::List { items, .. } => items.iter_mut().for_each(|item| each_block(&mut item.blocks, with)),
            Block::Quote { blocks } => each_block(blocks, with),
            _ => {}
        }
        with(block);
    }
}

/// Calls `with` for each text, but not for those of footnotes.
pub(crate) fn each_text(blocks: &mut [Block], with: &mut dyn FnMut(&mut StyledText)) {
    each_block(blocks, &mut |block| match block {
        Block::Heading { text, .. } | Block::Paragraph { text } => with(text),
        Block::Table(table) => {
            table.header.iter_mut().chain(table.rows.iter_mut().flatten()).for_each(&mut *with)
        }
        Block::Entry { text, note } => {
            with(text);
            with(note);
        }
        Block::List { .. } | Block::Quote { .. } | Block::Code { .. } => {}
        Block::Image { .. } | Block::Rule | Block::PageBreak => {}
    });
}
