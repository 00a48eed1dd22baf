//! Automations: the rules that start tasks, when they start next, and pausing and resuming them.

mod data;
mod detail;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::PageContext;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::AutomationData;

const PAGE: usize = 50;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/automations", get(list))
        .route("/console/automations/{name}", get(detail::show))
        .route("/console/automations/{name}/pause", post(pause))
        .route("/console/automations/{name}/resume", post(resume))
}

#[derive(Default, Deserialize)]
struct AutomationsPageQuery {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct AutomationsData {
    automations: Vec<AutomationData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

async fn list(visit: PageVisit, Query(wanted): Query<AutomationsPageQuery>) -> PageResult<Response> {
    let asked = PageAddress::of(["automations"]).maybe("cursor", wanted.cursor.as_deref());
    let page: AutomationsData = visit.get(asked.with("limit", PAGE)).await?;
    let next = page.next_cursor.as_deref();
    let next = next.map(|cursor| PageAddress::of(["console", "automations"]).with("cursor", cursor));
    let actions = html! { a.button href="/console/runs" { "Runs" } };
    let body = html! {
        (parts::heading(html! { "Automations" }, actions))
        p { "Rules that start tasks: at instants, after events, for signed requests, when files arrive, when another run ends." }
        section #automations data-live="automation" aria-label="Automations" {
            @if page.automations.is_empty() { (nothing()) } @else { (table(&page.automations)) }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Automations", ConsolePage::Runs, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "There are no automations yet.",
        html! {
            p { "Create one with " code { "toolgate automations create" } " or " code { "POST /automations" } "; "
                a href="/docs/how-to/agents" { "let agents run here" } " says how." }
        },
    )
}

fn table(automations: &[AutomationData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Automation" } th scope="col" { "Starts" } th scope="col" { "Next" }
                th scope="col" { "Task" } th scope="col" { "Principal" }
            } }
            tbody { @for automation in automations { (row(automation)) } }
        }
    }
}

fn row(automation: &AutomationData) -> Markup {
    let at = PageAddress::of(["console", "automations", &automation.name]);
    html! {
        tr data-entry=(automation.id) {
            td data-name="Automation" { a href=(at) { (text::short(&automation.name)) } }
            td data-name="Starts" { (text::short(&automation.cause())) }
            td data-name="Next" { (automation.next()) }
            td data-name="Task" {
                a.id href=(PageAddress::of(["console", "runs"]).with("task", &automation.task)) title="All runs of this task" { (text::short(&automation.task)) }
            }
            td data-name="Principal" { (links::principal(&automation.principal)) }
        }
    }
}

/// The button that pauses or resumes one.
fn stepping(visit: &PageVisit, automation: &AutomationData) -> Markup {
    if !visit.operates() {
        return html! { p.help { "Pausing or resuming it needs the role admin or operator." } };
    }
    let at = |verb: &str| PageAddress::of(["console", "automations", &automation.name, verb]);
    html! {
        @if automation.paused.is_some() {
            form method="post" action=(at("resume")) { (csrf(visit)) button.button.primary type="submit" { "Resume" } }
        } @else {
            form method="post" action=(at("pause")) {
                (csrf(visit))
                div.field {
                    label for="note" { "Note (optional)" }
                    input #note type="text" name="note" maxlength="500" autocomplete="off";
                }
                button.button type="submit" { "Pause" }
            }
        }
    }
}

/// The state of an automation as a badge.
fn state(automation: &AutomationData) -> Markup {
    match automation.paused {
        Some(_) => parts::badge("paused", BadgeTone::Waiting),
        None => parts::badge("active", BadgeTone::Good),
    }
}

async fn pause(visit: PageVisit, Path(name): Path<String>, fields: FormFields) -> PageResult<Response> {
    step(&visit, &name, "pause", json!({ "note": fields.text("note") }), DoneNotice::AutomationPaused).await
}

async fn resume(visit: PageVisit, Path(name): Path<String>, _: FormFields) -> PageResult<Response> {
    step(&visit, &name, "resume", json!({}), DoneNotice::AutomationResumed).await
}

async fn step(
    visit: &PageVisit,
    name: &str,
    verb: &str,
    body: Value,
    said: DoneNotice,
) -> PageResult<Response> {
    let _: Value = visit.post(PageAddress::of(["automations", name, verb]), &body).await?;
    Ok(visit.go(PageAddress::of(["console", "automations", name]), said))
}
