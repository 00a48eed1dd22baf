//! Automations: the rules that start tasks, when they start next, what came of earlier starts, and pausing and resuming them.

mod data;
mod detail;
mod fires;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::{get, post};
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::PageContext;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::pages::task_names::TaskNames;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::AutomationData;

const PAGE: usize = 50;
/// The number of automations among which those of a task are looked for.
const AUTOMATIONS_MAX: usize = 200;

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
    let tasks = TaskNames::read(&visit).await?;
    let actions = html! {
        a.button href="/console/tasks" { "Tasks" }
        a.button href="/console/runs" { "Runs" }
    };
    let body = html! {
        (parts::heading(html! { "Automations" }, actions))
        p { "Automations start tasks on a schedule or when something happens: an event, a signed request, a new file, or the end of another run." }
        section #automations data-live="automation" aria-label="Automations" {
            @if page.automations.is_empty() { (nothing()) } @else { (table(&visit, &page.automations, &tasks)) }
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

/// The automations that start a task.
pub(crate) async fn of_task(visit: &PageVisit, task: &str) -> PageResult<Markup> {
    let asked = PageAddress::of(["automations"]).with("limit", AUTOMATIONS_MAX);
    let page: Option<AutomationsData> = match visit.find(asked).await {
        // A process that runs no agents has no automations.
        Err(problem) if problem.is(StatusCode::CONFLICT) => None,
        found => found?,
    };
    let tasks = TaskNames::default();
    let all = page.map(|page| page.automations).unwrap_or_default();
    let own: Vec<&AutomationData> = all.iter().filter(|one| one.task == task).collect();
    Ok(html! {
        @if own.is_empty() { p.help { "No automation starts it." } } @else {
            ul {
                @for one in own {
                    li {
                        a href=(PageAddress::of(["console", "automations", &one.name])) { (text::short(&one.name)) }
                        ": " (one.trigger(&tasks)) ". " span.soft { "Next: " (one.next(visit)) }
                    }
                }
            }
        }
        @if all.len() >= AUTOMATIONS_MAX { p.help { "Only the first " (AUTOMATIONS_MAX) " automations were searched." } }
    })
}

fn table(visit: &PageVisit, automations: &[AutomationData], tasks: &TaskNames) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Automation" } th scope="col" { "Starts" } th scope="col" { "Next" }
                th scope="col" { "Task" } th scope="col" { "Principal" }
            } }
            tbody { @for automation in automations { (row(visit, automation, tasks)) } }
        }
    }
}

fn row(visit: &PageVisit, automation: &AutomationData, tasks: &TaskNames) -> Markup {
    let at = PageAddress::of(["console", "automations", &automation.name]);
    html! {
        tr data-entry=(automation.id) {
            td data-name="Automation" { a href=(at) { (text::short(&automation.name)) } }
            td data-name="Starts" { (automation.trigger(tasks)) }
            td data-name="Next" { (automation.next(visit)) }
            td data-name="Task" { (tasks.link(&automation.task)) }
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
