#![doc = include_str!("../README.md")]

mod address;
mod header;
mod lines;

pub use address::{BadMailAddress, MailAddress};
pub use header::{list, parameter, unstructured};
pub use lines::dotted;
