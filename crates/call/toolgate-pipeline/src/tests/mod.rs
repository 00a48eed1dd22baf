//! The path of a call, with everything around it in memory.

mod approvals;
mod care;
mod contents;
mod filters;
mod kit;
mod path;
mod words;
