//! Policy: the rules for calls, shown four ways.

mod care;
mod explain;
mod explained;
mod in_force;
mod shadow;
mod table;
mod tabs;

use axum::Router;
use axum::routing::get;

use crate::PageContext;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/policy", get(in_force::show))
        .route("/console/policy/table", get(table::show))
        .route("/console/policy/explain", get(explain::show).post(explain::answer))
        .route("/console/policy/shadow", get(shadow::show))
}
