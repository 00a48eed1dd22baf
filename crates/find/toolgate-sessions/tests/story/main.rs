//! The promises of sessions, tested on real databases. Each story runs twice: on SQLite and on Postgres.

mod defaults;
mod ending;
mod gateway;
mod opening;
mod replicas;
mod versions;
mod world;
