#![doc = include_str!("../README.md")]

mod batch;
mod cache;
mod citing;
mod content;
mod documents;
mod engine;
mod reading;
mod refusal;
mod tools;

pub use citing::{CitationOutput, CitationQuad, CitationQuote};
pub use content::{content_id, digest_of};
pub use documents::{Documents, DocumentsSetup};
pub use engine::DocumentEngine;
pub use toolgate_store::ParsedDocument;
pub use tools::domain;
