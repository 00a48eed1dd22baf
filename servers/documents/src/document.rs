//! What every format becomes: pages of blocks in reading order, with what is known of the whole.

use serde::{Deserialize, Serialize};

use crate::kind::Kind;

/// A document that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    pub kind: Kind,
    pub facts: Facts,
    /// How many pages there are, of which `pages` may hold only those that were asked for.
    pub page_count: usize,
    /// Formats without pages have one; sheets and slides are pages.
    pub pages: Vec<Page>,
    /// What was left out or looked odd, in sentences.
    pub warnings: Vec<String>,
}

/// What a document says of itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Facts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// As the document writes it, in RFC 3339 where it can be understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
    /// Whether it is encrypted, though readable without a password or with the one that was given.
    pub encrypted: bool,
}

/// A page, a slide, a sheet, a chapter, or all of a document that has none of these.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    /// From 1.
    pub number: u32,
    pub source: PageSource,
    pub blocks: Vec<Block>,
    /// Lines with their places, in reading order. Formats that are not laid out have none.
    pub lines: Vec<Line>,
    /// Points; zero where a page has no size.
    pub width: f32,
    pub height: f32,
}

/// Where the words of a page come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageSource {
    #[default]
    Text,
    /// Read from a picture of the page.
    Ocr,
    /// The page shows something but has no text of its own: a scan.
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
    /// `depth` from 0; `marker` as it stands in the document, such as `•` or `2.`.
    Item {
        depth: u8,
        marker: String,
        text: String,
    },
    Table(Table),
    /// Kept as it is, line by line.
    Code(String),
}

/// Rows and columns. Every row has as many cells as the widest; a cell that spans others is followed by empty ones.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Table {
    /// From 1.
    pub page: u32,
    /// Where it is on the page, if the format says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    pub rows: Vec<Vec<String>>,
    /// How many rows at the top are headings.
    pub header_rows: usize,
    /// 0 to 1: 1 where the format itself says that it is a table.
    pub confidence: f32,
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
pub struct Line {
    pub text: String,
    pub bounds: Bounds,
    /// Size of most of its letters, in points.
    pub size: f32,
    pub bold: bool,
}
