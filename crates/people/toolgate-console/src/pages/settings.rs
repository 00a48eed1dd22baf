//! Settings: values that can be changed while the gateway runs, and the configuration. Nothing here can start
//! a command.

mod aliases;
mod credentials;
mod kept;
mod mail;
mod me;
mod published;
mod quotas;
mod receivers;
mod secrets;
mod server_list;
mod servers;
mod tabs;
mod tokens;
mod tool_changes;
mod value;

use axum::Router;
use axum::response::Redirect;
use axum::routing::{get, post};

use crate::PageContext;
use tabs::{CREDENTIALS, TOKENS, WEBHOOKS};

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/settings", get(servers::show).post(servers::change))
        .route("/console/settings/registry", get(published::show).post(published::add))
        .route(TOKENS, get(tokens::show).post(tokens::create))
        .route(
            "/console/settings/tokens/{id}/revoke",
            post(tokens::revoke).get(async || Redirect::to(TOKENS)),
        )
        .route(WEBHOOKS, get(receivers::show))
        .route(
            "/console/settings/webhooks/{name}/test",
            post(receivers::test).get(async || Redirect::to(WEBHOOKS)),
        )
        .route("/console/settings/mail/test", post(receivers::test_mail).get(async || Redirect::to(WEBHOOKS)))
        .route("/console/settings/retention", get(kept::show))
        .route("/console/settings/quotas", get(quotas::show))
        .route("/console/settings/aliases", get(aliases::show).post(aliases::change))
        .route("/console/settings/tools", get(tool_changes::show).post(tool_changes::change))
        .route("/console/settings/secrets", get(secrets::show).post(secrets::change))
        .route(CREDENTIALS, get(credentials::show).post(credentials::remove))
        .route("/console/settings/me", get(me::show))
}
