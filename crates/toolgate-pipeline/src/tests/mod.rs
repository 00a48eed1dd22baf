//! The path of a call, with everything around it in memory.

mod approvals;
mod kit;
mod path;
