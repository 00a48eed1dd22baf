//! Text and facts of pictures, as an MCP server.

mod arguments;
mod colours;
mod describe;
mod extract;
mod tools;
mod trouble;

pub use tools::{ImageOcrOptions, capability};
