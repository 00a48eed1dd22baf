//! Making a document: pages, then items in reading order.

mod placing;
mod table;

use crate::model::{
    ContentLayer, DOCLING_VERSION, DocGroup, DocIr, DocMeta, DocOrigin, DocPage, DocPicture, DocRef, DocText,
    ItemMeta, PageBox, PageSize, Provenance, SCHEMA_NAME, WordPlace,
};
use placing::{Placing, rounded, share};

pub use table::{NewCell, NewTable};

/// The names of documents and files are cut after so many code points.
const NAME_MAX: usize = 255;

/// A document in the making. Boxes are cut to their pages and rounded; spans are cut to their texts.
pub struct DocIrBuilder {
    document: DocIr,
    lists: Vec<ListDraft>,
}

/// A list that may get more items.
struct ListDraft {
    depth: u8,
    group: usize,
    /// The last item, below which a deeper list begins.
    last: String,
}

/// The sort of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextKind {
    /// The one title of the document.
    Title,
    /// From 1.
    Heading {
        level: u8,
    },
    Paragraph,
    /// From 0; the marker as in the document.
    ListItem {
        depth: u8,
        marker: String,
    },
    Code,
    Caption,
    PageHeader,
    PageFooter,
}

/// A text with its places.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewText {
    pub text: String,
    /// From 1.
    pub page: u32,
    /// Empty where the format has no layout.
    pub lines: Vec<NewLine>,
    /// From 0 to 1.
    pub confidence: Option<f32>,
}

/// A line of a text, in points and in code points.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewLine {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
    pub start: usize,
    pub end: usize,
    pub words: Vec<NewWord>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct NewWord {
    pub start: usize,
    pub end: usize,
    pub left: f32,
    pub right: f32,
}

/// Facts about the whole document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DocumentNotes {
    pub parser: String,
    pub tier: String,
    /// As the file says it.
    pub title: Option<String>,
    pub author: Option<String>,
    pub created: Option<String>,
    pub confidence: f32,
    /// Pages whose words were read from their picture.
    pub ocr_pages: Vec<u32>,
    pub warnings: Vec<String>,
}

impl DocIrBuilder {
    pub fn new(name: &str, origin: Option<DocOrigin>) -> Self {
        let root = |pointer: &str, layer: ContentLayer| DocGroup {
            self_ref: pointer.to_owned(),
            parent: None,
            children: Vec::new(),
            content_layer: layer,
            meta: None,
            name: "_root_".to_owned(),
            label: "unspecified".to_owned(),
        };
        let document = DocIr {
            schema_name: SCHEMA_NAME.to_owned(),
            version: DOCLING_VERSION.to_owned(),
            name: name.chars().take(NAME_MAX).collect(),
            origin,
            furniture: root("#/furniture", ContentLayer::Furniture),
            body: root("#/body", ContentLayer::Body),
            groups: Vec::new(),
            texts: Vec::new(),
            pictures: Vec::new(),
            tables: Vec::new(),
            key_value_items: Vec::new(),
            form_items: Vec::new(),
            pages: std::collections::BTreeMap::new(),
        };
        Self { document, lists: Vec::new() }
    }

    /// Adds a page, before its items. A format without a layout has pages of no size.
    pub fn page(&mut self, number: u32, width: f32, height: f32) {
        let size = PageSize { width: rounded(width.max(0.0)), height: rounded(height.max(0.0)) };
        self.document.pages.insert(number, DocPage { size, page_no: number });
    }

    /// Adds a text and returns its pointer.
    pub fn text(&mut self, kind: TextKind, new: NewText) -> String {
        let pointer = format!("#/texts/{}", self.document.texts.len());
        let parent = self.parent(&kind, &pointer);
        let placing = self.placing(new.page);
        let letters = new.text.chars().count();
        let (prov, words) = placed(&placing, new.lines, letters);
        let has_words = words.iter().any(|words| !words.is_empty());
        let words = if has_words { words } else { Vec::new() };
        let meta = ItemMeta { confidence: new.confidence.map(share), words };
        let mut text = plain_text(&pointer, parent, new.text);
        text.prov = prov;
        text.meta = (meta != ItemMeta::default()).then_some(meta);
        label(&mut text, kind);
        self.document.texts.push(text);
        pointer
    }

    /// Adds a picture and returns its pointer.
    pub fn picture(&mut self, page: u32, left: f32, top: f32, right: f32, bottom: f32) -> String {
        self.lists.clear();
        let pointer = format!("#/pictures/{}", self.document.pictures.len());
        let bbox = self.placing(page).page_box(left, top, right, bottom);
        self.document.pictures.push(DocPicture {
            self_ref: pointer.clone(),
            parent: Some(DocRef::to("#/body")),
            children: Vec::new(),
            content_layer: ContentLayer::Body,
            label: "picture".to_owned(),
            prov: vec![Provenance { page_no: page, bbox, charspan: (0, 0) }],
            captions: Vec::new(),
            references: Vec::new(),
            footnotes: Vec::new(),
            annotations: Vec::new(),
        });
        self.document.body.children.push(DocRef::to(&pointer));
        pointer
    }

    /// Says that a text is the caption of a table or a picture.
    pub fn link_caption(&mut self, target: &str, caption: &str) {
        let tables = self.document.tables.iter_mut().filter(|table| table.self_ref == target);
        tables.for_each(|table| table.captions.push(DocRef::to(caption)));
        let pictures = self.document.pictures.iter_mut().filter(|picture| picture.self_ref == target);
        pictures.for_each(|picture| picture.captions.push(DocRef::to(caption)));
    }

    pub fn finish(mut self, notes: DocumentNotes) -> DocIr {
        let said = |text: String| (!text.is_empty()).then_some(text);
        self.document.body.meta = Some(DocMeta {
            parser: said(notes.parser),
            tier: said(notes.tier),
            title: notes.title,
            author: notes.author,
            created: notes.created,
            confidence: Some(share(notes.confidence)),
            ocr_pages: notes.ocr_pages,
            warnings: notes.warnings,
        });
        self.document
    }

    fn placing(&self, page: u32) -> Placing {
        Placing { page, size: self.document.page_size(page) }
    }

    /// Notes a new text among the children of its parent, which is a list or the body.
    fn parent(&mut self, kind: &TextKind, pointer: &str) -> DocRef {
        let group = match kind {
            TextKind::ListItem { depth, .. } => Some(self.list(*depth, pointer)),
            // A header between the items of a list does not end it.
            TextKind::PageHeader | TextKind::PageFooter => None,
            _ => {
                self.lists.clear();
                None
            }
        };
        let parent = match group {
            Some(group) => &mut self.document.groups[group],
            None => &mut self.document.body,
        };
        parent.children.push(DocRef::to(pointer));
        DocRef::to(&parent.self_ref)
    }

    /// The list of an item; opens one below the item before if the new one is deeper.
    fn list(&mut self, depth: u8, item: &str) -> usize {
        while self.lists.last().is_some_and(|list| list.depth > depth) {
            self.lists.pop();
        }
        if self.lists.last().is_none_or(|list| list.depth < depth) {
            let group = self.open_list();
            self.lists.push(ListDraft { depth, group, last: String::new() });
        }
        let list = self.lists.last_mut().expect("a list was opened");
        list.last = item.to_owned();
        list.group
    }

    fn open_list(&mut self) -> usize {
        let number = self.document.groups.len();
        let pointer = format!("#/groups/{number}");
        let above = self.lists.last().map(|list| list.last.clone());
        let children = match &above {
            Some(item) => self.children_of_text(item),
            None => &mut self.document.body.children,
        };
        children.push(DocRef::to(&pointer));
        self.document.groups.push(DocGroup {
            self_ref: pointer,
            parent: Some(DocRef::to(above.as_deref().unwrap_or("#/body"))),
            children: Vec::new(),
            content_layer: ContentLayer::Body,
            meta: None,
            name: "list".to_owned(),
            label: "list".to_owned(),
        });
        number
    }

    fn children_of_text(&mut self, pointer: &str) -> &mut Vec<DocRef> {
        let text = self.document.texts.iter_mut().rev().find(|text| text.self_ref == pointer);
        &mut text.expect("a list hangs below an item that was added").children
    }
}

/// The lines of a text as places with their words; one place without a box where there are none.
fn placed(placing: &Placing, lines: Vec<NewLine>, letters: usize) -> (Vec<Provenance>, Vec<Vec<WordPlace>>) {
    let mut places: Vec<(Provenance, Vec<WordPlace>)> = Vec::new();
    for line in lines {
        let line = placing.line(line, letters);
        places.push((
            Provenance { page_no: placing.page, bbox: line.bbox, charspan: line.charspan },
            line.words,
        ));
    }
    if places.is_empty() {
        let nowhere = PageBox::new(0.0, 0.0, 0.0, 0.0);
        places
            .push((Provenance { page_no: placing.page, bbox: nowhere, charspan: (0, letters) }, Vec::new()));
    }
    places.into_iter().unzip()
}

fn plain_text(pointer: &str, parent: DocRef, text: String) -> DocText {
    DocText {
        self_ref: pointer.to_owned(),
        parent: Some(parent),
        children: Vec::new(),
        content_layer: ContentLayer::Body,
        meta: None,
        label: "text".to_owned(),
        prov: Vec::new(),
        orig: text.clone(),
        text,
        level: None,
        enumerated: None,
        marker: None,
        captions: None,
        references: None,
        footnotes: None,
        code_language: None,
    }
}

fn label(text: &mut DocText, kind: TextKind) {
    let label = match kind {
        TextKind::Title => "title",
        TextKind::Heading { level } => {
            text.level = Some(level.clamp(1, 100));
            "section_header"
        }
        TextKind::Paragraph => "text",
        TextKind::ListItem { marker, .. } => {
            text.enumerated = Some(is_number(&marker));
            text.marker = Some(marker);
            "list_item"
        }
        TextKind::Code => {
            (text.captions, text.references, text.footnotes) =
                (Some(Vec::new()), Some(Vec::new()), Some(Vec::new()));
            text.code_language = Some("unknown".to_owned());
            "code"
        }
        TextKind::Caption => "caption",
        TextKind::PageHeader => {
            text.content_layer = ContentLayer::Furniture;
            "page_header"
        }
        TextKind::PageFooter => {
            text.content_layer = ContentLayer::Furniture;
            "page_footer"
        }
    };
    text.label = label.to_owned();
}

/// `2.`, `(b)`, `iv)`; not `•` and not the letter `o`, which is a bullet too.
fn is_number(marker: &str) -> bool {
    marker.chars().any(char::is_numeric) || (marker.len() > 1 && marker.chars().any(char::is_alphanumeric))
}
