//! The promises of automations: each story runs on SQLite and on Postgres.

mod chains;
mod changes;
mod clocks;
mod failures;
mod overlaps;
mod starts;
mod webhooks;
mod world;
