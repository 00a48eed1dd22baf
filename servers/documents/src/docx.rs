//! Word documents. Body, headers, footers, notes and text boxes, with insertions and without deletions.

mod asides;
mod body;
mod lists;
mod package_parts;
mod runs;
mod styles;

use std::collections::HashMap;

use crate::document::{Block, Document, Page, PageSource};
use crate::error::DocumentError;
use crate::grid::{self, CellBudget};
use crate::kind::DocumentKind;
use crate::limits::DocumentLimits;
use crate::package::{Package, Relations};
use crate::xml::XmlTree;

pub use asides::{WordAside, WordAsideKind, word_asides};
use body::DocxReader;
use lists::DocxLists;
use package_parts::{FORMAT, MAIN_PART, MARGINS_MAX};
use styles::DocxStyles;

pub(crate) fn read(bytes: &[u8], limits: &DocumentLimits) -> Result<Document, DocumentError> {
    let mut package = Package::open(bytes, FORMAT, limits)?;
    let main = package.main_part(MAIN_PART)?;
    let tree = package.tree(&main)?;
    let relations = package.relations(&main)?;
    let parts = DocxParts::read(&mut package, &relations)?;
    let mut reader = DocxReader::new(&parts, &relations, CellBudget::new(limits.cells_max));
    let mut blocks = margins(&mut package, &relations, "header", &mut reader)?;
    let body = tree.root().child("body").unwrap_or_else(|| tree.root());
    reader.blocks(body, &mut blocks);
    blocks.extend(notes(&parts, &mut reader));
    blocks.extend(margins(&mut package, &relations, "footer", &mut reader)?);
    let mut warnings = reader.warnings();
    if let Some(why) = &tree.damage {
        warnings.push(format!("the end of the document is damaged and was left out: {why}"));
    }
    if relations.has("comments") {
        warnings.push("comments in the margin were left out".to_owned());
    }
    let pictures = relations.of_kind("image").count();
    if blocks.is_empty() && pictures > 0 {
        warnings
            .push(format!("the document contains {pictures} pictures and no text; pictures are not read"));
    }
    let source = if blocks.is_empty() { PageSource::Empty } else { PageSource::Text };
    let page = Page { number: 1, source, blocks, ..Page::default() };
    Ok(Document {
        kind: DocumentKind::Docx,
        facts: package.facts()?,
        page_count: 1,
        pages: vec![page],
        warnings,
    })
}

/// The parts needed to read the body.
struct DocxParts {
    styles: DocxStyles,
    lists: DocxLists,
    footnotes: Option<XmlTree>,
    endnotes: Option<XmlTree>,
}

impl DocxParts {
    fn read(package: &mut Package<'_>, relations: &Relations) -> Result<Self, DocumentError> {
        let mut tree = |kind: &str| match relations.of_kind(kind).next() {
            Some(relation) => package.tree_if_any(&relation.target),
            None => Ok(None),
        };
        Ok(Self {
            styles: tree("styles")?.map(|tree| DocxStyles::read(tree.root())).unwrap_or_default(),
            lists: tree("numbering")?.map(|tree| DocxLists::read(tree.root())).unwrap_or_default(),
            footnotes: tree("footnotes")?,
            endnotes: tree("endnotes")?,
        })
    }
}

/// Headers or footers, each text once however many sections repeat it.
fn margins(
    package: &mut Package<'_>,
    relations: &Relations,
    kind: &str,
    reader: &mut DocxReader<'_>,
) -> Result<Vec<Block>, DocumentError> {
    let mut seen: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for relation in relations.of_kind(kind).take(MARGINS_MAX) {
        let Some(tree) = package.tree_if_any(&relation.target)? else { continue };
        let mut blocks = Vec::new();
        reader.blocks(tree.root(), &mut blocks);
        let text = grid::text_of(&blocks);
        if !text.is_empty() && !seen.contains(&text) {
            seen.push(text);
            all.append(&mut blocks);
        }
    }
    Ok(all)
}

/// Notes in the order in which the body refers to them.
fn notes(parts: &DocxParts, reader: &mut DocxReader<'_>) -> Vec<Block> {
    let referred = reader.take_notes();
    let mut found: HashMap<&str, HashMap<&str, String>> = HashMap::new();
    for (name, tree) in [("footnote", &parts.footnotes), ("endnote", &parts.endnotes)] {
        let Some(tree) = tree else { continue };
        let notes = tree.root().children_named(name).filter_map(|note| {
            let mut blocks = Vec::new();
            reader.blocks(note, &mut blocks);
            Some((note.attribute("id")?, grid::text_of(&blocks)))
        });
        found.insert(name, notes.collect());
    }
    let texts = referred.iter().zip(1..).filter_map(|(note, number)| {
        let text = found.get(note.kind)?.get(note.id.as_str())?;
        Some(Block::Paragraph(format!("[{number}] {text}")))
    });
    texts.collect()
}

#[cfg(test)]
mod tests;
