//! The common form of every format: pages of blocks in reading order, with facts about the whole.

use serde::{Deserialize, Serialize};

use crate::kind::DocumentKind;

/// A document that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    pub kind: DocumentKind,
    pub facts: DocumentFacts,
    /// The number of pages, of which `pages` may have only the requested ones.
    pub page_count: usize,
    /// Formats without pages have one; sheets and slides are pages.
    pub pages: Vec<Page>,
    /// Warnings about omitted or odd parts, in sentences.
    pub warnings: Vec<String>,
}

/// The metadata of a document.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DocumentFacts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// As in the document, in RFC 3339 if it can be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
    /// True if it is encrypted, though readable without a password or with the given one.
    pub encrypted: bool,
}

/// A page, slide, sheet or chapter, or the whole document if its format has none of these.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    /// From 1.
    pub number: u32,
    pub source: PageSource,
    pub blocks: Vec<Block>,
    /// Lines with their positions, in reading order. Empty for formats without a layout.
    pub lines: Vec<PageLine>,
    /// The places of `blocks`, one for each. Empty for formats without a layout.
    pub places: Vec<BlockPlace>,
    /// Headers and footers, which are not among the blocks.
    pub furniture: Vec<FurnitureBlock>,
    /// Pictures that are large enough to be more than decoration. One that covers nearly all of the page is first.
    pub pictures: Vec<Bounds>,
    /// Points; zero where a page has no size.
    pub width: f32,
    pub height: f32,
}

/// The source of a page's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageSource {
    #[default]
    Text,
    /// Read by OCR.
    Ocr,
    /// The page has content but no text of its own: a scan.
    Picture,
    Empty,
}

/// A piece of a page.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Levels 1 to 6.
    Heading {
        level: u8,
        text: String,
    },
    Paragraph(String),
    /// `depth` from 0; `marker` as in the document, such as `•` or `2.`.
    Item {
        depth: u8,
        marker: String,
        text: String,
    },
    Table(Table),
    /// Preformatted text, kept line by line.
    Code(String),
}

/// Rows and columns. Every row has as many cells as the widest; a cell that spans others is followed by empty ones.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Table {
    /// From 1.
    pub page: u32,
    /// Its position on the page, if the format has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    pub rows: Vec<Vec<String>>,
    /// The number of heading rows at the top.
    pub header_rows: usize,
    /// 0 to 1: 1 if the format itself declares it as a table.
    pub confidence: f32,
    /// Cells that cover more than one row or column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<CellSpan>,
    /// The places of the words in cells. Empty for formats without a layout.
    #[serde(skip)]
    pub places: Vec<CellPlace>,
}

/// A cell that covers others to its right and below, which are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CellSpan {
    /// Its own place, from 0.
    pub row: usize,
    pub column: usize,
    /// The rows and columns that it covers, its own included.
    pub rows: usize,
    pub columns: usize,
}

/// The place of a cell's text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CellPlace {
    /// From 0.
    pub row: usize,
    pub column: usize,
    pub lines: Vec<PlacedLine>,
}

/// Points from the top left corner of the page.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bounds {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// A line of text with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct PageLine {
    pub text: String,
    pub bounds: Bounds,
    /// Size of most of its letters, in points.
    pub size: f32,
    pub bold: bool,
}

/// The place of a block on its page. That of a table is empty: its cells have places.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BlockPlace {
    pub lines: Vec<PlacedLine>,
}

/// A line of a block. Text that does not go to the right has a line for each word.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlacedLine {
    pub bounds: Bounds,
    /// Characters (Unicode code points) of the block's text: from, to.
    pub start: usize,
    pub end: usize,
    /// In the order of the text.
    pub words: Vec<PlacedSpan>,
}

/// A word of a line, in characters of the block's text and in points of the page.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlacedSpan {
    pub start: usize,
    pub end: usize,
    pub left: f32,
    pub right: f32,
}

/// A header or footer: text that many pages have at the same place.
#[derive(Clone, PartialEq, Debug)]
pub struct FurnitureBlock {
    pub edge: FurnitureEdge,
    pub text: String,
    pub place: BlockPlace,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FurnitureEdge {
    Header,
    Footer,
}
