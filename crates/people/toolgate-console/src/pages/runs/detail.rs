//! One run: its steps as they happen, its used budget, its output, and the ways to stop it.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};

use super::data::{DrivenData, RunApprovalData, RunData, RunDetailData, RunQuestionData, TaskData, seconds};
use super::tree::{self, AskedCall, RunBranch, RunStep};
use crate::address::PageAddress;
use crate::layout::{ConsolePage, csrf};
use crate::parts::moment::{ago, left, span};
use crate::parts::{self, BadgeTone, links, picture, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Everything that can happen in a run.
const LIVE: &str = "run tool.call input approval artifact policy.decided model";

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let RunDetailData { run, waiting, children, driven } = visit.get(PageAddress::of(["runs", &id])).await?;
    let task = TaskData::of(&visit, run.task.as_deref()).await?;
    let trunk = tree::grow(&visit, run, waiting.approvals, children).await?;
    let run = &trunk.run;
    let body = html! {
        div #run-head data-live="run" {
            (parts::heading(html! { "Run " (text::short(&run.id)) }, html! { (parts::state(&run.state)) }))
        }
        div.split {
            div {
                section.card #steps data-live=(LIVE) aria-labelledby="steps-title" {
                    h2 #steps-title { "What happened" }
                    (steps(&visit, &trunk))
                }
                section.card #output data-live="run artifact" aria-labelledby="output-title" {
                    h2 #output-title { "Artifacts" }
                    (output(run))
                }
            }
            div {
                section.card #state data-live=(LIVE) aria-labelledby="state-title" {
                    h2 #state-title { "State" }
                    (state(&visit, run))
                    (actions(&visit, &trunk))
                }
                @if let Some(driven) = &driven {
                    section.card #model data-live=(LIVE) aria-labelledby="model-title" {
                        h2 #model-title { "Model" }
                        (model(run, driven))
                    }
                }
                section.card #budget data-live=(LIVE) aria-labelledby="budget-title" {
                    h2 #budget-title { "Budget" }
                    (budget(run))
                }
                section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(&visit, run, task.as_ref())) }
            }
        }
    };
    Ok(visit.page(&format!("Run {}", run.id), ConsolePage::Runs, body).await)
}

fn steps(visit: &PageVisit, trunk: &RunBranch) -> Markup {
    if trunk.steps.is_empty() {
        let next = html! {
            p { "Its calls, questions and child runs appear here as they happen." }
            @if let Some(session) = &trunk.run.session { p { "It works in session " (links::id(session)) "." } }
        };
        return parts::empty("It has not called anything yet.", next);
    }
    branch(visit, trunk)
}

fn branch(visit: &PageVisit, one: &RunBranch) -> Markup {
    html! {
        ul.tree {
            @for step in &one.steps { (self::step(visit, step)) }
            @if one.is_cut {
                li.soft { "There are more child runs: "
                    a href=(PageAddress::of(["console", "runs"]).with("parent", &one.run.id)) { "see them all" } }
            }
        }
    }
}

fn step(visit: &PageVisit, step: &RunStep) -> Markup {
    match step {
        RunStep::Call(asked) => called(visit, asked),
        RunStep::Question(asked) => html! { li data-entry=(asked.id) { (question(asked)) } },
        RunStep::Approval(asked) => html! {
            li data-entry=(asked.id) {
                div.step {
                    @if let Some(call) = &asked.call { a href=(PageAddress::of(["console", "calls", call])) { (text::short(&asked.tool)) } }
                    @else { (text::short(&asked.tool)) }
                    (parts::badge("waits", BadgeTone::Waiting))
                }
                (approval(visit, asked))
            }
        },
        RunStep::Child(child) => html! {
            li data-entry=(child.run.id) {
                div.step {
                    span { "Child run: " (links::id(&child.run.id)) } (parts::state(&child.run.state))
                    span.soft { (child.run.time_used()) }
                }
                @if let Some(summary) = &child.run.summary { p.help { (text::long(summary)) } }
                @if !child.steps.is_empty() || child.is_cut { (branch(visit, child)) }
            }
        },
    }
}

fn called(visit: &PageVisit, asked: &AskedCall) -> Markup {
    let AskedCall { call, question, approval, pictures } = asked;
    html! {
        li data-entry=(call.call) {
            div.step {
                a href=(PageAddress::of(["console", "calls", &call.call])) title=(call.call) { (text::short(&call.tool)) }
                (state_of_call(&call.state))
                @if call.kind != "data" { span.badge { (text::short(&call.kind)) } }
                span.soft {
                    @match call.took_ms() {
                        Some(ms) => (span(ms)),
                        None => { "since " (ago(visit, &call.started_at)) }
                    }
                }
            }
            @for id in pictures { (picture::of_ref(id, &format!("A picture that {} brought", call.tool))) }
            @if let Some(approval) = approval { (self::approval(visit, approval)) }
            @if let Some(one) = question { (self::question(one)) }
        }
    }
}

fn approval(visit: &PageVisit, asked: &RunApprovalData) -> Markup {
    html! {
        div.step {
            span { "Waits for a person: " a href=(PageAddress::of(["console", "inbox", "approvals", &asked.id])) { "see the question" } }
            span.soft { (left(visit, &asked.expires_at)) }
        }
    }
}

fn state_of_call(state: &str) -> Markup {
    match state {
        "open" => parts::badge("in progress", BadgeTone::Waiting),
        other => parts::state(other),
    }
}

fn question(asked: &RunQuestionData) -> Markup {
    html! {
        div.step {
            span { "Question: " a href=(PageAddress::of(["console", "inbox", "inputs", &asked.id])) { (text::long(&asked.prompt_key)) } }
            (parts::state(&asked.state))
        }
        @if let Some(answer) = &asked.answer {
            div.help {
                "Answer" @if let Some(by) = &asked.answered_by { " of " (text::short(by)) } ": "
                (text::long(&answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)))
            }
        }
    }
}

fn state(visit: &PageVisit, run: &RunData) -> Markup {
    html! {
        p { (parts::state(&run.state)) (run.why()) }
        @if let Some(summary) = &run.summary { p { (text::long(summary)) } }
        @if let Some(ended) = &run.ended_at { p.help { "Ended " (ago(visit, ended)) "." } }
    }
}

fn actions(visit: &PageVisit, trunk: &RunBranch) -> Markup {
    let run = &trunk.run;
    if run.is_over() {
        return html! { p.help { "It has ended, so there is nothing to stop." } };
    }
    if !visit.operates() {
        return html! { p.help { "Pausing, resuming or cancelling it needs the role admin or operator." } };
    }
    let at = |verb: &str| PageAddress::of(["console", "runs", &run.id, verb]);
    html! {
        div.row {
            @if run.state == "paused" { (resuming(visit, trunk)) } @else if run.state == "running" {
                form method="post" action=(at("pause")) { (csrf(visit)) button.button type="submit" { "Pause" } }
            }
        }
        details #cancelling {
            summary { "Cancel this run" }
            form method="post" action=(at("cancel")) {
                (csrf(visit))
                div.field {
                    label for="reason" { "Reason (optional)" }
                    input #reason type="text" name="reason" maxlength="500" autocomplete="off";
                    p.help { "This also cancels all its child runs and open questions, and cannot be undone." }
                }
                button.button.danger type="submit" data-confirm="Cancel this run and all its child runs? This cannot be undone." { "Cancel run" }
            }
        }
    }
}

/// A run that waits for an answer continues with one; resuming without it cancels the question.
fn resuming(visit: &PageVisit, trunk: &RunBranch) -> Markup {
    const WITHOUT: &str = "It waits for an answer. Resuming without one cancels the question. Resume?";
    let question = trunk.open_question();
    html! {
        @if let Some(question) = question {
            a.button.primary href=(PageAddress::of(["console", "inbox", "inputs", &question.id])) { "Answer its question" }
        }
        form method="post" action=(PageAddress::of(["console", "runs", &trunk.run.id, "resume"])) {
            (csrf(visit))
            @if question.is_some() { button.button type="submit" data-confirm=(WITHOUT) { "Resume without an answer" } }
            @else { button.button.primary type="submit" { "Resume" } }
        }
    }
}

fn output(run: &RunData) -> Markup {
    if run.output.is_empty() {
        let next = match run.is_over() {
            true => "It ended without storing an artifact.",
            false => "Artifacts that it stores with store_artifact appear here.",
        };
        return parts::empty("No artifacts.", html! { p { (next) } });
    }
    html! {
        table.list {
            thead { tr { th scope="col" { "Name" } th scope="col" { "Digest" } th scope="col" { "Kind" } th.number scope="col" { "Size" } } }
            tbody {
                @for file in &run.output {
                    tr data-entry=(file.name) {
                        td data-name="Name" {
                            a href=(PageAddress::of(["console", "artifacts", &file.artifact])) { (text::short(&file.name)) }
                        }
                        td data-name="Digest" { (links::artifact(&file.artifact)) }
                        td data-name="Kind" { (text::short(&file.media_type)) }
                        td.number data-name="Size" { (parts::size(file.size)) }
                    }
                }
            }
        }
    }
}

fn budget(run: &RunData) -> Markup {
    let (used, budget) = (run.used, run.budget);
    let is_driven = used.turns > 0 || budget.is_of_models();
    let is_limited = budget.calls.is_some() || budget.seconds.is_some() || budget.bytes.is_some();
    html! {
        (parts::facts([
            ("Calls", share(used.calls, budget.calls, parts::number)),
            ("Time", share(used.seconds, budget.seconds, seconds)),
            ("Bytes", share(used.bytes, budget.bytes, parts::size)),
        ]))
        @if is_driven {
            (parts::facts([
                ("Turns", share(used.turns, budget.turns, parts::number)),
                ("Tokens", share(used.tokens, budget.tokens, parts::number)),
                ("Cost", share(used.cost_micros, budget.cost_micros, money)),
            ]))
        }
        @if !is_limited && !budget.is_of_models() {
            p.help { "It has no limits. Set a budget when you create a run or its task." }
        }
    }
}

/// Millionths of a currency unit, as such units.
fn money(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn share(used: u64, limit: Option<u64>, said: impl Fn(u64) -> String) -> Markup {
    html! {
        (said(used))
        @if let Some(limit) = limit {
            " of " (said(limit))
            meter min="0" max=(limit) value=(used.min(limit)) aria-hidden="true" {}
        } @else { span.soft { ", no limit" } }
    }
}

fn about(visit: &PageVisit, run: &RunData, task: Option<&TaskData>) -> Markup {
    let maybe = |value: &Option<String>, shown: fn(&str) -> Markup| match value {
        Some(value) => shown(value),
        None => html! { span.soft { "none" } },
    };
    html! {
        (parts::facts([
            ("Id", parts::copyable(&run.id)),
            ("Task", html! {
                @if let Some(task) = task { (text::short(&task.name)) " " }
                @match &run.task {
                    Some(id) => a.id href=(PageAddress::of(["console", "runs"]).with("task", id)) title="All runs of this task" { (text::short(id)) },
                    None => span.soft { "none" },
                }
            }),
            ("Parent run", maybe(&run.parent, links::id)),
            ("Agent", html! { a href=(PageAddress::of(["console", "agents", &run.agent])) { (text::short(&run.agent)) } }),
            ("Principal", links::principal(&run.principal)),
            ("Created by", links::principal(&run.created_by)),
            ("Session", maybe(&run.session, links::id)),
            ("Created", ago(visit, &run.created_at)),
            ("Started", match &run.started_at { Some(at) => ago(visit, at), None => html! { span.soft { "not yet" } } }),
            ("Calls", html! { a href=(PageAddress::of(["console", "calls"]).with("run", &run.id)) { "in the ledger" } }),
            ("Input manifest", maybe(&run.input_manifest, parts::copyable)),
            ("Output manifest", maybe(&run.output_manifest, parts::copyable)),
        ]))
        @if run.input_manifest.is_some() || run.output_manifest.is_some() {
            p.help { "Manifests list what went in and came out: " code { "toolgate substrate manifest checkout --sha256 DIGEST" } }
        }
        @if !run.input.is_empty() {
            h3 { "Input" }
            ul { @for file in &run.input { li { (text::short(&file.path)) " " (links::id(&file.file_id)) } } }
        }
    }
}

/// The model that works in a run, and what it waits for.
fn model(run: &RunData, driven: &DrivenData) -> Markup {
    html! {
        @if let Some(action) = &driven.action {
            p { "Waits (" (text::short(&action.kind.replace('_', " "))) "): " (links::id(&action.id)) }
            p.help { (text::long(&action.how)) }
        }
        (parts::facts([
            ("Model", html! { (text::short(&driven.model)) }),
            ("Turn", html! { (parts::number(driven.turn)) }),
            ("Input tokens", html! {
                (parts::number(driven.tokens.input))
                @if let Some(percent) = driven.tokens.cached_percent { span.soft { ", " (parts::number(percent)) " % from the cache" } }
            }),
            ("Output tokens", html! { (parts::number(driven.tokens.output)) }),
        ]))
        p { a.button href=(PageAddress::of(["console", "runs", &run.id, "chat"])) { "Chat" } }
    }
}
