//! Turns a parsed document into an article: headings, paragraphs, lists, tables and code are kept.

use capability_documents::{Block as Read, Document, DocumentKind, PageSource};
use capability_typeset::{Article, Block, ListItem, StyledText, Table};

/// The article, with warnings about lost parts.
pub(crate) fn article_of(document: Document) -> Article {
    let mut article = Article {
        title: document.facts.title.clone().filter(|title| !title.trim().is_empty()),
        author: document.facts.author.clone(),
        warnings: document.warnings,
        ..Article::default()
    };
    article.warnings.extend(losses(document.kind));
    let scans = document.pages.iter().filter(|page| page.source == PageSource::Picture).count();
    if scans > 0 {
        article.warnings.push(format!(
            "{scans} pages are pictures without text and were left out; read them with OCR first"
        ));
    }
    for (at, page) in document.pages.into_iter().enumerate() {
        if at > 0 && matches!(document.kind, DocumentKind::Pptx | DocumentKind::Xlsx | DocumentKind::Epub) {
            article.blocks.push(Block::PageBreak);
        }
        article.blocks.extend(blocks_of(page.blocks));
    }
    without_repeated_title(article)
}

fn losses(kind: DocumentKind) -> Option<String> {
    let lost = match kind {
        DocumentKind::Docx | DocumentKind::Odt => {
            "bold and italic text, links, pictures, footnotes and the layout"
        }
        DocumentKind::Pptx => "pictures, drawings, colours and the layout of slides",
        DocumentKind::Xlsx => "formulas, number formats, charts and colours",
        DocumentKind::Epub => "bold and italic text, links and pictures",
        DocumentKind::Pdf => "fonts, pictures, links and the layout",
        DocumentKind::Html | DocumentKind::Markdown | DocumentKind::Text => return None,
    };
    Some(format!(
        "only headings, paragraphs, lists and tables of the {} were kept; lost: {lost}",
        kind.name()
    ))
}

/// The title is often the first heading too.
fn without_repeated_title(mut article: Article) -> Article {
    let Some(title) = article.title.clone() else { return article.lift_title() };
    let first = match article.blocks.first() {
        Some(Block::Heading { text, .. } | Block::Paragraph { text }) => text.to_plain(),
        _ => String::new(),
    };
    if first.trim() == title.trim() {
        article.title = None;
        article.blocks[0] = Block::heading(1, title.as_str());
        article = article.lift_title();
    }
    // Several headings of the first level: the title is still above them.
    if article.title.is_none() {
        article.blocks.remove(0);
        article.title = Some(title);
    }
    article
}

fn blocks_of(read: Vec<Read>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut items: Vec<ListedItem> = Vec::new();
    for block in read {
        match block {
            Read::Item { depth, marker, text } => items.push(ListedItem { depth, marker, text }),
            other => {
                blocks.extend(lists_of(&std::mem::take(&mut items)));
                blocks.push(block_of(other));
            }
        }
    }
    blocks.extend(lists_of(&items));
    blocks
}

fn block_of(read: Read) -> Block {
    match read {
        Read::Heading { level, text } => Block::heading(level, text.as_str()),
        Read::Paragraph(text) => Block::paragraph(text.as_str()),
        Read::Code(text) => Block::Code { text, language: None },
        Read::Table(table) => Block::Table(table_of(table)),
        Read::Item { text, .. } => Block::paragraph(text.as_str()),
    }
}

/// One heading row is kept as such; several cannot be distinguished from text.
fn table_of(read: capability_documents::Table) -> Table {
    let mut rows: Vec<Vec<StyledText>> =
        read.rows.into_iter().map(|row| row.into_iter().map(StyledText::plain).collect()).collect();
    let header = if read.header_rows > 0 && rows.len() > 1 { rows.remove(0) } else { Vec::new() };
    Table { header, rows, ..Table::default() }
}

struct ListedItem {
    depth: u8,
    marker: String,
    text: String,
}

impl ListedItem {
    /// The number that it is marked with, if it is.
    fn number(&self) -> Option<u32> {
        let digits: String = self.marker.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }

    fn is_ordered(&self) -> bool {
        let letter = self.marker.trim_end_matches(['.', ')']);
        letter.len() < self.marker.len()
            && !letter.is_empty()
            && letter.chars().all(|c| c.is_ascii_alphanumeric())
    }
}

/// Items of the smallest depth form the list; deeper ones belong to the item before them.
fn lists_of(items: &[ListedItem]) -> Vec<Block> {
    let Some(depth) = items.iter().map(|item| item.depth).min() else { return Vec::new() };
    let mut lists: Vec<Block> = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let item = &items[at];
        let below = items[at + 1..].iter().take_while(|next| next.depth > depth).count();
        // A list that begins with a deeper item has no item for it to belong to.
        let (text, from) = if item.depth > depth { (None, at) } else { (Some(item.text.as_str()), at + 1) };
        let mut blocks: Vec<Block> = text.map(Block::paragraph).into_iter().collect();
        blocks.extend(lists_of(&items[from..at + 1 + below]));
        let made = ListItem { checked: None, blocks };
        match lists.last_mut() {
            Some(Block::List { ordered, items, .. }) if *ordered == item.is_ordered() => items.push(made),
            _ => lists.push(Block::List {
                ordered: item.is_ordered(),
                start: item.number(),
                items: vec![made],
            }),
        }
        at += 1 + below;
    }
    lists
}

#[cfg(test)]
mod tests;
