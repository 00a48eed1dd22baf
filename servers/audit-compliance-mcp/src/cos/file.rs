//! A file: its objects by number, its trailer, and the way it was written.

use std::collections::BTreeMap;

use super::filters::decoded;
use super::lexer::Lexer;
use super::objects::{SyntaxFault, object_at};
use super::value::{Dict, PdfValue};
use super::xref::{OBJECTS_MAX, ObjectPlace, XrefIndex};

/// References that lead to references.
const STEPS_MAX: usize = 16;
/// Pages of a document.
const PAGES_MAX: usize = 20_000;
/// Levels of the tree of pages.
const TREE_DEPTH_MAX: usize = 64;

/// The reason why a file is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PdfError {
    #[error("the file is not a PDF")]
    NotPdf,
    #[error("the PDF is damaged: it has no document catalogue")]
    NoCatalogue,
}

/// A PDF that was read. Everything that refers to something else is looked up here.
pub(crate) struct PdfFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) objects: BTreeMap<u32, PdfValue>,
    pub(crate) trailer: Dict,
    /// Trailers of all updates, newest first.
    pub(crate) trailers: Vec<Dict>,
    /// Faults with the number of the object, or 0.
    pub(crate) faults: Vec<(SyntaxFault, u32)>,
    /// The index was of no use, so objects were searched for.
    pub(crate) rebuilt: bool,
}

impl PdfFile {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, PdfError> {
        if memchr::memmem::find(&bytes[..bytes.len().min(1_024)], b"%PDF-").is_none() {
            return Err(PdfError::NotPdf);
        }
        let by_tables = XrefIndex::by_tables(bytes).map(|index| Self::of_index(bytes, index, false));
        let good = by_tables.filter(|file| file.catalogue().is_some_and(|it| it.has("Pages")));
        let file = good.unwrap_or_else(|| Self::of_index(bytes, XrefIndex::by_search(bytes), true));
        if file.catalogue().is_none() { Err(PdfError::NoCatalogue) } else { Ok(file) }
    }

    /// For what needs no other object.
    pub(super) fn empty() -> Self {
        Self {
            bytes: Vec::new(),
            objects: BTreeMap::new(),
            trailer: Dict::default(),
            trailers: Vec::new(),
            faults: Vec::new(),
            rebuilt: false,
        }
    }

    fn of_index(bytes: &[u8], index: XrefIndex, rebuilt: bool) -> Self {
        let mut file = Self { bytes: bytes.to_vec(), rebuilt, ..Self::empty() };
        file.faults.extend(index.faults.iter().map(|(fault, _)| (*fault, 0)));
        let length_of = |number: u32| match index.places.get(&number) {
            Some(ObjectPlace::At(at)) => object_at(bytes, *at, &|_| None)?.value.int(),
            _ => None,
        };
        for (number, place) in &index.places {
            let ObjectPlace::At(at) = place else { continue };
            let Some(object) = object_at(bytes, *at, &length_of) else { continue };
            if object.number == *number {
                file.faults.extend(object.faults.iter().map(|fault| (*fault, *number)));
                file.objects.insert(*number, object.value);
            }
        }
        file.unpack(&index);
        file.trailers = index.trailers;
        file.trailer = file.newest_trailer();
        file
    }

    /// Objects inside object streams.
    fn unpack(&mut self, index: &XrefIndex) {
        let packs: Vec<u32> = if self.rebuilt {
            let is_pack =
                |value: &PdfValue| value.stream().is_some_and(|it| it.dict.get("Type").is_name("ObjStm"));
            self.objects.iter().filter(|(_, value)| is_pack(value)).map(|(number, _)| *number).collect()
        } else {
            let mut packs: Vec<u32> = index
                .places
                .values()
                .filter_map(|place| match place {
                    ObjectPlace::Inside(pack) => Some(*pack),
                    _ => None,
                })
                .collect();
            packs.sort_unstable();
            packs.dedup();
            packs
        };
        for pack in packs {
            for (number, value) in self.packed(pack) {
                let place = index.places.get(&number);
                if self.objects.len() < OBJECTS_MAX
                    && (self.rebuilt || place == Some(&ObjectPlace::Inside(pack)))
                {
                    self.objects.entry(number).or_insert(value);
                }
            }
        }
    }

    fn packed(&self, pack: u32) -> Vec<(u32, PdfValue)> {
        let Some(stream) = self.objects.get(&pack).and_then(PdfValue::stream) else { return Vec::new() };
        let unpacked = decoded(self, stream);
        let first = self.get(stream.dict.get("First")).int().unwrap_or(0).max(0) as usize;
        let count = self.get(stream.dict.get("N")).int().unwrap_or(0).clamp(0, OBJECTS_MAX as i64);
        let mut header = Lexer::of_content(&unpacked);
        let mut found = Vec::new();
        for _ in 0..count {
            let (Some(number), Some(at)) = (header.value(), header.value()) else { break };
            let (Some(number), Some(at)) = (number.int(), at.int()) else { break };
            let at = first.saturating_add(at.max(0) as usize);
            if let (Ok(number), Some(value)) = (u32::try_from(number), Lexer::of_file(&unpacked, at).value())
            {
                found.push((number, value));
            }
        }
        found
    }

    /// The newest entries of all trailers, and a catalogue from anywhere if they name none.
    fn newest_trailer(&self) -> Dict {
        let mut trailer = Dict::default();
        for (key, value) in self.trailers.iter().flat_map(|it| it.0.iter()) {
            if !trailer.0.iter().any(|(known, _)| known == key) {
                trailer.0.push((key.clone(), value.clone()));
            }
        }
        if self.get(trailer.get("Root")).dict().is_none() {
            let is_root = |value: &PdfValue| value.dict().is_some_and(|it| it.get("Type").is_name("Catalog"));
            if let Some((number, _)) = self.objects.iter().find(|(_, value)| is_root(value)) {
                trailer.set("Root", PdfValue::Ref(*number));
            }
        }
        trailer
    }

    /// The object behind a reference; anything else itself.
    pub(crate) fn get<'a>(&'a self, value: &'a PdfValue) -> &'a PdfValue {
        let mut value = value;
        for _ in 0..STEPS_MAX {
            let PdfValue::Ref(number) = value else { return value };
            value = self.objects.get(number).unwrap_or(&PdfValue::Null);
        }
        &PdfValue::Null
    }

    /// The value of a key, behind references.
    pub(crate) fn at<'a>(&'a self, dict: &'a Dict, key: &str) -> &'a PdfValue {
        self.get(dict.get(key))
    }

    pub(crate) fn catalogue(&self) -> Option<&Dict> {
        self.get(self.trailer.get("Root")).dict()
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.trailers.iter().any(|trailer| trailer.has("Encrypt"))
    }

    /// The pages in order, by number of their objects.
    pub(crate) fn pages(&self) -> Vec<u32> {
        let mut pages = Vec::new();
        let mut visited = std::collections::BTreeSet::new();
        if let Some(root) = self.catalogue().and_then(|it| it.get("Pages").reference()) {
            self.pages_below(root, 0, &mut visited, &mut pages);
        }
        pages
    }

    fn pages_below(
        &self,
        node: u32,
        depth: usize,
        visited: &mut std::collections::BTreeSet<u32>,
        pages: &mut Vec<u32>,
    ) {
        let Some(dict) = self.objects.get(&node).and_then(PdfValue::dict) else { return };
        if depth > TREE_DEPTH_MAX || pages.len() >= PAGES_MAX || !visited.insert(node) {
            return;
        }
        if !dict.has("Kids") {
            pages.push(node);
            return;
        }
        for kid in self.at(dict, "Kids").list().iter().filter_map(PdfValue::reference) {
            self.pages_below(kid, depth + 1, visited, pages);
        }
    }

    /// An entry of a page or of the nearest node above that has it.
    pub(crate) fn inherited<'a>(&'a self, page: &'a Dict, key: &str) -> &'a PdfValue {
        let mut node = page;
        for _ in 0..TREE_DEPTH_MAX {
            if node.has(key) {
                return self.at(node, key);
            }
            let Some(parent) = self.at(node, "Parent").dict() else { break };
            node = parent;
        }
        &PdfValue::Null
    }
}
