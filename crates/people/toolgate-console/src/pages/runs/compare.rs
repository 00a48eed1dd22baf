//! Two runs beside each other: their states, times, calls, tokens and money, and their steps as far as they are the same.

mod align;
mod difference;
mod steady;

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use self::align::AlignedCalls;
use self::difference::{RunDifferences, ValueDifference};
use super::data::{self, RunCallData, RunData, RunDetailData, seconds};
use super::trail;
use super::waterfall::state_of_call;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::{ago, span};
use crate::parts::money::money;
use crate::parts::{self, BadgeTone, diff, links, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Rows of steps on the page.
const ROWS_MAX: usize = 80;
/// Rows before the first difference, if not all rows are shown.
const ROWS_BEFORE: usize = 10;
/// Runs to choose from.
const CHOICE_MAX: usize = 20;
/// Characters of arguments and results on each side.
const VALUE_CHARS: usize = 6_000;

/// A run, and what there is to compare of it.
struct ComparedRun {
    run: RunData,
    calls: Vec<RunCallData>,
    currency: Option<String>,
}

#[derive(Deserialize)]
struct ChoiceData {
    runs: Vec<RunData>,
}

/// `a` and `b`; or `run` twice, as the list of runs sends them.
pub(super) async fn show(
    visit: PageVisit,
    Query(pairs): Query<Vec<(String, String)>>,
) -> PageResult<Response> {
    let named = pairs.iter().filter(|(name, _)| ["a", "b", "run"].contains(&name.as_str()));
    let mut ids = named.map(|(_, id)| id.trim()).filter(|id| !id.is_empty());
    let body = match (ids.next(), ids.next()) {
        (Some(a), Some(b)) => compared(&visit, a, b).await?,
        (a, _) => choice(&visit, a).await?,
    };
    Ok(visit.page("Compare two runs", ConsolePage::Runs, body).await)
}

async fn compared(visit: &PageVisit, a: &str, b: &str) -> PageResult<Markup> {
    let (left, right) = (ComparedRun::read(visit, a).await?, ComparedRun::read(visit, b).await?);
    let rows = align::align(&left.tools(), &right.tools());
    let found = difference::find(visit, &rows, &left.calls, &right.calls).await?;
    let swap = PageAddress::of(["console", "runs", "compare"]).with("a", b).with("b", a);
    Ok(html! {
        (parts::heading(html! { "Compare two runs" }, html! { a.button href=(swap) { "Swap" } }))
        section.card #totals aria-labelledby="totals-title" { h2 #totals-title { "Totals" } (totals(visit, &left, &right)) }
        section.card #aligned aria-labelledby="aligned-title" {
            h2 #aligned-title { "Calls" }
            (first(&found))
            (aligned(&rows, &left, &right, &found))
        }
        @if let Some(arguments) = &found.arguments { (differing("arguments", "First difference in arguments", arguments)) }
        @if let Some(result) = &found.result { (differing("result", "First difference in results", result)) }
    })
}

impl ComparedRun {
    async fn read(visit: &PageVisit, id: &str) -> PageResult<Self> {
        let RunDetailData { run, driven, .. } = visit.get(PageAddress::of(["runs", id])).await?;
        let calls = trail::calls(visit, &run.id).await?;
        let currency = data::currency(visit, driven.as_ref()).await?;
        Ok(Self { run, calls, currency })
    }

    fn tools(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.tool.as_str()).collect()
    }

    fn count(&self, state: &str) -> u64 {
        self.calls.iter().filter(|call| call.state == state).count() as u64
    }

    /// The time from its start to its end, or to now.
    fn lasted(&self, visit: &PageVisit) -> String {
        let started = self.run.started_at.as_deref().map(data::ms);
        let ended = self.run.ended_at.as_deref().map_or(visit.now_ms, data::ms);
        started.map_or_else(|| "not started".to_owned(), |started| span(ended.saturating_sub(started).max(0)))
    }
}

/// A row of the totals: its name, and the value of each run.
fn total(name: &str, left: &str, right: &str) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            td { (text::short(left)) }
            td { (text::short(right)) }
            td { @if left != right { "differs" } }
        }
    }
}

fn totals(visit: &PageVisit, left: &ComparedRun, right: &ComparedRun) -> Markup {
    let both = |name: &str, value: &dyn Fn(&ComparedRun) -> String| total(name, &value(left), &value(right));
    let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let (a, b) = (&left.run, &right.run);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Totals of both runs" {
            table.plain.compared {
                thead { tr { th scope="col" { "Value" } th scope="col" { "A" } th scope="col" { "B" } th scope="col" { "Difference" } } }
                tbody {
                    tr { th scope="row" { "Run" } td { (links::brief(&a.id)) } td { (links::brief(&b.id)) } td {} }
                    tr { th scope="row" { "Created" } td { (ago(visit, &a.created_at)) } td { (ago(visit, &b.created_at)) } td {} }
                    (both("State", &|one| one.run.state.clone()))
                    (both("Reason", &|one| one.run.reason.as_deref().map_or_else(|| "none".to_owned(), data::said)))
                    (both("Summary", &|one| word(&one.run.summary)))
                    (both("Task", &|one| word(&one.run.task)))
                    (both("Agent", &|one| one.run.agent.clone()))
                    (both("From start to end", &|one| one.lasted(visit)))
                    (both("Time at work", &|one| seconds(one.run.used.seconds)))
                    (both("Calls", &|one| number(one.run.used.calls)))
                    (both("Failed calls", &|one| number(one.count("failed"))))
                    (both("Model turns", &|one| number(one.run.used.turns)))
                    (both("Tokens", &|one| number(one.run.used.tokens)))
                    (both("Cost", &|one| money(one.run.used.cost_micros, one.currency.as_deref())))
                    (both("Artifacts", &|one| number(one.run.output.len() as u64)))
                }
            }
        }
    }
}

fn first(found: &RunDifferences) -> Markup {
    let is_same = found.call.is_none() && found.arguments.is_none() && found.result.is_none();
    html! {
        p.help { "Each row pairs calls of the same tool in order. The comparison leaves out ids that the gateway assigns." }
        @if is_same && !found.is_cut && !found.has_gaps { p { "Both runs made the same calls, and got the same results." } }
        @if found.is_cut { p.help { "Arguments and results were compared in the first " (difference::PAIRS_MAX) " rows with calls of both runs." } }
        @if found.has_gaps { p.help { "Arguments or results of some calls are no longer kept, and were not compared." } }
    }
}

fn aligned(rows: &[AlignedCalls], left: &ComparedRun, right: &ComparedRun, found: &RunDifferences) -> Markup {
    if rows.is_empty() {
        return parts::empty("Neither run called anything.", html! {});
    }
    let from = if rows.len() > ROWS_MAX { found.call.unwrap_or(0).saturating_sub(ROWS_BEFORE) } else { 0 };
    let until = rows.len().min(from + ROWS_MAX);
    html! {
        table.list.aligned {
            caption.unseen { "The calls of both runs, side by side" }
            thead { tr { th.number scope="col" { "Row" } th scope="col" { "A" } th scope="col" { "B" } th scope="col" { "Difference" } } }
            tbody {
                @for (row, pair) in rows.iter().enumerate().take(until).skip(from) {
                    @let (one, other) = (pair.left.map(|at| &left.calls[at]), pair.right.map(|at| &right.calls[at]));
                    tr {
                        td.number data-name="Row" { (row + 1) }
                        td data-name="A" { @if let Some(call) = one { (called(call)) } }
                        td data-name="B" { @if let Some(call) = other { (called(call)) } }
                        td data-name="Difference" { (marks(row, one, other, found)) }
                    }
                }
            }
        }
        @if rows.len() > until - from {
            p.help { "Rows " (number(from as u64 + 1)) " to " (number(until as u64)) " of " (number(rows.len() as u64)) "." }
        }
    }
}

fn called(call: &RunCallData) -> Markup {
    let took = call.ended_at.as_deref().map(|ended| (data::ms(ended) - data::ms(&call.started_at)).max(0));
    html! {
        a href=(PageAddress::of(["console", "calls", &call.call])) title=(call.call) { (text::short(&call.tool)) } " "
        (state_of_call(&call.state)) " "
        @if let Some(took) = took { span.soft { (span(took)) } }
    }
}

fn marks(
    row: usize,
    one: Option<&RunCallData>,
    other: Option<&RunCallData>,
    found: &RunDifferences,
) -> Markup {
    let says = match (one, other) {
        (Some(_), None) => Some("only in A"),
        (None, Some(_)) => Some("only in B"),
        (Some(one), Some(other)) if one.state != other.state => Some("ended differently"),
        _ => None,
    };
    let at = |place: &Option<ValueDifference>| place.as_ref().is_some_and(|first| first.row == row);
    html! {
        @if let Some(says) = says { (says) " " }
        @if found.call == Some(row) { (parts::badge("first different call", BadgeTone::Waiting)) " " }
        @if at(&found.arguments) { a href="#arguments" { (parts::badge("first different arguments", BadgeTone::Waiting)) } " " }
        @if at(&found.result) { a href="#result" { (parts::badge("first different result", BadgeTone::Waiting)) } }
    }
}

fn differing(id: &str, title: &str, found: &ValueDifference) -> Markup {
    let pretty = |value| {
        let whole = serde_json::to_string_pretty(value).unwrap_or_default();
        text::cut_at(&whole, VALUE_CHARS).0.to_owned()
    };
    let (left, right) = (pretty(&found.left), pretty(&found.right));
    let heading = format!("{id}-title");
    html! {
        section.card id=(id) aria-labelledby=(heading) {
            h2 id=(heading) { (title) }
            p.help { "In row " (found.row + 1) ". Open the calls to see everything." }
            (diff::side_by_side(("A", &left), ("B", &right)))
        }
    }
}

/// A run is there, and the other one is chosen.
async fn choice(visit: &PageVisit, a: Option<&str>) -> PageResult<Markup> {
    let first: Option<RunDetailData> = match a {
        Some(a) => Some(visit.get(PageAddress::of(["runs", a])).await?),
        None => None,
    };
    let first = first.map(|first| first.run);
    let task = first.as_ref().and_then(|first| first.task.as_deref());
    let asked = PageAddress::of(["runs"]).maybe("task", task).with("limit", CHOICE_MAX);
    let ChoiceData { runs } = visit.get(asked).await?;
    let others = runs.iter().filter(|one| first.as_ref().is_none_or(|first| first.id != one.id));
    Ok(html! {
        (parts::heading(html! { "Compare two runs" }, html! { a.button href="/console/runs" { "Runs" } }))
        form.card method="get" action="/console/runs/compare" aria-label="Runs to compare" {
            div.filters {
                div.field { label for="a" { "Run A" } input #a type="text" name="a" value=[first.as_ref().map(|first| &first.id)] autocomplete="off" placeholder="run_…"; }
                div.field { label for="b" { "Run B" } input #b type="text" name="b" autocomplete="off" placeholder="run_…"; }
                div.row { button.button.primary type="submit" { "Compare" } }
            }
        }
        @if let Some(first) = &first {
            section.card aria-labelledby="others-title" {
                h2 #others-title { @if task.is_some() { "Other runs of its task" } @else { "Latest runs" } }
                @if others.clone().next().is_none() { p.soft { "There are none yet." } }
                ul {
                    @for one in others {
                        li {
                            a href=(PageAddress::of(["console", "runs", "compare"]).with("a", &first.id).with("b", &one.id)) { (links::brief_text(&one.id)) } " "
                            (parts::state(&one.state)) " " (ago(visit, &one.created_at))
                        }
                    }
                }
            }
        }
    })
}
