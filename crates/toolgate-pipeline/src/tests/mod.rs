//! The path of a call, with everything around it in memory.

mod approvals;
mod care;
mod kit;
mod path;
