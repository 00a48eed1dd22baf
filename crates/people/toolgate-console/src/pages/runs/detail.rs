//! One run: its steps as they happen, its chat, its output, its used budget, and the ways to stop it.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::data::{self, DrivenData, RunData, RunDetailData, TaskData, seconds};
use super::trail::{self, RunTrail};
use super::waterfall::{self, WaterfallOf};
use super::{chat, output};
use crate::address::PageAddress;
use crate::layout::{ConsolePage, csrf};
use crate::parts::moment::ago;
use crate::parts::money::money;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Everything that can happen in a run.
const LIVE: &str = "run tool.call input approval artifact policy.decided model";

#[derive(Default, Deserialize)]
pub(super) struct RunPartQuery {
    /// A part of its steps, from 1.
    #[serde(default)]
    part: Option<String>,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(wanted): Query<RunPartQuery>,
) -> PageResult<Response> {
    let RunDetailData { run, waiting, children, driven } = visit.get(PageAddress::of(["runs", &id])).await?;
    let driven = driven.as_ref();
    let task = TaskData::of(&visit, run.task.as_deref()).await?;
    let currency = data::currency(&visit, driven).await?;
    let currency = currency.as_deref();
    let trail = trail::follow(&visit, &run.id, driven, waiting.approvals, children).await?;
    let part = wanted.part.as_deref().and_then(|part| part.parse().ok());
    let of = WaterfallOf { run: &run.id, part, is_driven: driven.is_some(), currency };
    let compare = PageAddress::of(["console", "runs", "compare"]).with("a", &run.id);
    let chat = match driven {
        Some(driven) => Some(chat::beside(&visit, &run.id, driven.messages).await),
        None => None,
    };
    let contents = contents(&visit, &run, &trail).await;
    let body = html! {
        div #run-head data-live="run" {
            (parts::heading(html! { "Run " (text::short(&run.id)) }, html! { (parts::state(&run.state)) a.button href=(compare) { "Compare" } }))
        }
        section.card #state data-live=(LIVE) aria-labelledby="state-title" {
            h2 #state-title { "State" }
            (state(&visit, &run, driven))
            (actions(&visit, &run, &trail))
        }
        div.flow {
            section.card #steps data-live=(LIVE) aria-labelledby="steps-title" {
                h2 #steps-title { "What happened" }
                @if trail.steps.is_empty() { (nothing(&run)) } @else { (waterfall::draw(&visit, &trail, &of)) }
            }
            @if let Some(chat) = chat {
                section.card #beside data-live="model run" aria-labelledby="beside-title" { h2 #beside-title { "Chat" } (chat) }
            }
        }
        div.split {
            div { (contents) }
            div {
                section.card #budget data-live=(LIVE) aria-labelledby="budget-title" {
                    h2 #budget-title { "Budget" }
                    (budget(&run, currency))
                    @if let Some(driven) = driven { (model(driven)) }
                }
                section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(&visit, &run, task.as_ref())) }
            }
        }
    };
    Ok(visit.page(&format!("Run {}", run.id), ConsolePage::Runs, body).await)
}

async fn contents(visit: &PageVisit, run: &RunData, trail: &RunTrail) -> Markup {
    let artifacts = output::artifacts(visit, run).await;
    let refs = output::refs(visit, &trail.refs).await;
    html! {
        section.card #output data-live="run artifact" aria-labelledby="output-title" {
            h2 #output-title { "Artifacts" }
            (artifacts)
        }
        @if let Some(refs) = refs {
            section.card #refs data-live="tool.call" aria-labelledby="refs-title" {
                h2 #refs-title { "Refs" }
                p.help { "Parts of results that were too large or too binary for the model. They are deleted after a time." }
                (refs)
            }
        }
    }
}

fn nothing(run: &RunData) -> Markup {
    let next = html! {
        p { "Its calls, questions and child runs appear here as they happen." }
        @if let Some(session) = &run.session { p { "Its session: " (links::id(session)) } }
    };
    parts::empty("This run has not called a tool yet.", next)
}

fn state(visit: &PageVisit, run: &RunData, driven: Option<&DrivenData>) -> Markup {
    html! {
        p { (parts::state(&run.state)) (run.why()) }
        @if let Some(action) = driven.and_then(|driven| driven.action.as_ref()) {
            p { (text::short(&capital(&data::said(&action.kind)))) ": " (links::id(&action.id)) }
            p.help { (text::long(&action.how)) }
        }
        @if let Some(summary) = &run.summary { p { (text::long(summary)) } }
        @if let Some(ended) = &run.ended_at { p.help { "Ended " (ago(visit, ended)) "." } }
    }
}

/// A sentence begins with a capital letter.
fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn actions(visit: &PageVisit, run: &RunData, trail: &RunTrail) -> Markup {
    if run.is_over() {
        return html! { p.help { "This run has ended." } };
    }
    if !visit.operates() {
        return html! { p.help { "Pausing, resuming or cancelling it needs the role admin or operator." } };
    }
    let at = |verb: &str| PageAddress::of(["console", "runs", &run.id, verb]);
    html! {
        div.row {
            @if run.state == "paused" { (resuming(visit, run, trail)) } @else if run.state == "running" {
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
fn resuming(visit: &PageVisit, run: &RunData, trail: &RunTrail) -> Markup {
    const WITHOUT: &str = "It waits for an answer. Resuming without one cancels the question. Resume?";
    let question = trail.open_question();
    html! {
        @if let Some(question) = question {
            a.button.primary href=(PageAddress::of(["console", "inbox", "inputs", &question.id])) { "Answer its question" }
        }
        form method="post" action=(PageAddress::of(["console", "runs", &run.id, "resume"])) {
            (csrf(visit))
            @if question.is_some() { button.button type="submit" data-confirm=(WITHOUT) { "Resume without an answer" } }
            @else { button.button.primary type="submit" { "Resume" } }
        }
    }
}

fn budget(run: &RunData, currency: Option<&str>) -> Markup {
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
                ("Cost", share(used.cost_micros, budget.cost_micros, |micros| money(micros, currency))),
            ]))
        }
        @if used.cost_micros > 0 && currency.is_none() {
            p.help { "In the currency of the model's prices. Set " code { "currency" } " beside the prices to show its name." }
        }
        @if !is_limited && !budget.is_of_models() {
            p.help { "It has no limits. Set a budget when you create a run or its task." }
        }
    }
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
                    Some(id) => (links::id(id)),
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
            ("Input manifest", maybe(&run.input_manifest, links::manifest)),
            ("Output manifest", maybe(&run.output_manifest, links::manifest)),
        ]))
        @if !run.input.is_empty() {
            h3 { "Input" }
            ul { @for file in &run.input { li { (text::short(&file.path)) " " (links::id(&file.file_id)) } } }
        }
    }
}

/// The model that works in a run.
fn model(driven: &DrivenData) -> Markup {
    html! {
        h3 { "Model" }
        (parts::facts([
            ("Model", html! { (text::short(&driven.model)) }),
            ("Turn", html! { (parts::number(driven.turn)) }),
            ("Input tokens", html! {
                (parts::number(driven.tokens.input))
                @if let Some(percent) = driven.tokens.cached_percent { span.soft { ", " (parts::number(percent)) " % from the cache" } }
            }),
            ("Output tokens", html! { (parts::number(driven.tokens.output)) }),
        ]))
    }
}
