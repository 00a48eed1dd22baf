//! The real program, driven over stdin and stdout by an SDK client.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod convert;
mod drive;
mod faults;
mod generate;
mod lists;
