//! The sample server (`examples/sample_server`), started as a program and driven by the SDK's client: over stdin and
//! stdout and over HTTP, in both eras of the protocol.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod command_line;
mod drive;
mod endings;
mod faults;
mod gateway;
mod http;
mod limits;
mod lists;
mod refs;
mod resident;
