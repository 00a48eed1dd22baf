//! Servers of both eras and both kinds of transport, well behaved and not, behind the `Servers` port.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod anew;
mod api;
mod asking;
mod callers;
mod child;
mod fleet;
mod http;
mod inserts;
mod keys;
mod kit;
mod limits;
mod neighbour;
mod older_http;
mod reaping;
mod source;
mod web;
