//! The result of a trial, for the user: texts, data, refs as links, or the reason why there is none.

use maud::{Markup, html};
use serde_json::Value;

use super::call::EnvelopeData;
use super::upload::FormUpload;
use crate::parts::{self, json, links, text};

const BLOCKS_MAX: usize = 50;

pub(super) fn show(envelope: &EnvelopeData, uploads: &[FormUpload]) -> Markup {
    html! {
        section.card #outcome aria-labelledby="outcome-title" data-status=(envelope.status) tabindex="-1" {
            h2 #outcome-title { "Outcome " (parts::state(&envelope.status)) }
            p.soft { "Call " (links::id(&envelope.tool_call_id)) " has the details." }
            (stored(uploads))
            (waiting(envelope))
            (refusal(envelope))
            (warnings(&envelope.warnings))
            @if let Some(data) = &envelope.data { (result(data)) }
            (refs(&envelope.refs))
            @if let Some(data) = &envelope.data { (json::raw(data)) }
        }
    }
}

/// The same for a call from another page, without uploads.
pub(in crate::pages) fn of_call(envelope: &EnvelopeData) -> Markup {
    show(envelope, &[])
}

pub(super) fn stored(uploads: &[FormUpload]) -> Markup {
    html! {
        @for upload in uploads {
            p { "Stored " (links::id(&upload.file.id)) " for " code { (text::short(&upload.argument)) } "." }
        }
    }
}

fn waiting(envelope: &EnvelopeData) -> Markup {
    html! {
        @if let (Some(approval), "pending_approval") = (&envelope.approval_id, envelope.status.as_str()) {
            p.notice {
                "It has not run yet because a person must approve it first. Approval " (links::id(approval)) " waits in the "
                a href="/console/inbox" { "inbox" } ". Once it is approved, try it again with the same arguments."
            }
        } @else if envelope.status == "pending_input" {
            p.notice { "It waits for an answer to a question in the " a href="/console/inbox" { "inbox" } "." }
        } @else if envelope.status == "accepted" {
            p.notice { "The server continues in the background. The call above shows the outcome." }
        }
    }
}

fn refusal(envelope: &EnvelopeData) -> Markup {
    html! {
        @if let Some(error) = envelope.error.as_ref().filter(|_| !envelope.status.starts_with("pending_")) {
            div.error role="alert" {
                (text::block(&error.message))
                @if let Some(hint) = &error.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
                @if !error.code.is_empty() { p.help { "Code " code { (text::short(&error.code)) } } }
            }
        }
    }
}

fn warnings(warnings: &[Value]) -> Markup {
    html! {
        @for warning in warnings {
            p.notice { (text::long(warning["message"].as_str().unwrap_or(&warning.to_string()))) }
        }
    }
}

/// The result of a server: blocks of content, and data.
fn result(data: &Value) -> Markup {
    let blocks = data["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let structured = data.get("structuredContent");
    html! {
        @if data["isError"] == Value::Bool(true) { p.error role="alert" { "The tool reported an error:" } }
        @for one in blocks.iter().take(BLOCKS_MAX) { (block(one)) }
        @if blocks.len() > BLOCKS_MAX { p.cut { "… " (blocks.len() - BLOCKS_MAX) " more blocks" } }
        @if let Some(structured) = structured { h3 { "Data" } (json::tree(structured)) }
        @if blocks.is_empty() && structured.is_none() { (json::tree(data)) }
    }
}

fn block(block: &Value) -> Markup {
    let part = |key: &str| block[key].as_str().unwrap_or_default();
    html! {
        @match part("type") {
            "text" => (text::block(part("text"))),
            "resource_link" => p { "A link: " (resource(part("uri"))) " " (text::short(part("name"))) },
            kind @ ("image" | "audio") => p.soft { (kind) " of " code { (text::short(part("mimeType"))) } ", " (parts::size(part("data").len() as u64 / 4 * 3)) },
            "resource" => (json::tree(&block["resource"])),
            _ => (json::tree(block)),
        }
    }
}

/// Refs of the gateway are pages here; other URIs are only text.
fn resource(uri: &str) -> Markup {
    let id = uri.rsplit('/').next().unwrap_or_default();
    match links::place_of(id) {
        Some(place) => html! { a.id href=(place) { (text::short(id)) } },
        None => html! { code { (text::short(uri)) } },
    }
}

fn refs(refs: &[Value]) -> Markup {
    html! {
        @if !refs.is_empty() {
            h3 { "About" }
            p.help { "Items of the result. Parts that are too large for a model's context, or binary, are stored; other tools take them by id." }
            ul {
                @for one in refs {
                    li {
                        (links::object(one)) " "
                        @if let Some(kind) = one["media_type"].as_str() { code { (text::short(kind)) } }
                        @if let Some(size) = one["size"].as_u64() { ", " (parts::size(size)) }
                        @if let Some(preview) = one["preview"].as_str() { div.help { (text::cut(preview, 300)) } }
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
    fn refs_are_links_and_texts_are_text() {
        let data = json!({"content": [{"type": "text", "text": "<script>alert(1)</script>"},
            {"type": "resource_link", "uri": "toolgate://refs/ref_01", "name": "x"}, {"type": "resource_link", "uri": "javascript:alert(1)"}]});
        let shown = result(&data).into_string();
        assert!(shown.contains(r#"href="/console/refs/ref_01""#), "{shown}");
        assert!(!shown.contains("<script") && !shown.contains("href=\"javascript"), "{shown}");
    }
}
