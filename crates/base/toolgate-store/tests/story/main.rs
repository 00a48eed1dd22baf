//! What the store promises, told on real folders and databases. Each story is told twice: on SQLite and on Postgres.

mod approvals;
mod desk;
mod faults;
mod files;
mod folders;
mod gateways;
mod grants;
mod interleavings;
mod ledger;
mod logins;
mod races;
mod registry;
mod runs;
mod servers;
mod sessions;
mod tokens;
mod trace;
mod world;
