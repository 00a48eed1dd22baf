//! The structure tree as a flat list of elements.

use std::collections::{BTreeMap, BTreeSet};

use crate::cos::{Dict, PdfFile, PdfValue};

/// Elements of a tree.
const ELEMENTS_MAX: usize = 200_000;
/// Levels of a tree, and steps of a role map.
const DEPTH_MAX: usize = 200;

/// The standard structure types of ISO 32000-1.
const STANDARD: &[&str] = &[
    "Document",
    "Part",
    "Art",
    "Sect",
    "Div",
    "BlockQuote",
    "Caption",
    "TOC",
    "TOCI",
    "Index",
    "NonStruct",
    "Private",
    "P",
    "H",
    "H1",
    "H2",
    "H3",
    "H4",
    "H5",
    "H6",
    "L",
    "LI",
    "Lbl",
    "LBody",
    "Table",
    "TR",
    "TH",
    "TD",
    "THead",
    "TBody",
    "TFoot",
    "Span",
    "Quote",
    "Note",
    "Reference",
    "BibEntry",
    "Code",
    "Link",
    "Annot",
    "Ruby",
    "RB",
    "RT",
    "RP",
    "Warichu",
    "WT",
    "WP",
    "Figure",
    "Formula",
    "Form",
];

/// One element.
pub(super) struct TagElement<'a> {
    pub(super) dict: &'a Dict,
    /// Its type behind the role map.
    pub(super) kind: String,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Annotations and other objects that it holds.
    pub(super) objects: Vec<u32>,
}

/// All elements, and which content belongs to which.
#[derive(Default)]
pub(super) struct StructureTree<'a> {
    pub(super) elements: Vec<TagElement<'a>>,
    pub(super) roles: Option<&'a Dict>,
    pub(super) exists: bool,
    numbers: BTreeMap<u32, usize>,
    /// The lists of the parent tree by key.
    parents: BTreeMap<i64, &'a PdfValue>,
}

impl<'a> StructureTree<'a> {
    pub(super) fn of(file: &'a PdfFile, catalogue: &'a Dict) -> Self {
        let mut tree = Self::default();
        let Some(root) = file.at(catalogue, "StructTreeRoot").dict() else { return tree };
        tree.exists = true;
        tree.roles = file.at(root, "RoleMap").dict();
        let mut visited = BTreeSet::new();
        tree.children(file, root.get("K"), None, 0, &mut visited);
        if let Some(parents) = file.at(root, "ParentTree").dict() {
            number_tree(file, parents, 0, &mut tree.parents);
        }
        tree
    }

    fn children(
        &mut self,
        file: &'a PdfFile,
        value: &'a PdfValue,
        parent: Option<usize>,
        depth: usize,
        visited: &mut BTreeSet<u32>,
    ) {
        if depth > DEPTH_MAX || self.elements.len() >= ELEMENTS_MAX {
            return;
        }
        let number = value.reference();
        match file.get(value) {
            PdfValue::List(list) => {
                list.iter().for_each(|one| self.children(file, one, parent, depth, visited));
            }
            PdfValue::Dict(dict) if file.at(dict, "Type").is_name("OBJR") => {
                if let (Some(parent), Some(object)) = (parent, dict.get("Obj").reference()) {
                    self.elements[parent].objects.push(object);
                }
            }
            PdfValue::Dict(dict) if dict.has("S") && number.is_none_or(|it| visited.insert(it)) => {
                let index = self.elements.len();
                let kind = self.mapped(file, file.at(dict, "S").name().unwrap_or_default());
                let objects = Vec::new();
                self.elements.push(TagElement { dict, kind, parent, children: Vec::new(), objects });
                if let Some(parent) = parent {
                    self.elements[parent].children.push(index);
                }
                if let Some(number) = number {
                    self.numbers.insert(number, index);
                }
                self.children(file, dict.get("K"), Some(index), depth + 1, visited);
            }
            _ => {}
        }
    }

    /// The standard type of a type, or the last one that the role map leads to.
    fn mapped(&self, file: &'a PdfFile, kind: &str) -> String {
        let mut kind = kind;
        for _ in 0..DEPTH_MAX {
            if is_standard(kind) {
                break;
            }
            let Some(next) = self.roles.and_then(|roles| file.at(roles, kind).name()) else { break };
            kind = next;
        }
        kind.to_owned()
    }

    pub(super) fn has_parents(&self) -> bool {
        !self.parents.is_empty()
    }

    /// The element that content with this number belongs to.
    pub(super) fn element_of(&self, owner: Option<i64>, number: i64) -> Option<usize> {
        let list = self.parents.get(&owner?)?.list();
        let reference = list.get(usize::try_from(number).ok()?)?.reference()?;
        self.numbers.get(&reference).copied()
    }

    /// The element that an annotation belongs to.
    pub(super) fn element_of_object(&self, parent: i64) -> Option<usize> {
        let number = self.parents.get(&parent)?.reference()?;
        self.numbers.get(&number).copied()
    }

    /// An element and those around it, innermost first.
    pub(super) fn around(&self, element: usize) -> impl Iterator<Item = &TagElement<'a>> {
        let first = self.elements.get(element);
        std::iter::successors(first, |it| it.parent.and_then(|parent| self.elements.get(parent)))
    }
}

pub(super) fn is_standard(kind: &str) -> bool {
    STANDARD.contains(&kind)
}

fn number_tree<'a>(file: &'a PdfFile, node: &'a Dict, depth: usize, into: &mut BTreeMap<i64, &'a PdfValue>) {
    if depth > 32 || into.len() > ELEMENTS_MAX {
        return;
    }
    for pair in file.at(node, "Nums").list().chunks_exact(2) {
        if let Some(key) = file.get(&pair[0]).int() {
            // A list may be an object of its own; an annotation's element is wanted by its number.
            let value = match file.get(&pair[1]) {
                list @ PdfValue::List(_) => list,
                _ => &pair[1],
            };
            into.insert(key, value);
        }
    }
    for kid in file.at(node, "Kids").list() {
        if let Some(kid) = file.get(kid).dict() {
            number_tree(file, kid, depth + 1, into);
        }
    }
}
