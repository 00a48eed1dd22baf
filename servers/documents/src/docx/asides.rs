//! Asides of a Word document, beside its text: comments, tracked changes, hidden text.

use std::collections::BTreeMap;

use super::package_parts::{FORMAT, MAIN_PART, MARGINS_MAX};
use super::styles::{self, DocxStyles};
use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::package::Package;
use crate::xml::Element;

/// Bytes of a passage.
const PASSAGE_BYTES_MAX: usize = 400;

/// Something that a document holds beside its text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WordAsideKind {
    Comment,
    Insertion,
    Deletion,
    HiddenText,
}

/// All asides of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WordAside {
    pub count: usize,
    /// The text of the first one.
    pub first: String,
    /// People who are named with them.
    pub authors: Vec<String>,
}

/// Reads the asides of a Word document: of its body, headers, footers and notes.
pub fn word_asides(
    bytes: &[u8],
    limits: &DocumentLimits,
) -> Result<BTreeMap<WordAsideKind, WordAside>, DocumentError> {
    let mut package = Package::open(bytes, FORMAT, limits)?;
    let main = package.main_part(MAIN_PART)?;
    let relations = package.relations(&main)?;
    let styles = match relations.of_kind("styles").next() {
        Some(relation) => package.tree_if_any(&relation.target)?,
        None => None,
    };
    let styles = styles.map(|tree| DocxStyles::read(tree.root())).unwrap_or_default();
    let mut found = BTreeMap::new();
    let kinds = ["header", "footer", "footnotes", "endnotes", "comments"];
    let others = kinds.iter().flat_map(|kind| relations.of_kind(kind)).take(MARGINS_MAX * 2);
    let parts: Vec<String> = std::iter::once(main).chain(others.map(|it| it.target.clone())).collect();
    for part in parts {
        let Some(tree) = package.tree_if_any(&part)? else { continue };
        for element in tree.root().descendants() {
            if let Some(kind) = kind_of(element, &styles) {
                note(found.entry(kind).or_default(), element);
            }
        }
    }
    Ok(found)
}

fn kind_of(element: Element<'_>, styles: &DocxStyles) -> Option<WordAsideKind> {
    match element.name() {
        "comment" => Some(WordAsideKind::Comment),
        "ins" | "moveTo" => Some(WordAsideKind::Insertion),
        "del" | "moveFrom" => Some(WordAsideKind::Deletion),
        "r" => {
            let properties = element.child("rPr")?;
            let style = properties.child("rStyle").and_then(|style| style.attribute("val"));
            let is_hidden = styles::is_hidden(properties) || style.is_some_and(|it| styles.is_hidden(it));
            is_hidden.then_some(WordAsideKind::HiddenText)
        }
        _ => None,
    }
}

fn note(aside: &mut WordAside, element: Element<'_>) {
    if aside.count == 0 {
        let mut text = element.text();
        text.truncate(text.floor_char_boundary(PASSAGE_BYTES_MAX));
        aside.first = text;
    }
    aside.count += 1;
    if let Some(author) = element.attribute("author").filter(|it| !it.is_empty())
        && !aside.authors.iter().any(|it| it == author)
    {
        aside.authors.push(author.to_owned());
    }
}
