//! The promises of manifests, through the store: each story runs on SQLite and on Postgres.

mod browsing;
mod collection;
mod damage;
mod domains;
mod histories;
mod properties;
mod snapshots;
mod world;
