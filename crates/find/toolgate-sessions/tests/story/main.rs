//! The promises of sessions, tested on real databases. Each story runs twice: on SQLite and on Postgres.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

mod defaults;
mod ending;
mod gateway;
mod opening;
mod replicas;
mod versions;
mod world;
