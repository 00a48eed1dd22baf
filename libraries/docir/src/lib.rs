#![doc = include_str!("../README.md")]

mod bad;
mod build;
mod check;
mod citation;
mod items;
mod model;
mod normal;
mod pointer;
mod quads;
mod read;
mod table_text;
mod tree;

pub use bad::BadDocIr;
pub use build::{DocIrBuilder, DocumentNotes, NewCell, NewLine, NewTable, NewText, NewWord, TextKind};
pub use check::{CitationStanding, QUOTE_LETTERS_MIN, check, count_places, quote_letters};
pub use citation::{Citation, Quote, cite};
pub use items::{BodyItem, ItemKind};
pub use model::{DOCIR_MEDIA_TYPE, DOCLING_VERSION, DocCell, DocIr, DocOrigin, DocTable, PageBox};
pub use quads::Quad;
