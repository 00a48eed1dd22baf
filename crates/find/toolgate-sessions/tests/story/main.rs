//! What sessions promise, told on real databases. Each story is told twice: on SQLite and on Postgres.

mod defaults;
mod ending;
mod gateway;
mod opening;
mod replicas;
mod versions;
mod world;
