//! PDF as it is written: objects, where they are in the file, and every liberty that its writer took.
//!
//! Readers repair what they can and say nothing. A check has to know what was repaired, so this reads files
//! itself; `capability-documents` draws pages and reads their text.

mod content;
mod file;
mod filters;
mod lexer;
mod objects;
mod value;
mod write;
mod xref;

pub(crate) use content::{Operation, operations};
pub(crate) use file::{PdfError, PdfFile};
pub(crate) use filters::decoded;
pub(crate) use objects::SyntaxFault;
pub(crate) use value::{Dict, PdfValue, Stream};
pub(crate) use write::write;

#[cfg(test)]
mod tests;
