//! The waterfall of a run: a table whose last column has the bars, all on one axis of time. Bars differ in shape as well as in colour, and
//! every row says in words what its bar shows.

use maud::{Markup, html};
use toolgate_core::moment::rfc3339;

use super::axis::{StepSpan, TimeAxis, beside};
use super::data::{RunApprovalData, RunData, RunQuestionData, RunTurnData, TokensData};
use super::trail::{RunStep, RunTrail, SeenCall};
use crate::address::PageAddress;
use crate::parts::moment::{at, happened, span};
use crate::parts::money::money;
use crate::parts::{self, BadgeTone, links, number, picture, text};
use crate::visit::PageVisit;

/// Characters of a question; its page has all of it.
const QUESTION_CHARS: usize = 400;
/// In hundredths: times are named there.
const NAMED: [(u32, &str); 3] = [(0, "start"), (50, "middle"), (100, "end")];
const KEY: [(&str, &str); 4] =
    [("call", "call"), ("turn", "model"), ("wait", "waits for a person"), ("child", "child run")];

/// The run that the waterfall is of, as far as it says how to show it.
pub(super) struct WaterfallOf<'a> {
    pub(super) run: &'a str,
    /// The wanted part of the steps.
    pub(super) part: Option<usize>,
    pub(super) is_driven: bool,
    pub(super) currency: Option<&'a str>,
}

/// A row beside its bar.
struct StepRow {
    /// Unique in the run.
    entry: String,
    /// The class of its bar.
    class: &'static str,
    what: Markup,
    more: Markup,
    used: Option<Markup>,
}

pub(super) fn draw(visit: &PageVisit, trail: &RunTrail, of: &WaterfallOf<'_>) -> Markup {
    let part = trail.part(of.part);
    let shown = &trail.steps[trail.range(part)];
    let spans: Vec<StepSpan> = shown.iter().map(RunStep::span).collect();
    let axis = TimeAxis::over(&spans, visit.now_ms);
    let beside = beside(&spans, visit.now_ms);
    html! {
        table.list.waterfall {
            caption.unseen { "Steps in order of start" }
            thead {
                tr {
                    th scope="col" { "Step" }
                    th.number scope="col" { "Start" }
                    th.number scope="col" { "Took" }
                    @if of.is_driven { th.number scope="col" { "Used" } }
                    th.axis scope="col" { span.unseen { "Time" } (scale(&axis)) }
                }
            }
            tbody {
                @for ((step, span), beside) in shown.iter().zip(&spans).zip(&beside) {
                    (row(visit, &axis, of, step, *span, *beside))
                }
            }
        }
        p.help { "Times are relative to the first step on this page, at " (at(visit, &rfc3339(axis.start_ms()))) "." }
        (key())
        (parts_of(trail, of, part))
    }
}

fn row(
    visit: &PageVisit,
    axis: &TimeAxis,
    of: &WaterfallOf<'_>,
    step: &RunStep,
    span: StepSpan,
    beside: usize,
) -> Markup {
    let StepRow { entry, class, what, more, used } = StepRow::of(step, of);
    html! {
        tr data-entry=(entry) {
            td data-name="Step" { div.step { (what) } (more) }
            td.number data-name="Start" {
                @let after = self::span(span.began_ms.saturating_sub(axis.start_ms()));
                (happened(span.began_ms, &format!("+{after}")))
            }
            td.number data-name="Took" { (took(visit, span)) @if beside > 0 { div.help { "beside " (number(beside as u64)) } } }
            @if of.is_driven { td.number data-name="Used" { @if let Some(used) = used { (used) } } }
            td.axis data-name="Time" { (bar(axis, span, class)) }
        }
    }
}

fn took(visit: &PageVisit, span: StepSpan) -> Markup {
    let took = self::span(span.took_ms(visit.now_ms));
    html! {
        @match span.ended_ms {
            None => { (took) div.help { "so far" } }
            Some(_) if span.is_backwards() => span title="The end is before the start: a clock was set back" { "clock set back" },
            Some(_) => (took),
        }
    }
}

/// Percentages, so that no letter and no line is stretched.
fn bar(axis: &TimeAxis, span: StepSpan, class: &str) -> Markup {
    let bar = axis.bar(span);
    let goes_on = span.ended_ms.is_none().then_some("on");
    html! {
        svg.wf width="100%" height="18" aria-hidden="true" {
            rect class=(class) data-goes=[goes_on] x=(format!("{:.2}%", bar.left)) width=(format!("{:.2}%", bar.width)) y="3" height="12" {}
        }
    }
}

fn scale(axis: &TimeAxis) -> Markup {
    html! {
        svg.wf width="100%" height="18" aria-hidden="true" {
            @for (place, anchor) in NAMED {
                text.soft x={ (place) "%" } y="13" text-anchor=(anchor) font-size="12" {
                    "+" (span(axis.length_ms() / 100 * i64::from(place) + axis.length_ms() % 100 * i64::from(place) / 100))
                }
            }
        }
    }
}

fn key() -> Markup {
    html! {
        ul.chips.help {
            @for (class, name) in KEY {
                li { svg.wf.sample width="34" height="18" aria-hidden="true" { rect class=(class) x="1" width="32" y="3" height="12" {} } " " (name) }
            }
        }
    }
}

/// The way to the other steps.
fn parts_of(trail: &RunTrail, of: &WaterfallOf<'_>, part: usize) -> Markup {
    let at = |part: usize| PageAddress::of(["console", "runs", of.run]).with("part", part);
    let range = trail.range(part);
    html! {
        @if trail.parts() > 1 {
            nav.row.pages aria-label="Steps" {
                @if part > 1 { a.button href=(at(part - 1)) rel="prev" { "Earlier steps" } }
                span { "Steps " (number(range.start as u64 + 1)) " to " (number(range.end as u64)) " of " (number(trail.steps.len() as u64)) }
                @if part < trail.parts() { a.button href=(at(part + 1)) rel="next" { "Later steps" } }
            }
        }
        @if trail.is_cut {
            p.help { "Only the latest steps are shown here. " a href=(PageAddress::of(["console", "calls"]).with("run", of.run)) { "All calls of this run" } }
        }
        @if trail.has_more_children {
            p.help { "There are more child runs: " a href=(PageAddress::of(["console", "runs"]).with("parent", of.run)) { "see them all" } }
        }
    }
}

impl StepRow {
    fn of(step: &RunStep, of: &WaterfallOf<'_>) -> Self {
        match step {
            RunStep::Turn(turn) => Self::of_turn(turn, of),
            RunStep::Call(seen) => Self::of_call(seen),
            RunStep::Approval(approval) => Self::of_approval(approval),
            RunStep::Question(question) => Self::of_question(question),
            RunStep::Child(run) => Self::of_child(run, of),
        }
    }

    fn of_turn(turn: &RunTurnData, of: &WaterfallOf<'_>) -> Self {
        Self {
            entry: format!("turn-{}", turn.turn),
            class: "turn",
            what: html! {
                "Model, turn " a href=(PageAddress::of(["console", "runs", of.run, "chat"])) { (number(turn.turn)) }
                span.soft { (text::short(&turn.model)) }
                @if turn.phase == "failed" { (parts::badge("failed", BadgeTone::Bad)) }
            },
            more: html! { @if let Some(fault) = &turn.fault { p.help { (text::short(fault)) } } },
            used: Some(html! {
                (tokens(&turn.tokens))
                @if turn.cost_micros > 0 { div.help { (money(turn.cost_micros, of.currency)) } }
            }),
        }
    }

    fn of_call(seen: &SeenCall) -> Self {
        let SeenCall { call, refs } = seen;
        let (pictures, others): (Vec<_>, Vec<_>) = refs.iter().partition(|one| one.is_picture());
        Self {
            entry: call.call.clone(),
            class: "call",
            what: html! {
                a href=(PageAddress::of(["console", "calls", &call.call])) title=(call.call) { (text::short(&call.tool)) }
                (state_of_call(&call.state))
                @if call.kind != "data" { span.badge { (text::short(&call.kind)) } }
            },
            more: html! {
                @for one in pictures { (picture::of_ref(&one.ref_id, &format!("A picture that {} brought", call.tool))) }
                @if !others.is_empty() { p.help { "Brought " @for one in others { (links::brief(&one.ref_id)) " " } } }
            },
            used: None,
        }
    }

    fn of_approval(approval: &RunApprovalData) -> Self {
        let place = PageAddress::of(["console", "inbox", "approvals", &approval.id]);
        Self {
            entry: approval.id.clone(),
            class: "wait",
            what: html! {
                a href=(place) { "Approval" }
                span {
                    "of "
                    @if let Some(call) = &approval.call { a href=(PageAddress::of(["console", "calls", call])) { (text::short(&approval.tool)) } }
                    @else { (text::short(&approval.tool)) }
                }
                (parts::state(&approval.state))
            },
            more: html! {},
            used: None,
        }
    }

    fn of_question(asked: &RunQuestionData) -> Self {
        let place = PageAddress::of(["console", "inbox", "inputs", &asked.id]);
        Self {
            entry: asked.id.clone(),
            class: "wait",
            what: html! { span { "Question: " a href=(place) { (text::cut(&asked.prompt_key, QUESTION_CHARS)) } } (parts::state(&asked.state)) },
            more: html! { @if let Some(answer) = &asked.answer { (answered(asked, answer)) } },
            used: None,
        }
    }

    fn of_child(run: &RunData, of: &WaterfallOf<'_>) -> Self {
        let used = run.used;
        Self {
            entry: run.id.clone(),
            class: "child",
            what: html! { span { "Child run: " (links::id(&run.id)) } (parts::state(&run.state)) },
            more: html! { @if let Some(summary) = &run.summary { p.help { (text::short(summary)) } } },
            used: (used.turns > 0).then(|| {
                html! {
                    (number(used.tokens)) " tokens"
                    @if used.cost_micros > 0 { div.help { (money(used.cost_micros, of.currency)) } }
                }
            }),
        }
    }
}

fn answered(asked: &RunQuestionData, answer: &serde_json::Value) -> Markup {
    html! {
        div.help {
            "Answer" @if let Some(by) = &asked.answered_by { " of " (text::short(by)) } ": "
            (text::cut(&answer.as_str().map_or_else(|| answer.to_string(), str::to_owned), QUESTION_CHARS))
        }
    }
}

fn tokens(tokens: &TokensData) -> Markup {
    html! { (number(tokens.input)) " in, " (number(tokens.output)) " out" }
}

pub(super) fn state_of_call(state: &str) -> Markup {
    match state {
        "open" => parts::badge("in progress", BadgeTone::Waiting),
        other => parts::state(other),
    }
}
