//! True redaction: what is redacted is not in the result, neither as text nor as pixels, metadata, hidden
//! layers, comments, attachments or earlier versions.
//!
//! Pages with something to redact become pictures with black boxes, and their other words an invisible text
//! layer. So do pages with anything that can hide text: layers, annotations, forms, invisible or unreadable
//! text. Other pages stay as they are. The file is written anew with pages alone, and then read to verify it.
//!
//! Markup is searched as people see it: tags and references between letters hide nothing. Pictures are read by OCR,
//! where this machine has it; where something was not searched, the result says so.

mod eyes;
mod html;
mod ink;
mod markdown;
mod order;
mod pages;
mod pdf;
mod picture;
mod plain;
mod search;
mod seen;
mod sight;
mod verify;

pub use eyes::PictureEyes;
pub use order::{Redacted, RedactedBox, RedactionError, RedactionOrder};
pub use pdf::pdf;
pub use plain::{MarkupKind, markup, text};

#[cfg(test)]
mod tests;
