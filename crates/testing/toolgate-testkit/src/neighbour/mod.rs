//! A server that misbehaves on request: flags (start, listing) and the name of the called tool select the
//! way. Written by hand on blocking sockets and pipes, because an SDK would not let it lie.
//!
//! It is also a server whose every byte is known: definitions and results can come verbatim from files, and
//! some tools return exactly what they received.
//!
//! Not here: servers that behave (see `conformance`), and anything that knows about Toolgate.

mod brain;
mod http;
mod misdeed;
mod settings;
mod stdio;

pub use http::serve as serve_http;
pub use settings::{Era, List, Settings, Start};
pub use stdio::serve as serve_stdio;
