//! Pages that may stay: nothing on them can hide text.

use std::collections::{BTreeMap, BTreeSet};

use capability_documents::pdf::PlacedPage;

use crate::cos::{Dict, PdfFile, PdfValue, Stream, decoded, operations};

/// Codes that a page may show beyond the letters that were read of it: spaces, mostly.
const UNREAD_SHARE: f64 = 0.35;
const UNREAD_MIN: f64 = 20.0;
/// Objects inside objects.
const DEPTH_MAX: usize = 64;

/// Entries that no kept object has.
const DROPPED: [&str; 12] = [
    "Metadata",
    "PieceInfo",
    "LastModified",
    "StructParent",
    "StructParents",
    "OPI",
    "Alternates",
    "Thumb",
    "Annots",
    "AA",
    "OC",
    "Measure",
];

/// True if a page may show something that is none of its own words: a picture, letters that cannot be read, or drawings
/// without any word.
pub(super) fn needs_eyes(file: &PdfFile, page: &Dict, placed: &PlacedPage) -> bool {
    let content = content_of(file, page);
    let resources = file.inherited(page, "Resources").dict();
    let is_drawn = placed.words.is_empty() && !content.trim_ascii().is_empty();
    is_drawn
        || resources.is_some_and(|it| has_pictures(file, it))
        || operations(&content).0.iter().any(|it| it.is("BI"))
        || appearances(file, page)
        || !shows_what_was_read(&content, file, resources, placed)
}

/// True if resources, or those of a form or pattern in them, have a picture.
fn has_pictures(file: &PdfFile, resources: &Dict) -> bool {
    let (mut waiting, mut visited) = (vec![resources], BTreeSet::new());
    while let Some(own) = waiting.pop() {
        let below = ["XObject", "Pattern"].into_iter().filter_map(|it| file.at(own, it).dict());
        for (_, value) in below.flat_map(Dict::iter) {
            let is_new = value.reference().is_none_or(|it| visited.insert(it));
            let Some(object) = file.get(value).dict().filter(|_| is_new) else { continue };
            if file.at(object, "Subtype").is_name("Image") {
                return true;
            }
            waiting.extend(file.at(object, "Resources").dict());
        }
    }
    false
}

/// True if an annotation draws something of its own.
fn appearances(file: &PdfFile, page: &Dict) -> bool {
    let mut annotations = file.at(page, "Annots").list().iter().filter_map(|it| file.get(it).dict());
    annotations.any(|it| it.has("AP"))
}

/// True if all that a page shows was read, and nothing on it is hidden.
pub(super) fn is_plain(file: &PdfFile, page: &Dict, placed: &PlacedPage) -> bool {
    let resources = file.inherited(page, "Resources").dict();
    let has_forms = resources.and_then(|it| file.at(it, "XObject").dict()).is_some_and(|objects| {
        objects
            .iter()
            .any(|(_, it)| file.get(it).dict().is_none_or(|it| !file.at(it, "Subtype").is_name("Image")))
    });
    let has = |key: &str| resources.is_some_and(|it| it.has(key));
    let media = file.inherited(page, "MediaBox");
    let cropped = page_box(file, page, "CropBox").is_some_and(|it| it != media);
    let rotated = file.inherited(page, "Rotate").int().unwrap_or(0) != 0;
    if has_forms
        || has("Properties")
        || has("Pattern")
        || cropped
        || rotated
        || !file.at(page, "Annots").list().is_empty()
    {
        return false;
    }
    shows_what_was_read(&content_of(file, page), file, resources, placed)
}

fn page_box<'a>(file: &'a PdfFile, page: &'a Dict, key: &str) -> Option<&'a PdfValue> {
    Some(file.inherited(page, key)).filter(|it| **it != PdfValue::Null)
}

fn content_of(file: &PdfFile, page: &Dict) -> Vec<u8> {
    let contents = file.at(page, "Contents");
    let parts = contents.list().iter().map(|it| file.get(it)).chain(std::iter::once(contents));
    let mut bytes = Vec::new();
    for stream in parts.filter_map(PdfValue::stream) {
        bytes.extend(decoded(file, stream));
        bytes.push(b'\n');
    }
    bytes
}

fn shows_what_was_read(
    content: &[u8],
    file: &PdfFile,
    resources: Option<&Dict>,
    placed: &PlacedPage,
) -> bool {
    let fonts = resources.and_then(|it| file.at(it, "Font").dict());
    let (operations, _) = operations(content);
    let (mut shown, mut bytes_each) = (0usize, 1usize);
    for operation in &operations {
        let invisible = operation.is("Tr") && matches!(operation.operand(0).int(), Some(3 | 7));
        let texts = operation.is("BDC")
            && matches!(operation.operand(1), PdfValue::Dict(it) if it.iter().any(|(_, it)| it.bytes().is_some()));
        if invisible || texts {
            return false;
        }
        if operation.is("Tf") {
            let font = operation.operand(0).name().and_then(|name| file.at(fonts?, name).dict());
            bytes_each = if font.is_some_and(|it| file.at(it, "Subtype").is_name("Type0")) { 2 } else { 1 };
        }
        let list = operation.operands.last().map(PdfValue::list).unwrap_or_default();
        let own =
            operation.operands.iter().chain(list).filter_map(PdfValue::bytes).map(<[u8]>::len).sum::<usize>();
        if matches!(operation.name.as_slice(), b"Tj" | b"TJ" | b"'" | b"\"") {
            shown += own / bytes_each;
        }
    }
    let read: usize = placed.words.iter().map(|it| it.text.chars().count()).sum();
    shown as f64 <= read as f64 * (1.0 + UNREAD_SHARE) + UNREAD_MIN
}

/// Copies a page and all that it needs, with new numbers.
pub(super) struct PageCopier<'a> {
    file: &'a PdfFile,
    numbers: BTreeMap<u32, u32>,
    pub(super) objects: BTreeMap<u32, PdfValue>,
    next: u32,
}

impl<'a> PageCopier<'a> {
    pub(super) fn new(file: &'a PdfFile) -> Self {
        Self { file, numbers: BTreeMap::new(), objects: BTreeMap::new(), next: 1 }
    }

    pub(super) fn add(&mut self, value: PdfValue) -> u32 {
        let number = self.next;
        self.next += 1;
        self.objects.insert(number, value);
        number
    }

    pub(super) fn page(&mut self, page: &Dict, parent: u32) -> u32 {
        let mut own = Dict::default();
        own.set("Type", PdfValue::Name(b"Page".to_vec()));
        own.set("Parent", PdfValue::Ref(parent));
        own.set("MediaBox", self.copied(self.file.inherited(page, "MediaBox"), 0));
        let resources = self.copied(self.file.inherited(page, "Resources"), 0);
        own.set("Resources", resources);
        let content = content_of(self.file, page);
        let stream = PdfValue::Stream(Stream { dict: Dict::default(), body: content.into() });
        let content = self.add(stream);
        own.set("Contents", PdfValue::Ref(content));
        self.add(PdfValue::Dict(own))
    }

    fn copied(&mut self, value: &PdfValue, depth: usize) -> PdfValue {
        if depth > DEPTH_MAX {
            return PdfValue::Null;
        }
        match value {
            PdfValue::Ref(number) => self.referred(*number, depth),
            PdfValue::List(list) => {
                PdfValue::List(list.iter().map(|it| self.copied(it, depth + 1)).collect())
            }
            PdfValue::Dict(dict) => PdfValue::Dict(self.dict(dict, depth)),
            PdfValue::Stream(stream) => {
                let dict = self.dict(&stream.dict, depth);
                PdfValue::Stream(Stream { dict, body: stream.body.clone() })
            }
            other => other.clone(),
        }
    }

    fn referred(&mut self, number: u32, depth: usize) -> PdfValue {
        if let Some(known) = self.numbers.get(&number) {
            return PdfValue::Ref(*known);
        }
        let own = self.next;
        self.next += 1;
        self.numbers.insert(number, own);
        let file = self.file;
        let value = file.objects.get(&number).cloned().unwrap_or(PdfValue::Null);
        let copy = self.copied(&value, depth + 1);
        self.objects.insert(own, copy);
        PdfValue::Ref(own)
    }

    fn dict(&mut self, dict: &Dict, depth: usize) -> Dict {
        let kept = dict.0.iter().filter(|(key, _)| !DROPPED.iter().any(|it| it.as_bytes() == key.as_slice()));
        Dict(kept.map(|(key, value)| (key.clone(), self.copied(value, depth + 1))).collect())
    }
}
