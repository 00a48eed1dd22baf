//! The server as a program, driven over stdin and stdout by the SDK's client.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod bad_input;
mod drive;
mod fake_llm;
mod llm;
mod tools;
