//! The invariants of every article, from any reader: limits, valid levels, safe links.

use crate::article::walk::{each_block, each_text};
use crate::article::{Article, Block, StyledText, Table, TextRun};
use crate::error::TypesetError;
use crate::limits::ArticleLimits;
use crate::links::safe_link;

/// The counts so far.
#[derive(Default)]
struct ArticleCount {
    blocks: usize,
    cells: usize,
    pictures: usize,
}

impl Article {
    /// The article, if it is within the limits and not empty.
    pub(crate) fn check(self) -> Result<Self, TypesetError> {
        let mut count = ArticleCount::default();
        count.blocks(&self.blocks, 0)?;
        at_most(self.plain_text().len(), ArticleLimits::DEFAULT.text_bytes_max, "text with bytes")?;
        if self.blocks.is_empty() && self.title.as_deref().unwrap_or_default().trim().is_empty() {
            return Err(TypesetError::Empty { what: "document" });
        }
        Ok(self)
    }

    /// Without control characters, unsafe links and levels that do not exist.
    pub(crate) fn cleaned(mut self) -> Self {
        let mut dropped = 0;
        for text in [&mut self.title, &mut self.author, &mut self.date].into_iter().flatten() {
            *text = clean(text).replace('\n', " ");
        }
        clean_text(&mut self.subtitle, &mut dropped);
        each_text(&mut self.blocks, &mut |text| clean_text(text, &mut dropped));
        clean_blocks(&mut self.blocks);
        if dropped > 0 {
            self.warnings.push(format!(
                "{dropped} links were left out: only http, https, mailto, tel and ftp are kept"
            ));
        }
        self
    }
}

impl ArticleCount {
    const LIMITS: ArticleLimits = ArticleLimits::DEFAULT;

    fn blocks(&mut self, blocks: &[Block], depth: usize) -> Result<(), TypesetError> {
        self.blocks += blocks.len();
        at_most(self.blocks, Self::LIMITS.blocks_max, "blocks")?;
        at_most(depth, Self::LIMITS.depth_max, "lists and quotes within each other")?;
        blocks.iter().try_for_each(|block| self.block(block, depth))
    }

    fn block(&mut self, block: &Block, depth: usize) -> Result<(), TypesetError> {
        match block {
            Block::List { items, .. } => {
                self.blocks += items.len();
                items.iter().try_for_each(|item| self.blocks(&item.blocks, depth + 1))
            }
            Block::Quote { blocks } => self.blocks(blocks, depth + 1),
            Block::Table(table) => self.table(table),
            Block::Image { .. } => {
                self.pictures += 1;
                at_most(self.pictures, Self::LIMITS.pictures_max, "pictures")
            }
            _ => Ok(()),
        }
    }

    fn table(&mut self, table: &Table) -> Result<(), TypesetError> {
        let columns = table.columns();
        at_most(columns, Self::LIMITS.columns_max, "a table with columns")?;
        self.cells += columns * (table.rows.len() + 1);
        at_most(self.cells, Self::LIMITS.cells_max, "tables with cells")
    }
}

fn at_most(count: usize, limit: usize, what: &'static str) -> Result<(), TypesetError> {
    if count > limit { Err(TypesetError::TooLarge { what, limit }) } else { Ok(()) }
}

/// Clamps heading levels, replaces tabs in code, puts captions on one line and removes empty blocks.
fn clean_blocks(blocks: &mut Vec<Block>) {
    each_block(blocks, &mut |block| match block {
        Block::Heading { level, .. } => *level = (*level).clamp(1, 6),
        Block::Code { text, .. } => *text = clean(text).trim_end_matches('\n').replace('\t', "    "),
        Block::Table(Table { caption: Some(caption), .. }) | Block::Image { caption: Some(caption), .. } => {
            *caption = clean(caption).replace('\n', " ");
        }
        _ => {}
    });
    drop_empty(blocks);
}

fn drop_empty(blocks: &mut Vec<Block>) {
    blocks.retain_mut(|block| match block {
        Block::Paragraph { text } | Block::Heading { text, .. } => !text.is_empty(),
        Block::Quote { blocks } => {
            drop_empty(blocks);
            !blocks.is_empty()
        }
        Block::List { items, .. } => {
            items.iter_mut().for_each(|item| drop_empty(&mut item.blocks));
            !items.is_empty()
        }
        Block::Table(table) => table.columns() > 0,
        _ => true,
    });
}

fn clean_text(text: &mut StyledText, dropped: &mut usize) {
    text.0.iter_mut().for_each(|run| clean_run(run, dropped));
    *text = std::mem::take(text).trim();
}

fn clean_run(run: &mut TextRun, dropped: &mut usize) {
    run.text = clean(&run.text).replace('\t', " ");
    if let Some(link) = run.link.take() {
        run.link = safe_link(&link).map(str::to_owned);
        // Links within the document have no target after typesetting; dropping them needs no warning.
        *dropped += usize::from(run.link.is_none() && !link.starts_with('#'));
    }
    if let Some(note) = &mut run.note {
        clean_text(note, dropped);
    }
}

/// Control characters have no place in a document, and XML does not allow them; nor has the mark for a byte order.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_noncharacter(*c))).collect()
}

fn is_noncharacter(c: char) -> bool {
    c == '\u{FEFF}' || matches!(u32::from(c) & 0xFFFE, 0xFFFE) || matches!(c, '\u{FDD0}'..='\u{FDEF}')
}
