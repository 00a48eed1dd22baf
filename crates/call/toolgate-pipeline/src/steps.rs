//! The steps. Each takes what the one before made and makes what only it can make.

pub(crate) mod approve;
pub(crate) mod attach;
pub(crate) mod decide;
pub(crate) mod execute;
pub(crate) mod filter;
mod heard;
pub(crate) mod record;
mod unseen;
pub(crate) mod validate;
