//! Documents created and converted, as an MCP server.
//!
//! The tools are thin: they turn arguments into an article (`source`), choose its style (`looks`), and let
//! `capability-typeset` lay it out. This server adds reading other formats, LibreOffice on request, and refs.

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

pub use options::MediaTransformOptions;
pub use tools::capability;
