//! The promises of documents, with an engine that does as it is told: each story runs on SQLite and on Postgres.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks as it likes")]

mod batches;
mod parsing;
mod world;
