//! The steps. Each takes the type that the step before made, and makes a type that only it can make.

pub(crate) mod approve;
pub(crate) mod attach;
pub(crate) mod clean;
pub(crate) mod decide;
mod end;
pub(crate) mod execute;
pub(crate) mod filter;
mod heard;
mod output;
mod preview;
pub(crate) mod record;
mod refusals;
mod unseen;
pub(crate) mod validate;
