//! Runs: all of them by state, one with its steps on an axis of time, and two beside each other.

mod axis;
mod chat;
mod compare;
mod data;
mod detail;
mod output;
mod record;
mod steps;
mod trail;
mod waterfall;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use toolgate_core::run::RunState;

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{RunData, TaskData};

const PAGE: usize = 50;
/// The number of tasks whose names the page knows.
const TASKS_MAX: usize = 200;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/runs", get(list))
        .route("/console/runs/compare", get(compare::show))
        .route("/console/runs/{id}", get(detail::show))
        .route("/console/runs/{id}/chat", get(chat::show))
        .route("/console/runs/{id}/pause", post(steps::pause))
        .route("/console/runs/{id}/resume", post(steps::resume))
        .route("/console/runs/{id}/cancel", post(steps::cancel))
}

#[derive(Default, Deserialize)]
struct RunsPageQuery {
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    task: Option<String>,
    #[serde(default)]
    principal: Option<String>,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

impl RunsPageQuery {
    /// The same filter at another address.
    fn on(&self, address: PageAddress) -> PageAddress {
        address
            .maybe("state", self.state.as_deref())
            .maybe("task", self.task.as_deref())
            .maybe("principal", self.principal.as_deref())
            .maybe("parent", self.parent.as_deref())
    }

    fn is_anything(&self) -> bool {
        let all = [&self.state, &self.task, &self.principal, &self.parent, &self.cursor];
        all.iter().all(|one| one.as_deref().is_none_or(|text| text.trim().is_empty()))
    }
}

#[derive(Deserialize)]
struct RunsPageData {
    runs: Vec<RunData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct TasksData {
    tasks: Vec<TaskData>,
}

async fn list(visit: PageVisit, Query(wanted): Query<RunsPageQuery>) -> PageResult<Response> {
    let asked = wanted.on(PageAddress::of(["runs"])).maybe("cursor", wanted.cursor.as_deref());
    let page: RunsPageData = visit.get(asked.with("limit", PAGE)).await?;
    let tasks = visit.find::<TasksData>(PageAddress::of(["tasks"]).with("limit", TASKS_MAX)).await?;
    let tasks = tasks.map(|found| found.tasks).unwrap_or_default();
    let next = page.next_cursor.as_deref();
    let next = next.map(|cursor| wanted.on(PageAddress::of(["console", "runs"])).with("cursor", cursor));
    let body = html! {
        (parts::heading(html! { "Runs" }, html! {
            a.button href="/console/tasks" { "Tasks" }
            a.button href="/console/automations" { "Automations" }
        }))
        (filters(&wanted, &tasks))
        section #runs data-live="run" aria-label="Runs" {
            @if page.runs.is_empty() { (nothing(&wanted)) } @else {
                form method="get" action="/console/runs/compare" {
                    (table(&visit, &page.runs, &tasks))
                    @if page.runs.len() > 1 { p.pages { button.button type="submit" { "Compare two" } " " span.help { "Select two runs first." } } }
                }
            }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Runs", ConsolePage::Runs, body).await)
}

fn filters(wanted: &RunsPageQuery, tasks: &[TaskData]) -> Markup {
    html! {
        form.card method="get" action="/console/runs" aria-label="Filter runs" {
            div.filters {
                div.field {
                    label for="state" { "State" }
                    select #state name="state" {
                        option value="" { "any" }
                        @for state in RunState::ALL {
                            @let word = state.as_str();
                            option value=(word) selected[wanted.state.as_deref() == Some(word)] { (word) }
                        }
                    }
                }
                div.field {
                    label for="task" { "Task" }
                    input #task type="text" name="task" value=[wanted.task.as_deref()] list="tasks" autocomplete="off" placeholder="task_…" data-search;
                    datalist #tasks { @for task in tasks { option value=(task.id) { (text::made_visible(&task.name)) } } }
                }
                (field("principal", "Principal", wanted.principal.as_deref()))
                (field("parent", "Parent run", wanted.parent.as_deref()))
                div.row {
                    button.button.primary type="submit" { "Filter" }
                    @if !wanted.is_anything() { a.button href="/console/runs" { "Show all" } }
                }
            }
        }
    }
}

fn field(name: &'static str, label: &str, value: Option<&str>) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input type="text" id=(name) name=(name) value=[value] autocomplete="off";
        }
    }
}

fn nothing(wanted: &RunsPageQuery) -> Markup {
    if !wanted.is_anything() {
        return parts::empty(
            "No run matches this filter.",
            html! { p { a href="/console/runs" { "Show all runs" } } },
        );
    }
    parts::empty(
        "There are no runs yet.",
        html! {
            p { "A run is one execution of a task: its calls, questions, artifacts and budget in one place." }
            p { "Programs start one with " code { "POST /runs" } "; "
                a href="/docs/guide/files-and-runs" { "files and runs" } " says how. The gateway itself runs tasks that have a model: "
                a href="/docs/how-to/agents" { "let agents run here" } "." }
        },
    )
}

fn table(visit: &PageVisit, runs: &[RunData], tasks: &[TaskData]) -> Markup {
    html! {
        table.list {
            thead {
                tr {
                    @if runs.len() > 1 { th scope="col" { span.unseen { "Compare" } } }
                    th scope="col" { "Run" }
                    th scope="col" { "State" }
                    th scope="col" { "Task" }
                    th scope="col" { "Agent" }
                    th scope="col" { "Principal" }
                    th scope="col" { "Created" }
                    th.number scope="col" { "Time" }
                    th.number scope="col" { "Calls" }
                }
            }
            tbody {
                @for run in runs {
                    @let tick = (runs.len() > 1).then(|| html! { input type="checkbox" name="run" value=(run.id) aria-label={ "Compare " (run.id) } data-keep; });
                    (row(visit, run, tasks, tick))
                }
            }
        }
    }
}

fn row(visit: &PageVisit, run: &RunData, tasks: &[TaskData], tick: Option<Markup>) -> Markup {
    let name =
        |id: &str| tasks.iter().find(|task| task.id == id).map_or(id.to_owned(), |task| task.name.clone());
    html! {
        tr data-entry=(run.id) {
            @if let Some(tick) = tick { td { (tick) } }
            td data-name="Run" {
                (links::id(&run.id))
                @if let Some(summary) = &run.summary { div.help { (text::short(summary)) } }
            }
            td data-name="State" { (parts::state(&run.state)) (run.why()) }
            td data-name="Task" { @if let Some(task) = &run.task { a href=(PageAddress::of(["console", "tasks", task])) { (text::short(&name(task))) } } @else { span.soft { "none" } } }
            td data-name="Agent" { a href=(PageAddress::of(["console", "agents", &run.agent])) { (text::short(&run.agent)) } }
            td data-name="Principal" { (links::principal(&run.principal)) }
            td data-name="Created" { (ago(visit, &run.created_at)) }
            td.number data-name="Time" { (run.time_used()) }
            td.number data-name="Calls" { (parts::number(run.used.calls)) }
        }
    }
}
