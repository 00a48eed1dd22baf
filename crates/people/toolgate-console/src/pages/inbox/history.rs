//! Past decisions, with author and reason; and answered questions.

use maud::{Markup, html};
use serde::Deserialize;

use super::data::{ApprovalData, InputData};
use super::list::{ARGUMENTS_BYTES_MAX, GLANCE_CHARS, ListQuery, PAGE, WHY_CHARS, glance, plain};
use super::ways::{approval_page, inbox, question_page};
use crate::address::PageAddress;
use crate::parts::{self, allowed, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The states that approvals end in.
const STATES: [(&str, &str); 7] = [
    ("approved", "Approved"),
    ("used", "Used"),
    ("denied", "Denied"),
    ("changes_requested", "Changes requested"),
    ("expired", "Expired"),
    ("cancelled", "Cancelled"),
    ("lapsed", "Lapsed"),
];

#[derive(Deserialize)]
struct ApprovalsPage {
    approvals: Vec<ApprovalData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct InputsPage {
    inputs: Vec<InputData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

pub(super) async fn decided(visit: &PageVisit, query: &ListQuery) -> PageResult<Markup> {
    let address =
        PageAddress::of(["approvals"]).with("limit", PAGE).with("arguments_bytes_max", ARGUMENTS_BYTES_MAX);
    let state = query.state.as_deref().filter(|state| !state.is_empty()).unwrap_or("decided");
    let address = address.with("state", state).maybe("cursor", query.cursor.as_deref());
    let ApprovalsPage { approvals, next_cursor } = visit.get(address).await?;
    let here = inbox().with("show", "decided").maybe("state", query.state.as_deref());
    Ok(html! {
        (states(query.state.as_deref()))
        div #entries data-live="approval" {
            @if approvals.is_empty() {
                (parts::empty("No decisions yet.", html! { p { "Past decisions appear here, with who decided and why." } p { a href=(inbox()) { "See the inbox" } } }))
            } @else {
                (decided_table(visit, &approvals))
            }
            (parts::next_page(next_cursor.map(|cursor| here.with("cursor", cursor))))
        }
    })
}

fn states(here: Option<&str>) -> Markup {
    let all = inbox().with("show", "decided");
    html! {
        nav aria-label="States" {
            ul.chips.states {
                li { a.button.small href=(all) aria-current=[here.is_none().then_some("page")] { "All" } }
                @for (state, name) in STATES {
                    li { a.button.small href=(all.clone().with("state", state)) aria-current=[(here == Some(state)).then_some("page")] { (name) } }
                }
            }
        }
    }
}

fn decided_table(visit: &PageVisit, approvals: &[ApprovalData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Tool" } th scope="col" { "Outcome" } th scope="col" { "Caller" }
                th scope="col" { "Decided by" } th scope="col" { "When" }
            } }
            tbody {
                @for approval in approvals {
                    tr data-entry=(approval.id) {
                        td data-name="Tool" { div { a href=(approval_page(&approval.id)) { (text::short(&approval.tool)) } div.glance.soft { (glance(approval)) } } }
                        td data-name="Outcome" { span { (parts::state(&approval.state)) } }
                        td data-name="Caller" { span { (text::short(&approval.principal)) } }
                        td data-name="Decided by" { div { (by(approval)) } }
                        td data-name="When" { span { (moment::ago(visit, approval.resolved_at.as_deref().unwrap_or(&approval.created_at))) } }
                    }
                }
            }
        }
    }
}

fn by(approval: &ApprovalData) -> Markup {
    html! {
        @match approval.last_word() {
            Some(vote) => {
                (text::short(&vote.person))
                @if let Some(reason) = &vote.reason { div.soft { (text::cut(reason, WHY_CHARS)) } }
            },
            None => span.soft { "no one" },
        }
    }
}

pub(super) async fn answered(visit: &PageVisit, query: &ListQuery) -> PageResult<Markup> {
    let address = PageAddress::of(["inputs"]).with("state", "answered").with("limit", PAGE);
    let InputsPage { inputs, next_cursor } =
        visit.get(address.maybe("cursor", query.cursor.as_deref())).await?;
    let here = inbox().with("show", "answered");
    Ok(html! {
        div #entries data-live="input" {
            @if inputs.is_empty() {
                (parts::empty("No questions have been answered yet.", html! { p { "Runs ask with " code { "request_user_input" } "; the answers appear here." } p { a href=(inbox()) { "See the inbox" } } }))
            } @else {
                (answered_table(visit, &inputs))
            }
            (parts::next_page(next_cursor.map(|cursor| here.with("cursor", cursor))))
        }
    })
}

fn answered_table(visit: &PageVisit, inputs: &[InputData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Question" } th scope="col" { "Answer" } th scope="col" { "Answered by" }
                th scope="col" { "Run" } th scope="col" { "When" }
            } }
            tbody {
                @for input in inputs {
                    tr data-entry=(input.id) {
                        td data-name="Question" { a href=(question_page(&input.id)) { (text::cut(&input.prompt_key, WHY_CHARS)) } }
                        td data-name="Answer" { span { @if let Some(answer) = &input.answer { (text::cut(&plain(answer), GLANCE_CHARS)) } } }
                        td data-name="Answered by" { span { (text::short(input.answered_by.as_deref().unwrap_or("no one"))) } }
                        td data-name="Run" { span { (allowed::id(visit, &input.run)) } }
                        td data-name="When" { span { (moment::ago(visit, input.resolved_at.as_deref().unwrap_or(&input.created_at))) } }
                    }
                }
            }
        }
    }
}
