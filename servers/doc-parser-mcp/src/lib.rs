//! Text, tables and facts of documents, as an MCP server.
//!
//! The reading itself is done by `capability-documents` and `capability-ocr`; here are the tools, their arguments and
//! answers, and the handing over of scanned pages from the one to the other.

mod arguments;
mod info;
mod reading;
mod scans;
mod tables;
mod text;
mod tools;
mod trouble;

pub use tools::{DocParserOptions, capability};
