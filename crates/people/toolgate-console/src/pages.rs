//! Every page: those without a login, those with one, and the modules of each section.

mod agents;
mod automations;
mod calls;
mod catalogue;
mod citations;
mod claims;
mod connectors;
mod contents;
mod counted;
mod figures;
mod filters;
mod grants;
mod inbox;
mod knowledge;
mod ledger;
mod live;
mod manifests;
mod metrics;
mod models;
mod overview;
mod pointers;
mod policy;
mod preview;
mod reviews;
mod runs;
mod schemas;
mod search;
mod servers;
mod sessions;
mod settings;
mod task_names;
mod tasks;
mod tools;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::ports::PROVIDER_RETURN;
use crate::problem::ApiProblem;
use crate::{PageContext, admission, assets, compression, docs, entrance, headers, provider};

pub(crate) fn router(context: PageContext) -> Router {
    let open = Router::new()
        .route("/console/login", get(entrance::login_page).post(entrance::log_in))
        .route("/console/provider", get(provider::go))
        .route(PROVIDER_RETURN, get(provider::come_back))
        .route("/console/enter/{link}", get(entrance::link_page).post(entrance::enter_by_link))
        .route("/console/assets/{hash}/{name}", get(assets::show))
        .route("/", post(not_mcp))
        .route("/favicon.ico", get(async || Redirect::permanent(assets::address("icon.svg"))))
        .merge(docs::routes());
    rooms()
        .fallback(nothing_here)
        .layer(from_fn_with_state(context.clone(), admission::admit))
        .merge(open)
        .layer(from_fn(headers::guard))
        .layer(from_fn(compression::compress))
        .with_state(context)
}

/// For logged-in users. The API decides what they may see.
fn rooms() -> Router<PageContext> {
    Router::new()
        .route("/console", get(async || Redirect::permanent("/")))
        .route("/console/logout", post(entrance::log_out))
        .route("/console/logout/everywhere", post(entrance::log_out_everywhere))
        .merge(overview::routes())
        .merge(search::routes())
        .merge(metrics::routes())
        .merge(live::routes())
        .merge(inbox::routes())
        .merge(grants::routes())
        .merge(calls::routes())
        .merge(ledger::routes())
        .merge(contents::routes())
        .merge(citations::routes())
        .merge(claims::routes())
        .merge(pointers::routes())
        .merge(manifests::routes())
        .merge(schemas::routes())
        .merge(knowledge::routes())
        .merge(runs::routes())
        .merge(tasks::routes())
        .merge(automations::routes())
        .merge(models::routes())
        .merge(servers::routes())
        .merge(connectors::routes())
        .merge(tools::routes())
        .merge(reviews::routes())
        .merge(agents::routes())
        .merge(sessions::routes())
        .merge(policy::routes())
        .merge(settings::routes())
}

/// A client of MCP that was given the address of the pages.
async fn not_mcp() -> Response {
    let told = r#"{"type":"about:blank","title":"Not Found","status":404,"code":"not_found","fault":"caller","retry":false,"detail":"there is nothing here","hint":"the MCP endpoint is /mcp, or /mcp/{agent}"}"#;
    (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "application/problem+json")], told).into_response()
}

async fn nothing_here() -> Box<ApiProblem> {
    ApiProblem::not_found("this page does not exist").hint("use the menu or the search")
}
