//! A document as passages: whole sentences under their headings, tables whole or by whole rows, each with its exact places in the
//! DocIR.
//!
//! An item becomes pieces that are never cut (`pieces.rs`), the items of a section become runs of pieces (`sections.rs`), runs are
//! packed into passages (`pack.rs`), and a passage is written with its places (`write.rs`). The same document and the same rule
//! always make the same passages.

mod count;
mod pack;
mod pieces;
mod sections;
#[cfg(test)]
mod tests;
mod write;

use docir::{BodyItem, DocIr, DocTable};
use engine_protocol::{Chunking, EngineFault, ItemSpan};
use serde::{Deserialize, Serialize};

use crate::fault::too_large;
use sections::SectionRule;

/// Passages of one document.
const CHUNKS_MAX: usize = 200_000;
/// Rows of a table that each passage of it repeats.
const HEADING_ROWS_MAX: usize = 4;

/// One passage of a document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Chunk {
    pub(crate) text: String,
    /// Of the document; may be empty.
    pub(crate) title: String,
    /// The outermost first.
    pub(crate) headings: Vec<String>,
    /// In reading order. Between two places the text has a line break.
    pub(crate) places: Vec<ChunkPlace>,
    /// Of its first place.
    pub(crate) page: Option<u32>,
}

/// A part of an item that stands in the text of a passage, letter by letter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ChunkPlace {
    pub(crate) span: ItemSpan,
    /// The beginning of the span in the text of the passage, in code points.
    pub(crate) at: usize,
}

impl Chunk {
    /// The text of which the passage's vector is made: its title and headings say what a passage alone may not.
    pub(crate) fn embedded_text(&self) -> String {
        let above = self.headings.iter().map(String::as_str);
        let above = std::iter::once(self.title.as_str()).chain(above);
        let mut lines: Vec<&str> = Vec::new();
        for line in above.map(str::trim).filter(|line| !line.is_empty()) {
            if !lines.contains(&line) && !self.text.starts_with(line) {
                lines.push(line);
            }
        }
        lines.push(&self.text);
        lines.join("\n")
    }
}

/// The passages of a document, in reading order.
pub(crate) fn chunks(document: &DocIr, chunking: &Chunking) -> Result<Vec<Chunk>, EngineFault> {
    let heading_rows = document.tables().map(|(pointer, table)| (pointer, heading_rows(table))).collect();
    let rule = SectionRule { words_max: chunking.words_max as usize, heading_rows };
    chunks_of(document.title().unwrap_or_default(), &document.items(), &rule, chunking)
}

/// The rows above the first cell of data. A table always has one: the first row says more about the others than nothing does.
fn heading_rows(table: &DocTable) -> usize {
    let data = table.cells().iter().filter(|cell| !cell.column_header && !cell.text.trim().is_empty());
    let first = data.map(|cell| cell.start_row_offset_idx).min();
    first.unwrap_or_default().clamp(1, HEADING_ROWS_MAX)
}

fn chunks_of(
    title: &str,
    items: &[BodyItem<'_>],
    rule: &SectionRule,
    chunking: &Chunking,
) -> Result<Vec<Chunk>, EngineFault> {
    let mut chunks = Vec::new();
    for section in sections::sections(items, rule) {
        for plan in pack::passages(section.runs, chunking) {
            if chunks.len() == CHUNKS_MAX {
                let message = format!("the document has more than {CHUNKS_MAX} passages");
                return Err(too_large(message, "split the document"));
            }
            chunks.push(write::chunk(title, &section.headings, &plan, items));
        }
    }
    Ok(chunks)
}
