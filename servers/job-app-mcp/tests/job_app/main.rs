//! The server, started as a program and driven over stdin and stdout by the SDK's client, on SQLite and on Postgres.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod applying;
mod crashes;
mod drive;
mod faults;
mod seeding;
