//! The server as a program, driven over stdin and stdout by the SDK's client.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod creative;
mod drive;
mod faults;
mod headlines;
mod lists;
mod llm;
mod made;
mod texts;
