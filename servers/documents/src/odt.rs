//! OpenDocument texts: the content of `content.xml`, with headers and footers of its pages.

mod body;
mod styles;

use std::collections::HashSet;

use crate::archive::Archive;
use crate::document::{Block, Document, DocumentFacts, Page, PageSource};
use crate::error::DocumentError;
use crate::grid::{self, CellBudget};
use crate::kind::DocumentKind;
use crate::limits::DocumentLimits;
use crate::package::filled;
use crate::xml::{Element, XmlTree};

use body::OdtReader;
use styles::OdtStyles;

const FORMAT: &str = "OpenDocument text";

pub(crate) fn read(bytes: &[u8], limits: &DocumentLimits) -> Result<Document, DocumentError> {
    let mut archive = Archive::open(bytes, FORMAT, limits)?;
    refuse_encrypted(&mut archive)?;
    let content = XmlTree::read(&archive.get("content.xml")?, FORMAT, limits)?;
    let common = part(&mut archive, "styles.xml", limits)?;
    let mut styles = OdtStyles::default();
    for tree in common.iter().chain([&content]) {
        styles.read(tree.root());
    }
    let mut reader = OdtReader::new(&styles, CellBudget::new(limits.cells_max));
    let (headers, footers) = margins(common.as_ref(), &mut reader);
    let mut blocks = headers;
    if let Some(text) = content.root().path(&["body", "text"]) {
        reader.blocks(text, 0, &mut blocks);
    }
    blocks.extend(reader.take_notes());
    blocks.extend(footers);
    let mut warnings = reader.warnings();
    if let Some(why) = &content.damage {
        warnings.push(format!("the end of the document is damaged and was left out: {why}"));
    }
    let facts = part(&mut archive, "meta.xml", limits)?.map(|meta| facts(meta.root())).unwrap_or_default();
    let source = if blocks.is_empty() { PageSource::Empty } else { PageSource::Text };
    let page = Page { number: 1, source, blocks, ..Page::default() };
    Ok(Document { kind: DocumentKind::Odt, facts, page_count: 1, pages: vec![page], warnings })
}

fn part(
    archive: &mut Archive<'_>,
    name: &str,
    limits: &DocumentLimits,
) -> Result<Option<XmlTree>, DocumentError> {
    let Some(bytes) = archive.find(name)? else { return Ok(None) };
    match XmlTree::read(&bytes, FORMAT, limits) {
        Err(DocumentError::Damaged { .. }) => Ok(None),
        read => read.map(Some),
    }
}

/// With a password, members exist but contain noise; the manifest lists them.
fn refuse_encrypted(archive: &mut Archive<'_>) -> Result<(), DocumentError> {
    let manifest = archive.find("META-INF/manifest.xml")?.unwrap_or_default();
    match memchr::memmem::find(&manifest, b"encryption-data") {
        Some(_) => Err(DocumentError::Locked { format: FORMAT }),
        None => Ok(()),
    }
}

/// Headers and footers of all kinds of pages, each text once.
fn margins(common: Option<&XmlTree>, reader: &mut OdtReader<'_>) -> (Vec<Block>, Vec<Block>) {
    let mut read = |name: &str| {
        let mut seen: HashSet<String> = HashSet::new();
        let mut all = Vec::new();
        let pages = common.and_then(|tree| tree.root().child("master-styles"));
        let pages = pages.into_iter().flat_map(|pages| pages.children());
        for margin in pages.flat_map(|page| page.children_named(name)) {
            let mut blocks = Vec::new();
            reader.blocks(margin, 0, &mut blocks);
            let text = grid::text_of(&blocks);
            if !text.is_empty() && seen.insert(text) {
                all.append(&mut blocks);
            }
        }
        all
    };
    (read("header"), read("footer"))
}

fn facts(root: Element<'_>) -> DocumentFacts {
    let meta = root.child("meta").unwrap_or(root);
    let told = |name: &str| meta.child(name).map(|element| element.text()).and_then(filled);
    DocumentFacts {
        title: told("title"),
        author: told("initial-creator").or_else(|| told("creator")),
        created: told("creation-date").or_else(|| told("date")),
        producer: told("generator"),
        encrypted: false,
    }
}

#[cfg(test)]
mod tests;
