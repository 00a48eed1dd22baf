//! The real program, driven over stdin and stdout by an SDK client.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod convert;
mod drive;
mod faults;
mod generate;
mod lists;
