//! The state of one check, and the way rules are reported.

use crate::cos::{Dict, PdfFile, PdfValue};
use crate::report::{Finding, FindingList, Severity, Spot};

use super::font_use::FontUse;
use super::kinds::Standard;
use super::output::OutputColors;
use super::rules;
use super::tree::StructureTree;

/// A file under a standard.
pub(super) struct Checker<'a> {
    pub(super) file: &'a PdfFile,
    pub(super) standard: Standard,
    pub(super) found: FindingList,
    /// The page at hand, from 1.
    pub(super) page: Option<u32>,
    pub(super) catalogue: &'a Dict,
    pub(super) output: OutputColors,
    pub(super) tree: StructureTree<'a>,
    pub(super) fonts: Vec<FontUse<'a>>,
    /// Colour spaces for spot colours by name, to compare those of the same name.
    pub(super) spots: Vec<(Vec<u8>, &'a [PdfValue])>,
    /// The language of the whole document.
    pub(super) language: Option<String>,
    pub(super) claimed: bool,
}

static NOTHING: Dict = Dict(Vec::new());

impl<'a> Checker<'a> {
    pub(super) fn new(file: &'a PdfFile, standard: Standard) -> Self {
        let catalogue = file.catalogue().unwrap_or(&NOTHING);
        Self {
            file,
            standard,
            found: FindingList::default(),
            page: None,
            catalogue,
            output: OutputColors::default(),
            tree: StructureTree::of(file, catalogue),
            fonts: Vec::new(),
            spots: Vec::new(),
            language: file.at(catalogue, "Lang").text().filter(|it| !it.is_empty()),
            claimed: false,
        }
    }

    /// A rule of PDF/A-2b is broken.
    pub(super) fn a(&mut self, rule: &str, evidence: impl Into<String>) {
        if self.standard == Standard::A2b {
            self.fail(rule, Spot::default(), evidence.into());
        }
    }

    /// A rule of PDF/UA-1 is broken.
    pub(super) fn u(&mut self, rule: &str, evidence: impl Into<String>) {
        if self.standard == Standard::Ua1 {
            self.fail(rule, Spot::default(), evidence.into());
        }
    }

    /// The same in both standards.
    pub(super) fn both(&mut self, a: &str, u: &str, evidence: impl Into<String>) {
        let rule = if self.standard == Standard::A2b { a } else { u };
        self.fail(rule, Spot::default(), evidence.into());
    }

    pub(super) fn fail(&mut self, rule: &str, spot: Spot, evidence: String) {
        let known = rules::of(self.standard).iter().find(|known| known.id == rule);
        debug_assert!(known.is_some(), "{rule} is not listed");
        let (asks, mend) = known.map_or(("", ""), |known| (known.asks, known.mend));
        let spot = Spot { page: spot.page.or(self.page), ..spot };
        let name = format!("{} {rule}", self.standard.as_str());
        self.found.add(Finding::new(name, Severity::Error, asks, mend).at(spot).evidence(evidence));
    }

    pub(super) fn at(&self, dict: &'a Dict, key: &str) -> &'a PdfValue {
        self.file.at(dict, key)
    }

    pub(super) fn get(&self, value: &'a PdfValue) -> &'a PdfValue {
        self.file.get(value)
    }
}
