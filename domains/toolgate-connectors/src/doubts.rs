//! Doubts: writes of connectors whose answer was lost. Nothing sends them again; a person says whether they happened.

mod doubt;
mod following;
mod worker;

pub(crate) use doubt::LostCall;
pub(crate) use worker::{DOUBT_KIND, DoubtWorker};

pub use following::follow;
