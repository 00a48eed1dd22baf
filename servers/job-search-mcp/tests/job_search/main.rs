//! The server, started as a program and driven over stdin and stdout by the SDK's client.

mod adverts;
mod drive;
mod faults;
mod others;
