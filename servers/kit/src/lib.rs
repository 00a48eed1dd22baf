//! The shared parts of every capability server, so that a new one is a file of tools and a `main` of ten
//! lines.
//!
//! A server describes itself as a [`Capability`]: a name and [`Tool`]s, each a plain function from arguments
//! to an answer. [`run`] does the rest: it serves MCP on stdin and stdout or over HTTP, runs the functions in
//! worker processes with limits of time and memory, stores big results as refs, and registers with a gateway.
//! The README has the checklist.

mod capability;
mod cli;
pub mod environment;
mod home;
mod input;
mod lease;
mod metrics;
mod outgoing;
mod refs;
mod run;
mod run_error;
mod schema;
mod serve;
mod settings;
mod tool;
mod trouble;
mod work;
mod worker;

pub use capability::Capability;
pub use input::{FileInput, LoadedFile};
pub use outgoing::{Outgoing, OutgoingAnswer, OutgoingError};
pub use refs::{RefId, RefStore, StoredResult};
pub use run::{NoOptions, run};
pub use tool::{Effect, FileStrategy, Tool};
pub use trouble::{Trouble, TroubleCode};
pub use work::{Progress, TextOut, Work};
