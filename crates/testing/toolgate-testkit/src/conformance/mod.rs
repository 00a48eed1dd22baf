//! A conforming MCP server, written on rmcp, with everything that the official conformance suite asks for by
//! name, in both protocol eras. Every tool that asks its client for something works in both: as a real
//! request on the open call in the initialize era, as `input_required` in the stateless one. That makes it
//! the far end for all four combinations of client era and server era.
//!
//! `documents` is another set of tools for the same server, which take and make files; `counters` is a third one, which keeps a state
//! for each caller.
//!
//! `client` is its counterpart: a client that answers every question.
//!
//! Not here: servers that misbehave, and anything else that knows about Toolgate.

pub mod client;
mod serve;
mod server;

mod ask;
mod calls;
mod catalogue;
mod changes;
mod counters;
mod documents;
mod jobs;
mod pages;
mod prompts;
mod reconnect;
mod resources;
mod settings;
mod state;

pub use serve::{HttpServer, serve_stdio};
pub use settings::{Era, Settings, ToolSet};
