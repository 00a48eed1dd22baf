//! Tools: the list, the search with the agents' ranking, and one tool read, tried or reviewed.

mod call;
mod data;
mod detail;
mod handling;
mod list;
mod outcome;
mod own;
mod schema_doc;
mod search;
mod trial;
mod upload;

use axum::Router;
use axum::routing::get;

use crate::PageContext;
pub(in crate::pages) use call::{EnvelopeData, call_own};
pub(in crate::pages) use outcome::of_call;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/tools", get(list::show))
        .route("/console/tools/{name}", get(detail::show))
        .route("/console/tools/{name}/try", get(trial::show).post(trial::run))
}
