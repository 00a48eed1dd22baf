//! The server, started as a program and driven over stdin and stdout by the SDK's client.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod drive;
mod faults;
mod info;
mod lists;
mod made;
mod scans;
mod tables;
mod text;
