#![doc = include_str!("../README.md")]

mod address;
pub mod header;
mod lines;

pub use address::{BadMailAddress, MailAddress};
pub use lines::dotted;
