//! Documents made and converted, as an MCP server.
//!
//! The tools are thin: they turn arguments into an article (`source`), choose its looks (`looks`), and let
//! `capability-typeset` set it. What this server adds is reading other formats, LibreOffice where it is wanted, and refs.

mod answer;
mod carried;
mod convert;
mod format;
mod generate;
mod libreoffice;
mod looks;
mod options;
mod refusal;
mod source;
mod tools;

pub use options::Options;
pub use tools::capability;
