//! Every format: requests byte by byte, streams event by event, and what goes wrong.

mod chat;
mod cuts;
mod faults;
mod gemini;
mod history;
mod kit;
mod limits;
mod messages;
mod ollama;
mod responses;
mod schema;
