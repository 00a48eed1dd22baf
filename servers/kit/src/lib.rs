//! The shared parts of every capability server, so that a new one is a file of tools and a `main` of ten
//! lines.
//!
//! A server describes itself as a [`Capability`]: a name and [`Tool`]s, each a plain function from arguments
//! to an answer. [`run`] does the rest: it serves MCP on stdin and stdout or over HTTP, runs the functions in
//! worker processes with limits of time and memory, stores big results as refs, and registers with a gateway.
//! The README has the checklist.

// The program.
mod cli;
pub mod environment;
mod run;
mod run_error;
mod settings;

// A server's definition.
mod capability;
mod connector;
mod digits;
mod resident;
mod schema;
mod secret;
mod tool;
mod trouble;

// A tool's input and resources.
mod input;
mod refs;
mod work;

// The server and its workers.
mod home;
mod metrics;
mod serve;
mod worker;
mod workers;

// Other programs.
mod download;
mod lease;
mod llm;
mod outgoing;

pub use capability::Capability;
pub use connector::{
    CallPreview, Connector, PageQuestion, PreviewQuestion, ShownRequest, StreamPage, StreamRecord,
};
pub use download::{DownloadError, DownloadPlan, download};
pub use input::{FileInput, LoadedFile};
pub use llm::{LlmEndpoint, LlmError, LlmQuestion};
pub use outgoing::{Outgoing, OutgoingAnswer, OutgoingError};
pub use refs::{RefId, RefStore, StoredResult};
pub use resident::{Attachment, Caller, Residence, ResidentAnswer, ResidentCall, ResidentFuture};
pub use run::{NoOptions, run};
pub use secret::Secret;
pub use tool::{Effect, FileStrategy, Tool};
pub use trouble::{Trouble, TroubleCode};
pub use work::{Progress, TextOut, Work};
pub use worker::pool::CallEnding;
pub use workers::{JobLimits, Workers, is_worker, work_as_worker};
