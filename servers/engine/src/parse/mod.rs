//! Documents as DocIR: a file is read by the libraries of the capability servers, and what they find becomes items with places.
//!
//! `reading.rs` opens a file, `scans.rs` reads pages that are pictures, `writing.rs` makes the DocIR, and `drawing.rs` draws pages. All of
//! it runs in a worker process, which has limits of time and memory.

// A file becomes pages of blocks.
mod ocr_text;
mod reading;
mod scans;

// Pages of blocks become a DocIR.
mod captions;
mod cells;
mod entries;
mod lines;
mod naming;
mod writing;

// Both ends.
mod drawing;
mod parsed;
#[cfg(test)]
mod tests;

use engine_protocol::{EngineFault, Parse};

pub(crate) use drawing::picture;
use parsed::ParsedBytes;
pub(crate) use parsed::{PARSER, ParseTools};

/// Parses a document with the effort that its request asks for.
pub(crate) fn parse(bytes: &[u8], request: &Parse, tools: &ParseTools) -> Result<ParsedBytes, EngineFault> {
    let read = reading::read(bytes, request, tools)?;
    Ok(writing::write(read, request))
}
