//! Policy: the rules for calls, shown four ways, and written.

mod advice;
mod care;
mod draft;
mod explain;
mod explained;
mod in_force;
mod shadow;
mod table;
mod tabs;
mod tried;
mod versions;
mod write;

use axum::Router;
use axum::routing::get;

use crate::PageContext;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/policy", get(in_force::show))
        .route("/console/policy/write", get(write::show).post(write::answer))
        .route("/console/policy/table", get(table::show))
        .route("/console/policy/explain", get(explain::show).post(explain::answer))
        .route("/console/policy/shadow", get(shadow::show))
}
