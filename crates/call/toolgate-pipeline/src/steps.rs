//! The steps. Each takes the type that the step before made, and makes a type that only it can make.

pub(crate) mod approve;
pub(crate) mod attach;
pub(crate) mod decide;
pub(crate) mod execute;
pub(crate) mod filter;
mod heard;
pub(crate) mod record;
mod unseen;
pub(crate) mod validate;
