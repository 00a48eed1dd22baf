//! The work for a request. A request comes in that [`dispatch`](crate::protocol::dispatch) has matched by its method; it goes through
//! the pipeline and, if it has to, on to a server. What is said to the client goes out, in the words of MCP and of no era.

// Tools.
pub(crate) mod find;
pub(crate) mod futile;

pub(crate) mod tool_call;

pub(crate) mod errand;
pub(crate) mod in_runs;
pub(crate) mod own;
pub(crate) mod repeat;
pub(crate) mod requester;

pub(crate) mod jobs;

// The tools by which others are found and called.
pub(crate) mod described;
pub(crate) mod lookup;
pub(crate) mod through;

// Everything else that servers have.
pub(crate) mod completion;
pub(crate) mod prompts;
pub(crate) mod resources;
pub(crate) mod tasks;

pub(crate) mod deed;
pub(crate) mod links;

// The way to a server.
pub(crate) mod forward;
pub(crate) mod masked;

// Answers from the gateway's own data.
pub(crate) mod lists;
pub(crate) mod logging;

// Suppliers for files and refs.
pub(crate) mod suppliers;
