//! Every route. `access.rs` has the roles; the document is generated from this file.

mod agents;
mod aliases;
mod answer;
mod approvals;
mod artifacts;
mod attachments;
mod batch;
mod before;
mod caller;
mod calls;
mod capabilities;
mod content;
mod cost;
mod definitions;
mod events;
mod explain;
mod export;
mod file_view;
mod files;
mod filters;
mod grants;
mod inbox;
mod inputs;
mod instances;
mod ledger;
mod ledger_filter;
mod outbound;
mod overview;
mod policy;
mod preview;
mod refs;
mod registry;
mod run_access;
mod run_events;
mod run_start;
mod run_view;
mod runs;
mod search;
mod seat;
mod secrets;
mod servers;
mod session_view;
mod sessions;
mod settings;
mod shadow;
mod signed;
mod tag;
mod tasks;
mod tokens;
mod tool_view;
mod tools;
mod typed_call;
mod uploads;
mod views;
mod webhooks;

use axum::Extension;
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use toolgate_core::codes;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::Problem;
use crate::{ApiContext, access, document};
use answer::whole;

pub(crate) fn router(context: ApiContext) -> axum::Router {
    let (router, mut api) = described().split_for_parts();
    document::complete(&mut api);
    let document = Bytes::from(document::text(&api, &context.platform));
    router
        .route_layer(axum::middleware::from_fn(access::check))
        .layer(Extension(OpenApiDocument(document)))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_allowed)
        .with_state(context)
}

/// The document as it is served.
pub(crate) fn api_document() -> utoipa::openapi::OpenApi {
    let (_, mut api) = described().split_for_parts();
    document::complete(&mut api);
    api
}

fn described() -> OpenApiRouter<ApiContext> {
    OpenApiRouter::with_openapi(document::start())
        .routes(routes!(openapi))
        .routes(routes!(tools::call))
        .routes(routes!(tools::list))
        .routes(routes!(search::search))
        .routes(routes!(cost::of_tools))
        .routes(routes!(preview::of_tools))
        .routes(routes!(tools::show, typed_call::call))
        .routes(routes!(aliases::list))
        .routes(routes!(agents::list))
        .routes(routes!(agents::show, agents::put, agents::remove))
        .routes(routes!(agents::versions))
        .routes(routes!(capabilities::list))
        .routes(routes!(capabilities::show, capabilities::put, capabilities::remove))
        .routes(routes!(sessions::list, sessions::open))
        .routes(routes!(sessions::show, sessions::change, sessions::close))
        .routes(routes!(explain::explain))
        .routes(routes!(cost::of_session))
        .routes(routes!(preview::of_session))
        .routes(routes!(tasks::list, tasks::create))
        .routes(routes!(tasks::show, tasks::put, tasks::remove))
        .routes(routes!(runs::list, run_start::create))
        .routes(routes!(runs::show))
        .routes(routes!(runs::pause))
        .routes(routes!(runs::resume))
        .routes(routes!(runs::cancel))
        .routes(routes!(runs::children))
        .routes(routes!(runs::calls))
        .routes(routes!(run_events::follow))
        .routes(routes!(batch::call))
        .routes(routes!(inputs::list))
        .routes(routes!(inputs::show))
        .routes(routes!(inputs::answer))
        .routes(routes!(inbox::inbox))
        .routes(routes!(files::list, files::upload))
        .routes(routes!(files::show, files::delete))
        .routes(routes!(files::content))
        .routes(routes!(refs::show))
        .routes(routes!(refs::content))
        .routes(routes!(artifacts::list))
        .routes(routes!(artifacts::show))
        .routes(routes!(artifacts::content))
        .routes(routes!(artifacts::link))
        .routes(routes!(uploads::put, uploads::post))
        .routes(routes!(signed::get))
        .routes(routes!(servers::list))
        .routes(routes!(servers::show, servers::forget))
        .routes(routes!(instances::register))
        .routes(routes!(instances::heartbeat))
        .routes(routes!(instances::leave))
        .routes(routes!(settings::list))
        .routes(routes!(settings::show, settings::change))
        .routes(routes!(registry::list))
        .routes(routes!(registry::show))
        .routes(routes!(registry::diff))
        .routes(routes!(registry::versions))
        .routes(routes!(registry::compare))
        .routes(routes!(registry::review))
        .routes(routes!(secrets::list))
        .routes(routes!(secrets::store, secrets::remove))
        .routes(routes!(secrets::allow))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::show))
        .routes(routes!(approvals::decide))
        .routes(routes!(attachments::content))
        .routes(routes!(grants::list))
        .routes(routes!(grants::revoke))
        .routes(routes!(overview::show))
        .routes(routes!(calls::list))
        .routes(routes!(ledger::list))
        .routes(routes!(export::export))
        .routes(routes!(ledger::verify))
        .routes(routes!(ledger::body))
        .routes(routes!(ledger::call))
        .routes(routes!(webhooks::decide))
        .routes(routes!(outbound::list))
        .routes(routes!(outbound::test))
        .routes(routes!(outbound::retention))
        .routes(routes!(policy::show))
        .routes(routes!(policy::table))
        .routes(routes!(policy::explain))
        .routes(routes!(shadow::list))
        .routes(routes!(filters::list))
        .routes(routes!(filters::test))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(events::follow))
}

#[derive(Clone)]
struct OpenApiDocument(Bytes);

/// This document
#[utoipa::path(get, path = "/openapi.json", tag = "api", responses((status = 200, description = "OpenAPI 3.1", body = Object)))]
async fn openapi(document: Extension<OpenApiDocument>) -> Response {
    whole(StatusCode::OK, document.0.0)
}

async fn nothing_here() -> Box<Problem> {
    Problem::not_found("there is nothing here").hint("/openapi.json lists the routes")
}

async fn not_allowed() -> Box<Problem> {
    Problem::new(&codes::METHOD_NOT_ALLOWED, "this path does not allow this method")
}
