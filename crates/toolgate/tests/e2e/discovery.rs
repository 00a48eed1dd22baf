//! The tools that agents see and find, from outside: definitions, sessions, lists, search.

mod addresses;
mod agents;
mod alike;
mod beyond;
mod bytes;
mod ears;
mod endings;
mod guessing;
mod hidden;
mod marks;
mod mounts;
mod over;
mod queries;
mod revealed;
mod rounds;
mod sessions;
mod stage;
mod through;
mod within;
mod wrong;
