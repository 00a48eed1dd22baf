//! Styles: which paragraphs are titles, which text is hidden, how lists count.

use std::collections::{HashMap, HashSet};

use crate::numbering::{BULLET, NumberFormat};
use crate::xml::Element;

/// Styles rest on others; no real chain is longer.
const CHAIN_MAX: usize = 16;

#[derive(Default)]
pub(super) struct OdtStyles {
    parents: HashMap<String, String>,
    hidden: HashSet<String>,
    /// The list that paragraphs of a style are items of.
    lists: HashMap<String, Vec<OdtLevel>>,
}

/// A level of a list.
#[derive(Clone)]
pub(super) struct OdtLevel {
    count: NumberFormat,
    prefix: String,
    suffix: String,
    pub(super) start: u32,
}

impl OdtLevel {
    pub(super) fn marker(&self, number: u32) -> String {
        match self.count {
            NumberFormat::Bullet => BULLET.to_owned(),
            NumberFormat::Nothing => String::new(),
            count => format!("{}{}{}", self.prefix, count.write(number), self.suffix),
        }
    }
}

impl OdtStyles {
    /// Adds the definitions of a file: `styles.xml` first, then those of the content.
    pub(super) fn read(&mut self, root: Element<'_>) {
        let groups = root.children().filter(|group| matches!(group.name(), "styles" | "automatic-styles"));
        for style in groups.flat_map(|group| group.children()) {
            let Some(name) = style.attribute("name") else { continue };
            if let Some(parent) = style.attribute("parent-style-name") {
                self.parents.insert(name.to_owned(), parent.to_owned());
            }
            let text = style.child("text-properties");
            if text.and_then(|text| text.attribute("display")) == Some("none") {
                self.hidden.insert(name.to_owned());
            }
            if style.name() == "list-style" {
                self.lists.insert(name.to_owned(), style.children().filter_map(level).collect());
            }
        }
    }

    pub(super) fn is_title(&self, style: &str) -> bool {
        self.chain(style).any(|name| name == "Title")
    }

    pub(super) fn is_hidden(&self, style: &str) -> bool {
        self.chain(style).any(|name| self.hidden.contains(name))
    }

    pub(super) fn level(&self, list: &str, depth: u8) -> Option<&OdtLevel> {
        self.lists.get(list)?.get(usize::from(depth))
    }

    fn chain<'s>(&'s self, style: &'s str) -> impl Iterator<Item = &'s str> {
        let parent = |name: &&'s str| self.parents.get(*name).map(String::as_str);
        std::iter::successors(Some(style), parent).take(CHAIN_MAX)
    }
}

fn level(level: Element<'_>) -> Option<OdtLevel> {
    let count = match level.name() {
        "list-level-style-bullet" | "list-level-style-image" => NumberFormat::Bullet,
        "list-level-style-number" => match level.attribute("num-format") {
            Some("a") => NumberFormat::LowerLetter,
            Some("A") => NumberFormat::UpperLetter,
            Some("i") => NumberFormat::LowerRoman,
            Some("I") => NumberFormat::UpperRoman,
            Some("") | None => NumberFormat::Nothing,
            Some(_) => NumberFormat::Decimal,
        },
        _ => return None,
    };
    let affix = |name: &str| level.attribute(name).unwrap_or_default().to_owned();
    let start = level.number("start-value").unwrap_or(1);
    Some(OdtLevel { count, prefix: affix("num-prefix"), suffix: affix("num-suffix"), start })
}
