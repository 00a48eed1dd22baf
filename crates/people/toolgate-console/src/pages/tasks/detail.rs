//! One task: its work, its runs, its automations, and its versions.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;

use super::data::{TaskPageData, TaskRunsData, TaskVersionsData};
use crate::address::PageAddress;
use crate::layout::{ConsolePage, csrf};
use crate::pages::automations;
use crate::parts::moment::{ago, span};
use crate::parts::money::money;
use crate::parts::{self, diff, json, links, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const RUNS: usize = 10;
/// The number of versions that are shown with their changes.
const VERSIONS_MAX: usize = 20;

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let task: TaskPageData = visit.get(PageAddress::of(["tasks", &id])).await?;
    let runs = PageAddress::of(["runs"]).with("task", &id).with("limit", RUNS);
    let runs: TaskRunsData = visit.get(runs).await?;
    let versions: Option<TaskVersionsData> = visit.find(PageAddress::of(["tasks", &id, "versions"])).await?;
    let automations = automations::of_task(&visit, &id).await?;
    let body = html! {
        (parts::heading(html! { "Task " (text::short(&task.name)) }, html! { (starting(&visit, &task)) a.button href="/console/tasks" { "All tasks" } }))
        @if !task.description.is_empty() { p { (text::long(&task.description)) } }
        div.split {
            div {
                section.card #runs data-live="run" aria-labelledby="runs-title" {
                    h2 #runs-title { "Runs" }
                    @if runs.runs.is_empty() { (no_runs(&task)) } @else { (self::runs(&visit, &id, &runs)) }
                }
                section.card #automations data-live="automation" aria-labelledby="automations-title" {
                    h2 #automations-title { "Automations" }
                    (automations)
                }
                section.card aria-labelledby="versions-title" {
                    h2 #versions-title { "Versions" }
                    (self::versions(&visit, &versions.unwrap_or_default()))
                }
            }
            div {
                section.card aria-labelledby="work-title" { h2 #work-title { "Work" } (work(&task)) }
                section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(&visit, &task)) }
            }
        }
    };
    Ok(visit.page(&format!("Task {}", task.name), ConsolePage::Runs, body).await)
}

/// The button that starts a run, where the gateway can run the task.
fn starting(visit: &PageVisit, task: &TaskPageData) -> Markup {
    html! {
        @if task.goal.is_some() && visit.operates() {
            form method="post" action=(PageAddress::of(["console", "tasks", &task.id, "start"])) {
                (csrf(visit))
                button.button.primary type="submit" { "Start a run" }
            }
        }
    }
}

fn no_runs(task: &TaskPageData) -> Markup {
    let next = match task.goal {
        Some(_) => "Admins and operators start one here; automations start more.",
        None => "It has no goal, so programs start its runs with POST /runs.",
    };
    parts::empty("It has no runs yet.", html! { p { (next) } })
}

fn runs(visit: &PageVisit, task: &str, page: &TaskRunsData) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Run" } th scope="col" { "State" } th scope="col" { "Principal" } th scope="col" { "Created" } } }
            tbody {
                @for run in &page.runs {
                    tr data-entry=(run.id) {
                        td data-name="Run" {
                            (links::brief(&run.id))
                            @if let Some(summary) = &run.summary { div.help { (text::short(summary)) } }
                        }
                        td data-name="State" { (parts::state(&run.state)) }
                        td data-name="Principal" { (links::principal(&run.principal)) }
                        td data-name="Created" { (ago(visit, &run.created_at)) }
                    }
                }
            }
        }
        @if page.next_cursor.is_some() {
            p { a href=(PageAddress::of(["console", "runs"]).with("task", task)) { "All runs of this task" } }
        }
    }
}

/// The goal and the instructions of a model, or that others do the work.
fn work(task: &TaskPageData) -> Markup {
    html! {
        @match &task.goal {
            Some(goal) => { h3 { "Goal" } (text::block(goal)) },
            None => p { "It has no goal: programs do its work, and tell the gateway about each run." },
        }
        @if let Some(instructions) = &task.instructions { h3 { "Instructions" } (text::block(instructions)) }
        @if !task.input.is_empty() {
            h3 { "Files of every run" }
            ul { @for file in &task.input { li { (text::short(&file.path)) " " (links::id(&file.file_id)) } } }
        }
        @if let Some(schema) = &task.outcome_schema { h3 { "Form of the result" } (json::raw(schema)) }
    }
}

fn about(visit: &PageVisit, task: &TaskPageData) -> Markup {
    let model = task.model.as_deref().map(links::model);
    let rows = [
        ("Id", Some(parts::copyable(&task.id))),
        ("Model", model),
        ("Agent", Some(agent(task))),
        ("Budget of a run", Some(budget(task))),
        ("Created by", Some(links::principal(&task.created_by))),
        ("Created", Some(ago(visit, &task.created_at))),
        ("Changed", Some(html! { (ago(visit, &task.updated_at)) span.soft { ", version " (task.version) } })),
    ];
    parts::facts(rows.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

pub(super) fn agent(task: &TaskPageData) -> Markup {
    match &task.agent {
        Some(agent) => {
            html! { a href=(PageAddress::of(["console", "agents", agent])) { (text::short(agent)) } }
        }
        None => html! { span.soft { "of whoever starts it" } },
    }
}

fn budget(task: &TaskPageData) -> Markup {
    let limits: Vec<String> = task.budget.iter().filter_map(|(name, value)| limit(name, value)).collect();
    match limits.is_empty() {
        true => html! { span.soft { "no limits" } },
        false => html! { (limits.join(", ")) },
    }
}

/// One limit of a budget, in words.
fn limit(name: &str, value: &Value) -> Option<String> {
    let value = value.as_u64()?;
    Some(match name {
        "seconds" => span(i64::try_from(value).ok()?.saturating_mul(1_000)),
        "bytes" => parts::size(value),
        "cost_micros" => format!("{} for models", money(value, None)),
        name => format!("{} {}", number(value), name.replace('_', " ")),
    })
}

fn versions(visit: &PageVisit, page: &TaskVersionsData) -> Markup {
    let versions = &page.versions;
    html! {
        @if versions.is_empty() { p.help { "There is only the current version." } } @else {
            ol.timeline {
                @for (place, one) in versions.iter().enumerate().take(VERSIONS_MAX) {
                    li {
                        strong { "Version " (one.version) } " by " (links::principal(&one.by)) " " span.soft { (ago(visit, &one.at)) }
                        @if let Some(before) = versions.get(place + 1) {
                            details id={ "version-" (one.version) } {
                                summary { "Changes" }
                                div.scroll tabindex="0" { (diff::lines(&before.written(), &one.written())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_budget_is_told_in_words() {
        assert_eq!(limit("calls", &json!(1_200)).as_deref(), Some("1,200 calls"));
        assert_eq!(limit("seconds", &json!(600)).as_deref(), Some("10 min"));
        assert_eq!(limit("cost_micros", &json!(1_500_000)).as_deref(), Some("1.50 for models"));
        assert_eq!(limit("calls", &json!(null)), None);
    }
}
