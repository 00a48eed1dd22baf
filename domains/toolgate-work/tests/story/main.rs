//! The promises of long work: each story runs on SQLite and on Postgres.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks as it likes")]

mod ends;
mod takeovers;
mod world;
