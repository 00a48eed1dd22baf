//! The fonts of a document. Those of the machine are searched once, and only for a document that needs them:
//! searching takes longer than typesetting.

use std::sync::LazyLock;

use crate::style::{FontSource, PdfOptions};

use super::shelf::FontShelf;

/// For text; the second has the letters that the first lacks.
const TEXT_FAMILIES: [&str; 2] = ["Libertinus Serif", "New Computer Modern"];
/// Looked at in this order for scripts that the embedded fonts lack; those that are not here are passed over.
const OTHER_FAMILIES: [&str; 14] = [
    "Noto Serif",
    "Noto Naskh Arabic",
    "Noto Sans Arabic",
    "Noto Serif Hebrew",
    "Noto Serif CJK SC",
    "Noto Sans CJK SC",
    "Noto Serif Devanagari",
    "Noto Sans Devanagari",
    "Noto Serif Thai",
    "Noto Sans Thai",
    "Noto Sans",
    "DejaVu Serif",
    "DejaVu Sans",
    "Noto Color Emoji",
];
pub(super) const MONO_FAMILY: &str = "DejaVu Sans Mono";

static EMBEDDED: LazyLock<FontShelf> = LazyLock::new(FontShelf::embedded);
static MACHINE: LazyLock<FontShelf> = LazyLock::new(FontShelf::machine);

/// The fonts of one document.
pub(super) struct Fonts {
    shelf: &'static FontShelf,
    families: Vec<String>,
    warnings: Vec<String>,
}

impl Fonts {
    pub(super) fn choose(letters: &str, options: &PdfOptions) -> Self {
        let family = options.style.font_family.as_deref().map(str::trim).filter(|family| !family.is_empty());
        let shelf = Self::shelf_for(letters, family, options.fonts);
        let known = |family: &&str| shelf.book().contains_family(&family.to_lowercase());
        let mut warnings = Vec::new();
        if let Some(family) = family.filter(|family| !known(family)) {
            warnings
                .push(format!("the font {family:?} is not on this machine; {} was used", TEXT_FAMILIES[0]));
        }
        let families = family.into_iter().chain(TEXT_FAMILIES).chain(OTHER_FAMILIES).filter(known);
        Self { shelf, families: families.map(str::to_owned).collect(), warnings }
    }

    fn shelf_for(letters: &str, family: Option<&str>, source: FontSource) -> &'static FontShelf {
        let asked = family.is_some_and(|family| !EMBEDDED.book().contains_family(&family.to_lowercase()));
        match source {
            FontSource::Machine if asked || !covers_well(letters) => &MACHINE,
            _ => &EMBEDDED,
        }
    }

    pub(super) fn shelf(&self) -> &'static FontShelf {
        self.shelf
    }

    pub(super) fn families(&self) -> &[String] {
        &self.families
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings
    }
}

/// True if the built-in text fonts have all letters. Letters that only the code font has, such as Arabic,
/// look better in one of the machine's.
fn covers_well(letters: &str) -> bool {
    let book = EMBEDDED.book();
    let infos: Vec<_> = TEXT_FAMILIES
        .iter()
        .filter_map(|family| book.select_family(&family.to_lowercase()).next())
        .filter_map(|index| book.info(index))
        .collect();
    let mut other: Vec<char> = letters.chars().filter(|letter| !letter.is_ascii()).collect();
    other.sort_unstable();
    other.dedup();
    other.into_iter().all(|letter| infos.iter().any(|info| info.coverage.contains(u32::from(letter))))
}
