//! HTTP APIs as servers: an OpenAPI document becomes tools, and their calls arrive at the API as the document says.

mod answers;
mod arguments;
mod documents;
mod secrets;
mod stage;
