//! Connectors: their health, their last sync, the rate that is left, and what to do next.

mod data;

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::PageContext;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::{self, links, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{ConnectorData, ConnectorSyncData, ConnectorsData};

/// Problems of a sync that the page shows; its run has more.
const PROBLEMS_SHOWN_MAX: usize = 5;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/connectors", get(list))
        .route("/console/connectors/sync", post(sync))
        .route("/console/connectors/test", post(try_out))
}

async fn list(visit: PageVisit) -> PageResult<Response> {
    let ConnectorsData { connectors } = visit.get(PageAddress::of(["connectors"])).await?;
    let actions = html! { a.button href="/console/servers" { "Servers" } };
    let body = html! {
        (parts::heading(html! { "Connectors" }, actions))
        p { "Connectors are external services. Their actions are tools, and syncs import their records." }
        section #connectors data-live="run input server" aria-label="Connectors" {
            @if connectors.is_empty() { (none_yet()) } @else {
                @for connector in &connectors { (card(&visit, connector)) }
            }
        }
    };
    Ok(visit.page("Connectors", ConsolePage::Servers, body).await)
}

fn none_yet() -> Markup {
    parts::empty(
        "There are no connectors yet.",
        html! {
            p { "A server with a name such as " code { "connector.slack" } " is a connector. " a href="/docs/how-to/connectors" { "How to add one" } }
        },
    )
}

fn card(visit: &PageVisit, connector: &ConnectorData) -> Markup {
    html! {
        section.card data-entry=(connector.server) aria-label=(connector.name()) {
            h2 { (text::short(&connector.name())) " " (parts::state(&connector.health)) }
            @if let Some(step) = &connector.next_step {
                p.notice { span.strong { "Next: " } (text::cut(step, 600)) }
            }
            (parts::facts([
                ("Server", links::server(&connector.server)),
                ("Last sync", last_sync(visit, connector.last_sync.as_ref())),
                ("Rate left", rate(visit, connector)),
                ("Records", records(&connector.pointer)),
            ]))
            @if let Some(reason) = &connector.reason { p.soft { (text::cut(reason, 300)) } }
            (problems(connector.last_sync.as_ref()))
            (buttons(visit, connector))
        }
    }
}

/// The pointer that its records are under.
fn records(path: &str) -> Markup {
    match path.split_once(':') {
        Some((namespace, name)) => links::pointer(namespace, name),
        None => html! { code { (text::short(path)) } },
    }
}

fn last_sync(visit: &PageVisit, sync: Option<&ConnectorSyncData>) -> Markup {
    let Some(sync) = sync else { return html! { span.soft { "never" } } };
    html! {
        (parts::state(&sync.state)) " " (moment::ago(visit, &sync.at)) ", "
        (parts::number(sync.records)) " records, " (links::id(&sync.run))
    }
}

fn rate(visit: &PageVisit, connector: &ConnectorData) -> Markup {
    html! {
        @match connector.rate_remaining {
            Some(left) => { (parts::number(left)) " requests" }
            None => { span.soft { "not said" } }
        }
        @if let Some(resets) = &connector.rate_resets_at { ", more " (moment::ago(visit, resets)) }
    }
}

fn problems(sync: Option<&ConnectorSyncData>) -> Markup {
    let Some(sync) = sync else { return html! {} };
    html! {
        @if let Some(error) = &sync.error { p { (text::cut(error, 600)) } }
        @if !sync.problems.is_empty() {
            ul { @for problem in sync.problems.iter().take(PROBLEMS_SHOWN_MAX) { li { (text::cut(problem, 300)) } } }
        }
    }
}

fn buttons(visit: &PageVisit, connector: &ConnectorData) -> Markup {
    if !visit.operates() {
        return html! { p.help { "Syncing and testing it needs the role admin or operator." } };
    }
    if connector.is_disabled() {
        return html! { p.help { "The gateway does not run or contact it. The page of its server can enable it." } };
    }
    html! {
        div.row {
            @for (verb, name) in [("sync", "Sync now"), ("test", "Test")] {
                form method="post" action=(PageAddress::of(["console", "connectors", verb])) {
                    (csrf(visit))
                    input type="hidden" name="provider" value=(connector.provider);
                    input type="hidden" name="connection" value=(connector.connection);
                    button.button type="submit" { (name) }
                }
            }
        }
    }
}

async fn sync(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let mut arguments = named(&fields);
    arguments["wait_seconds"] = json!(0);
    ask(&visit, "connector.sync", arguments, DoneNotice::SyncStarted).await
}

async fn try_out(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    ask(&visit, "connector.test", named(&fields), DoneNotice::ConnectorWorks).await
}

fn named(fields: &FormFields) -> Value {
    json!({ "provider": fields.text("provider"), "connection": fields.text("connection") })
}

async fn ask(visit: &PageVisit, tool: &str, arguments: Value, said: DoneNotice) -> PageResult<Response> {
    let _: Value = visit.post(PageAddress::of(["tools", tool]), &arguments).await?;
    Ok(visit.go(PageAddress::of(["console", "connectors"]), said))
}
