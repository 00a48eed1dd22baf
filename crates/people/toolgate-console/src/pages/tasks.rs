//! Tasks: definitions of work, the runs of each, and starting one.

mod data;
mod detail;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::PageContext;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::ConsolePage;
use crate::notice::DoneNotice;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{StartedRunData, TaskPageData};

const PAGE: usize = 50;
const DESCRIPTION_CHARS: usize = 200;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/tasks", get(list))
        .route("/console/tasks/{id}", get(detail::show))
        .route("/console/tasks/{id}/start", post(start).get(back))
}

#[derive(Default, Deserialize)]
struct TasksPageQuery {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct TaskListData {
    tasks: Vec<TaskPageData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

async fn list(visit: PageVisit, Query(wanted): Query<TasksPageQuery>) -> PageResult<Response> {
    let asked = PageAddress::of(["tasks"]).maybe("cursor", wanted.cursor.as_deref());
    let page: TaskListData = visit.get(asked.with("limit", PAGE)).await?;
    let next = page.next_cursor.as_deref();
    let next = next.map(|cursor| PageAddress::of(["console", "tasks"]).with("cursor", cursor));
    let actions = html! {
        a.button href="/console/runs" { "Runs" }
        a.button href="/console/automations" { "Automations" }
    };
    let body = html! {
        (parts::heading(html! { "Tasks" }, actions))
        p { "A task defines work. Each run is one execution of a task." }
        section #tasks data-live="run task" aria-label="Tasks" {
            @if page.tasks.is_empty() { (nothing()) } @else { (table(&visit, &page.tasks)) }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Tasks", ConsolePage::Runs, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "There are no tasks yet.",
        html! {
            p { "Create one with " code { "toolgate tasks create" } " or " code { "POST /tasks" } "; "
                a href="/docs/how-to/agents" { "let agents run here" } " says how." }
        },
    )
}

fn table(visit: &PageVisit, tasks: &[TaskPageData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Task" } th scope="col" { "Model" } th scope="col" { "Agent" }
                th scope="col" { "Created by" } th scope="col" { "Changed" }
            } }
            tbody { @for task in tasks { (row(visit, task)) } }
        }
    }
}

fn row(visit: &PageVisit, task: &TaskPageData) -> Markup {
    html! {
        tr data-entry=(task.id) {
            td data-name="Task" {
                a href=(PageAddress::of(["console", "tasks", &task.id])) { (text::short(&task.name)) }
                @if !task.description.is_empty() { div.help { (text::cut(&task.description, DESCRIPTION_CHARS)) } }
            }
            td data-name="Model" {
                @match &task.model { Some(model) => (links::model(model)), None => span.soft { "none: programs run it" } }
            }
            td data-name="Agent" { (detail::agent(task)) }
            td data-name="Created by" { (links::principal(&task.created_by)) }
            td data-name="Changed" { (ago(visit, &task.updated_at)) }
        }
    }
}

/// Starts a run as the visitor, and goes to its page.
async fn start(visit: PageVisit, Path(id): Path<String>, _: FormFields) -> PageResult<Response> {
    let run: StartedRunData = visit.post(PageAddress::of(["tasks", &id, "runs"]), &json!({})).await?;
    Ok(visit.go(PageAddress::of(["console", "runs", &run.id]), DoneNotice::RunStarted))
}

async fn back(Path(id): Path<String>) -> Redirect {
    Redirect::to(PageAddress::of(["console", "tasks", &id]).as_str())
}
