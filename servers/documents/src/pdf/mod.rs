//! PDF: the drawing of a page becomes glyphs and lines, these become words, columns, blocks and tables.
//!
//! [`content`] is the content of a page, without interpretation; [`words`] and [`order`] interpret it for
//! reading; [`blocks`] adds structure; [`render`] turns a page into pixels for OCR. Interpreting the file
//! itself is left to the hayro crates.

mod bidi;
mod blocks;
mod content;
mod device;
mod draft;
mod facts;
mod file;
mod fonts;
mod furniture;
mod gutters;
mod joins;
mod letters;
mod lines;
mod markers;
mod order;
mod paths;
mod pictures;
mod placed_text;
mod places;
mod read;
mod render;
mod repeats;
mod survey;
mod tables;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use placed_text::clip;
pub use places::{PlacedPage, PlacedWord, placed_words};
pub use read::read;
pub use render::{RenderedPage, page_size, render};
