//! Electronic books: chapters in the order of the spine, each a page.

use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;

use crate::archive::Archive;
use crate::document::{Document, DocumentFacts, Page, PageSource};
use crate::error::DocumentError;
use crate::html;
use crate::kind::DocumentKind;
use crate::limits::DocumentLimits;
use crate::options::OpenOptions;
use crate::package::{filled, resolve};
use crate::text::too_many_pages;
use crate::xml::{Element, XmlTree};

const FORMAT: &str = "electronic book";

pub(crate) fn read(bytes: &[u8], options: &OpenOptions) -> Result<Document, DocumentError> {
    let limits = &options.limits;
    let mut archive = Archive::open(bytes, FORMAT, limits)?;
    let description = description(&mut archive, limits)?;
    let tree = XmlTree::read(&archive.get(&description)?, FORMAT, limits)?;
    let folder = description.rsplit_once('/').map_or("", |(folder, _)| folder);
    let chapters = spine(tree.root(), folder);
    refuse_locked(&mut archive, &chapters, limits)?;
    let page_count = chapters.len();
    let mut warnings = Vec::new();
    let mut pages = Vec::new();
    for (part, number) in chapters.iter().take(limits.pages_max).zip(1..) {
        if options.wants(number) {
            pages.push(chapter(&mut archive, part, number, limits, &mut warnings)?);
        }
    }
    if page_count > limits.pages_max {
        warnings.push(too_many_pages(page_count, limits.pages_max));
    }
    Ok(Document { kind: DocumentKind::Epub, facts: facts(tree.root()), page_count, pages, warnings })
}

/// The part that lists all others.
fn description(archive: &mut Archive<'_>, limits: &DocumentLimits) -> Result<String, DocumentError> {
    let container = match archive.find("META-INF/container.xml")? {
        Some(bytes) => XmlTree::read(&bytes, FORMAT, limits).ok(),
        None => None,
    };
    let named = container.as_ref().and_then(|tree| tree.root().find("rootfile")?.attribute("full-path"));
    let usual = || archive.names().into_iter().find(|name| name.ends_with(".opf")).map(str::to_owned);
    let missing = || DocumentError::Damaged {
        format: FORMAT,
        why: "its package file does not list any parts".to_owned(),
    };
    named.map(str::to_owned).or_else(usual).ok_or_else(missing)
}

/// Names of the chapters' parts.
fn spine(root: Element<'_>, folder: &str) -> Vec<String> {
    let manifest = root.child("manifest").into_iter().flat_map(|manifest| manifest.children_named("item"));
    let items: HashMap<&str, &str> =
        manifest.filter_map(|item| Some((item.attribute("id")?, item.attribute("href")?))).collect();
    let spine = root.child("spine").into_iter().flat_map(|spine| spine.children_named("itemref"));
    let hrefs = spine.filter_map(|item| items.get(item.attribute("idref")?).copied());
    hrefs.map(|href| resolve(folder, &percent_decode_str(href).decode_utf8_lossy())).collect()
}

/// Rejects books with DRM: their chapters exist but are encrypted.
fn refuse_locked(
    archive: &mut Archive<'_>,
    chapters: &[String],
    limits: &DocumentLimits,
) -> Result<(), DocumentError> {
    let Some(bytes) = archive.find("META-INF/encryption.xml")? else { return Ok(()) };
    let Ok(tree) = XmlTree::read(&bytes, FORMAT, limits) else { return Ok(()) };
    let mut locked = tree.root().descendants().filter(|element| element.name() == "CipherReference");
    let chapters: HashSet<&str> = chapters.iter().map(String::as_str).collect();
    let is_chapter =
        |element: Element<'_>| element.attribute("URI").is_some_and(|part| chapters.contains(part));
    match locked.any(is_chapter) {
        true => Err(DocumentError::Locked { format: FORMAT }),
        false => Ok(()),
    }
}

fn chapter(
    archive: &mut Archive<'_>,
    part: &str,
    number: u32,
    limits: &DocumentLimits,
    warnings: &mut Vec<String>,
) -> Result<Page, DocumentError> {
    let Some(bytes) = archive.find(part)? else {
        warnings.push(format!("chapter {number} ({part}) is missing"));
        return Ok(Page { number, source: PageSource::Empty, ..Page::default() });
    };
    let web = html::parse(&bytes, number, limits);
    warnings.extend(web.warnings);
    let source = match web.blocks.is_empty() {
        false => PageSource::Text,
        true if web.has_pictures => PageSource::Picture,
        true => PageSource::Empty,
    };
    Ok(Page { number, source, blocks: web.blocks, ..Page::default() })
}

fn facts(root: Element<'_>) -> DocumentFacts {
    let metadata = root.child("metadata");
    let told = |name: &str| {
        let texts = metadata.into_iter().flat_map(|metadata| metadata.descendants());
        texts.filter(|element| element.name() == name).find_map(|element| filled(element.text()))
    };
    let authors = metadata.into_iter().flat_map(|metadata| metadata.descendants());
    let authors =
        authors.filter(|element| element.name() == "creator").filter_map(|element| filled(element.text()));
    let authors: Vec<String> = authors.collect();
    DocumentFacts {
        title: told("title"),
        author: filled(authors.join(", ")),
        created: told("date"),
        producer: told("publisher"),
        encrypted: false,
    }
}

#[cfg(test)]
mod tests;
