//! The promises of the store, tested on real folders and databases. Each story runs twice: on SQLite and on
//! Postgres.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

mod agent_loop;
mod approvals;
mod automations;
mod claims;
mod collection;
mod credentials;
mod desk;
mod documents;
mod faults;
mod files;
mod folders;
mod gateways;
mod grants;
mod interleavings;
mod ledger;
mod logins;
mod looking;
mod manifests;
mod pointers;
mod races;
mod registry;
mod runs;
mod schemas;
mod servers;
mod sessions;
mod tokens;
mod trace;
mod transfer;
mod waves;
mod work;
mod world;
