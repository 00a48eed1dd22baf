//! Styles of paragraphs: the headings among them, and those with numbering.

use std::collections::HashMap;

use crate::xml::Element;

/// Styles rest on others; no real chain is longer.
const CHAIN_MAX: usize = 16;
/// Outline levels beyond this are body text.
const OUTLINE_LEVELS: u8 = 9;

#[derive(Default)]
pub(super) struct DocxStyles {
    by_id: HashMap<String, DocxStyle>,
}

#[derive(Default)]
struct DocxStyle {
    /// In lower case. Word writes the names of its own styles in English in every locale.
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<DocxListLevel>,
    is_hidden: bool,
}

/// A list and a level of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DocxListLevel {
    pub(super) list: Option<String>,
    pub(super) level: u8,
}

impl DocxStyles {
    pub(super) fn read(root: Element<'_>) -> Self {
        let styles = root.children_named("style").filter_map(|style| {
            let value = |name: &str| style.child(name)?.attribute("val");
            let properties = style.child("pPr");
            let read = DocxStyle {
                name: value("name").unwrap_or_default().to_lowercase(),
                based_on: value("basedOn").map(str::to_owned),
                outline: properties.and_then(|properties| properties.child("outlineLvl")?.number("val")),
                list: properties.and_then(list_place),
                is_hidden: style.child("rPr").is_some_and(is_hidden),
            };
            Some((style.attribute("styleId")?.to_owned(), read))
        });
        Self { by_id: styles.collect() }
    }

    /// 1 to 6, if paragraphs of this style are headings.
    pub(super) fn heading_level(&self, id: &str) -> Option<u8> {
        if self.by_id.is_empty() {
            return named_level(&id.to_lowercase());
        }
        for style in self.chain(id) {
            if let Some(level) = named_level(&style.name) {
                return Some(level);
            }
            match style.outline {
                Some(outline) if outline < OUTLINE_LEVELS => return Some((outline + 1).min(6)),
                Some(_) => return None,
                None => {}
            }
        }
        None
    }

    pub(super) fn list_place(&self, id: &str) -> Option<&DocxListLevel> {
        self.chain(id).find_map(|style| style.list.as_ref())
    }

    /// True if text of this style is hidden.
    pub(super) fn is_hidden(&self, id: &str) -> bool {
        self.chain(id).any(|style| style.is_hidden)
    }

    fn chain<'s>(&'s self, id: &str) -> impl Iterator<Item = &'s DocxStyle> {
        let first = self.by_id.get(id);
        let next = |style: &&'s DocxStyle| self.by_id.get(style.based_on.as_ref()?);
        std::iter::successors(first, next).take(CHAIN_MAX)
    }
}

/// The content of `numPr`.
pub(super) fn list_place(properties: Element<'_>) -> Option<DocxListLevel> {
    let place = properties.child("numPr")?;
    let list = place.child("numId").and_then(|list| list.attribute("val")).map(str::to_owned);
    let level = place.child("ilvl").and_then(|level| level.number("val")).unwrap_or_default();
    Some(DocxListLevel { list, level })
}

/// True if a switch such as `vanish` is on.
pub(super) fn is_hidden(properties: Element<'_>) -> bool {
    let value = |switch: Element<'_>| !matches!(switch.attribute("val"), Some("0" | "false" | "off"));
    properties.child("vanish").is_some_and(value)
}

fn named_level(name: &str) -> Option<u8> {
    if name == "title" {
        return Some(1);
    }
    let level = name.strip_prefix("heading")?.trim().parse::<u8>().ok()?;
    (1..=OUTLINE_LEVELS).contains(&level).then(|| level.min(6))
}
