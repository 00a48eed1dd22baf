//! Text, tables and facts out of documents: PDF, office formats, web pages, books. Pure functions from bytes
//! to a [`Document`]; no network, no files, no other process.
//!
//! Every format becomes the same thing: pages of blocks in reading order. Limits are enforced while reading,
//! so that a file of a few kilobytes that unpacks to gigabytes costs little; the caller limits time and
//! memory beyond that.

// A document, and how to open one.
mod document;
mod error;
mod kind;
mod limits;
mod open;
mod options;
mod pages;

// Formats.
mod docx;
mod epub;
mod html;
mod markdown;
mod odt;
pub mod pdf;
mod pptx;
mod text;
mod xlsx;

// Shared by formats.
mod archive;
mod grid;
mod language;
mod links;
mod numbering;
mod package;
mod render;
mod xml;

#[cfg(test)]
mod testing;

pub use document::{
    Block, BlockPlace, Bounds, CellPlace, CellSpan, Document, DocumentFacts, FurnitureBlock, FurnitureEdge,
    Page, PageLine, PageSource, PlacedLine, PlacedSpan, Table,
};
pub use docx::{WordAside, WordAsideKind, word_asides};
pub use error::DocumentError;
pub use kind::DocumentKind;
pub use language::{Language, language};
pub use limits::DocumentLimits;
pub use open::open;
pub use options::{OpenOptions, TableSearch};
pub use pages::{BadPageRange, PageRange};
pub use text::{DecodedText, decode};
