//! One call: the request, the decisions, and the outcome.

use axum::extract::Path;
use axum::response::{Redirect, Response};
use http::HeaderMap;
use maud::{Markup, html};
use serde_json::Value;

use super::data::{CallApprovalData, CallData, CallTrail, CallsData, EventData, RecordedData};
use super::{outcome, steps};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::parts::moment::{ago, span};
use crate::parts::{self, BadgeTone, allowed, diff, json, links, picture, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// The number of characters of a digest beside others.
const DIGEST_CHARS: usize = 15;
/// The addresses of refs, as results name them.
const REFS: &str = "toolgate://refs/";

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let recorded: RecordedData = visit.get(PageAddress::of(["ledger", &id])).await?;
    let mut call = match recorded.archived {
        true => CallData::of_events(&id, &recorded.events),
        false if visit.audits() => listed(&visit, &id).await?,
        false => CallData::of_current_events(&id, &recorded.events),
    };
    let approval: Option<CallApprovalData> = match &call.approval {
        Some(approval) => visit.find(PageAddress::of(["approvals", approval])).await?,
        None => None,
    };
    if call.approval_state.is_none() {
        call.approval_state = approval.as_ref().map(|approval| approval.state.clone());
    }
    let asked = match approval.as_ref().filter(|approval| approval.call != call.id) {
        Some(approval) => visit.find::<RecordedData>(PageAddress::of(["ledger", &approval.call])).await?,
        None => None,
    };
    let way = CallTrail {
        own: recorded.read(),
        before: asked.map(|asked| asked.of_approval()).unwrap_or_default(),
    };
    let title = format!("Call of {}", call.tool.as_deref().unwrap_or("no tool"));
    let body = page(&visit, &call, &way, &recorded, approval.as_ref());
    Ok(visit.page(&title, ConsolePage::Calls, body).await)
}

/// The file that proves the call, to save.
pub(super) async fn prove(visit: PageVisit, Path(id): Path<String>, _: FormFields) -> PageResult<Response> {
    visit.pass_on(PageAddress::of(["ledger", &id, "proof"]), HeaderMap::new()).await
}

/// The page of a proof that is opened again.
pub(super) async fn back(Path(id): Path<String>) -> Redirect {
    Redirect::to(PageAddress::of(["console", "calls", &id]).as_str())
}

async fn listed(visit: &PageVisit, id: &str) -> PageResult<CallData> {
    let found: CallsData = visit.get(PageAddress::of(["calls"]).with("id", id)).await?;
    let unknown = || ApiProblem::not_found(format!("the ledger has no call {id}"));
    found.calls.into_iter().next().ok_or_else(unknown)
}

fn page(
    visit: &PageVisit,
    call: &CallData,
    way: &CallTrail,
    recorded: &RecordedData,
    approval: Option<&CallApprovalData>,
) -> Markup {
    let events = &way.own;
    let tool = html! { @if let Some(tool) = &call.tool { (links::tool(tool)) } @else { "no tool" } };
    html! {
        (parts::heading(html! { "Call of " (tool) }, html! { (outcome::badge(call)) }))
        @if recorded.archived {
            p { (parts::badge("archived", BadgeTone::Plain)) " The events of this call are from the archive. Its arguments and results are no longer kept in the database." }
        }
        div #call.split data-live="tool.call approval" {
            div {
                section.card aria-labelledby="way-title" {
                    h2 #way-title { "From proposal to result" }
                    (steps::spent(call, events))
                    (steps::timeline(visit, call, way))
                }
                section.card aria-labelledby="arguments-title" {
                    h2 #arguments-title { "Arguments" }
                    (arguments(visit, events, recorded, approval))
                    (beside(visit, events, recorded))
                }
                section.card aria-labelledby="result-title" {
                    h2 #result-title { "Result" }
                    (result(visit, call, events, recorded))
                }
            }
            div {
                section.card aria-labelledby="about-title" {
                    h2 #about-title { "About" }
                    (about(visit, call, events, approval))
                    @if visit.audits() { (steps::around(call, recorded)) }
                }
                section.card aria-labelledby="raw-title" {
                    h2 #raw-title { "Ledger events" }
                    p.help { "All events of this call, with their positions in the chain." }
                    @if visit.audits() && !recorded.archived { (proving(visit, &call.id)) }
                    (json::raw(&Value::from(recorded.events.clone())))
                }
            }
        }
    }
}

fn proving(visit: &PageVisit, id: &str) -> Markup {
    html! {
        form method="post" action=(PageAddress::of(["console", "calls", id, "proof"])) {
            (csrf(visit))
            button.button type="submit" { "Prove this call" }
            p.help {
                "Downloads a file that proves that the gateway recorded these events. The public key is enough to check it. "
                a href="/console/ledger/checkpoints" { "Checkpoints" } " has the key."
            }
        }
    }
}

fn about(
    visit: &PageVisit,
    call: &CallData,
    events: &[EventData],
    approval: Option<&CallApprovalData>,
) -> Markup {
    let took = call.duration_ms.map_or_else(|| "still running".to_owned(), |ms| span(ms.round() as i64));
    let find =
        |part: fn(&EventData) -> &Option<String>| events.iter().find_map(|event| part(event).as_deref());
    let (version, policy) = (find(|event| &event.tool_version), find(|event| &event.policy_version));
    let trace = find(|event| &event.trace);
    let digest = |digest: &str| html! { code title=(digest) { (text::cut_at(digest, DIGEST_CHARS).0) "…" } };
    let rows = [
        ("Call", Some(parts::copyable(&call.id))),
        ("Principal", Some(allowed::principal(visit, &call.principal))),
        ("Server", call.server.as_deref().map(|server| allowed::server(visit, server))),
        ("Session", call.session.as_deref().map(|session| allowed::id(visit, session))),
        ("Run", call.run.as_deref().map(|run| allowed::id(visit, run))),
        ("Approval", call.approval.as_deref().map(links::id)),
        ("Ran as", ran_as(call, approval)),
        ("Started", Some(ago(visit, &call.started_at))),
        ("Ended", call.ended_at.as_deref().map(|at| ago(visit, at))),
        ("Duration", Some(html! { (took) })),
        ("Tool version", version.map(digest)),
        ("Policy version", policy.map(digest)),
        ("Trace", trace.map(|trace| html! { code { (text::short(trace)) } })),
    ];
    parts::facts(rows.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

/// Another call that used the approval that this one asked for.
fn ran_as(call: &CallData, approval: Option<&CallApprovalData>) -> Option<Markup> {
    let other = approval?.used_by.as_deref().filter(|other| *other != call.id)?;
    Some(links::id(other))
}

fn arguments(
    visit: &PageVisit,
    events: &[EventData],
    recorded: &RecordedData,
    approval: Option<&CallApprovalData>,
) -> Markup {
    if let Some(CallApprovalData { arguments, proposed_arguments: Some(proposed), .. }) = approval {
        return html! {
            p { "An approver changed them. The call ran with the arguments on the right." }
            (diff::side_by_side(("proposed", &pretty(proposed)), ("effective", &pretty(arguments))))
            (json::raw(arguments))
        };
    }
    let digest = events.iter().find_map(|event| event.input.as_deref());
    // Links of ids lead to what an approver may not open.
    let show = if visit.audits() { shown } else { written };
    kept(digest, recorded, "The call was refused before its arguments were read.", show)
}

/// What the client put into `_meta` for the server.
fn beside(visit: &PageVisit, events: &[EventData], recorded: &RecordedData) -> Markup {
    let show = if visit.audits() { shown } else { written };
    let digest = events.iter().find_map(|event| event.meta.as_deref());
    html! {
        @if digest.is_some() {
            h3 { "Beside the arguments, in " code { "_meta" } }
            (kept(digest, recorded, "", show))
        }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn written(value: &Value) -> Markup {
    text::block(&pretty(value))
}

fn shown(value: &Value) -> Markup {
    html! { (json::tree(value)) (json::raw(value)) }
}

fn result(visit: &PageVisit, call: &CallData, events: &[EventData], recorded: &RecordedData) -> Markup {
    let end = events.iter().find(|event| event.kind == "tool.call.completed");
    let none = if call.ended_at.is_some() { outcome::sentence(call) } else { "There is no result yet." };
    let digest = end.and_then(|end| end.output.as_deref());
    if !visit.audits() && digest.is_some() {
        return html! { p.soft { "The result is for people who may read the ledger." } };
    }
    html! {
        @if let Some(end) = end { (refs(visit, &end.detail)) }
        (kept(digest, recorded, none, answer))
    }
}

/// The parts that were too large or too binary for the context, and the objects that the result is about.
fn refs(visit: &PageVisit, detail: &Value) -> Markup {
    let all = detail["refs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (objects, removed): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|one| one["type"].is_string());
    html! {
        @if !removed.is_empty() {
            p { "Removed from the result and stored:" }
            ul {
                @for one in removed {
                    li {
                        (links::id(one["ref_id"].as_str().unwrap_or_default()))
                        @if let Some(size) = one["size"].as_u64() { " " span.soft { (parts::size(size)) } }
                        @if let Some(id) = pictured(visit, one) { div { (picture::of_ref(id, "A picture of the result")) } }
                    }
                }
            }
        }
        @if !objects.is_empty() {
            p { "The result is about:" }
            ul { @for one in objects { li { (links::object(one)) } } }
        }
    }
}

/// The id of a ref that is a picture, for those who may read it.
fn pictured<'a>(visit: &PageVisit, one: &'a Value) -> Option<&'a str> {
    let id = one["ref_id"].as_str()?;
    let is_shown = picture::is_shown(one["media_type"].as_str()?, one["size"].as_u64()?);
    (visit.operates() && is_shown).then_some(id)
}

/// The blocks of a result as people read them, and all of it on demand.
fn answer(value: &Value) -> Markup {
    let Some(blocks) = value["content"].as_array() else { return shown(value) };
    let structured = value.get("structuredContent").filter(|value| !value.is_null());
    html! {
        @for one in blocks { (block(one)) }
        @if let Some(structured) = structured { h3 { "Structured" } (json::tree(structured)) }
        (json::raw(value))
    }
}

fn block(block: &Value) -> Markup {
    let name = block["uri"].as_str().and_then(|uri| uri.strip_prefix(REFS));
    match (block["type"].as_str(), block["text"].as_str(), name) {
        (Some("text"), Some(words), _) => said(words),
        (Some("resource_link"), _, Some(name)) => html! { p { "The content: " (links::id(name)) } },
        _ => json::tree(block),
    }
}

/// Text that is JSON is shown as such, with its ids as links.
fn said(words: &str) -> Markup {
    match serde_json::from_str::<Value>(words) {
        Ok(value) if value.is_object() || value.is_array() => json::tree(&value),
        _ => text::block(words),
    }
}

/// A body that the ledger names, if it was kept.
fn kept(digest: Option<&str>, recorded: &RecordedData, none: &str, show: fn(&Value) -> Markup) -> Markup {
    let Some(digest) = digest else { return html! { p.soft { (none) } } };
    match recorded.bodies.get(digest) {
        Some(body) => show(body),
        None if recorded.changed.iter().any(|changed| changed == digest) => html! {
            p { (parts::badge("changed", BadgeTone::Bad)) " The stored content differs from the recorded content: someone changed the database. The gateway does not show it." }
            (parts::copyable(digest))
        },
        None if recorded.archived => html! {
            p { "The database no longer has the content. Its digest:" }
            (parts::copyable(digest))
        },
        None => html! {
            p { "The content is not stored: it was too large for the ledger, its retention period has ended, or it was erased. Its digest:" }
            (parts::copyable(digest))
        },
    }
}
