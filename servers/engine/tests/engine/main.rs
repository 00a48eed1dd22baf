//! The engine, started as a program and driven by lines on stdin and stdout.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod drive;
mod endings;
mod indexes;
mod lines;
mod made;
mod parsing;
