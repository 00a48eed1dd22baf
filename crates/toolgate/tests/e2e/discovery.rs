//! What agents see and how they find it, from outside: definitions, sessions, lists, search.

mod addresses;
mod agents;
mod bytes;
mod ears;
mod endings;
mod guessing;
mod hidden;
mod marks;
mod mounts;
mod queries;
mod revealed;
mod sessions;
mod stage;
mod through;
mod wrong;
