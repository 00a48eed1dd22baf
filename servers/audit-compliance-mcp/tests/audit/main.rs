//! The server, started as a program and driven over stdin and stdout by the SDK's client.
#![expect(clippy::disallowed_methods, reason = "a test reads settings as it likes")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod drive;
mod faults;
mod lists;
mod made;
mod redaction;
mod standards;
mod texts;
