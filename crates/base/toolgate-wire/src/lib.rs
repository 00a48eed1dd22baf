#![doc = include_str!("../README.md")]

pub mod compose;
pub mod header;
pub mod line;
pub mod message;
pub mod meta;
pub mod object;
pub mod param_header;
pub mod scan;
pub mod sse;
pub mod version;

pub use message::{IncomingMessage, MalformedMessage, Notification, Request, Response, parse};
pub use object::ObjectMembers;
pub use version::ProtocolVersion;
