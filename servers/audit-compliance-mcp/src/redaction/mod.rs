//! True redaction: what is redacted is not in the result, neither as text nor as pixels, metadata, hidden
//! layers, comments, attachments or earlier versions.
//!
//! Pages with something to redact become pictures with black boxes, and their other words an invisible text
//! layer. So do pages with anything that can hide text: layers, annotations, forms, invisible or unreadable
//! text. Other pages stay as they are. The file is written anew with pages alone, and then read to verify it.

mod order;
mod pages;
mod pdf;
mod picture;
mod plain;
mod search;
mod verify;

pub use order::{Redacted, RedactedBox, RedactionError, RedactionOrder};
pub use pdf::pdf;
pub use plain::text;
