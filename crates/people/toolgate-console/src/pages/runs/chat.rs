//! The chat of a run: the messages between its agent and the model.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::model::unframed;

use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, json, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const PAGE: usize = 50;
/// The latest messages, beside the steps of a run.
const BESIDE: u64 = 12;
/// Characters of a text there; the chat's own page has more.
const BESIDE_CHARS: usize = 600;
/// Characters of a result that stands open. A longer one is collapsed.
const OPEN_CHARS_MAX: usize = 1_000;

#[derive(Default, Deserialize)]
pub(super) struct ChatPageQuery {
    #[serde(default)]
    after: Option<String>,
}

#[derive(Deserialize)]
struct ChatData {
    messages: Vec<MessageData>,
    #[serde(default)]
    next_after: Option<u64>,
}

#[derive(Deserialize)]
struct MessageData {
    number: u64,
    turn: u64,
    role: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<PlannedCallData>,
    #[serde(default)]
    results: Vec<CallResultData>,
    #[serde(default)]
    folded_into: Option<u64>,
    at: String,
}

#[derive(Deserialize)]
struct PlannedCallData {
    name: String,
    arguments: Value,
}

#[derive(Deserialize)]
struct CallResultData {
    name: String,
    text: String,
    is_error: bool,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(wanted): Query<ChatPageQuery>,
) -> PageResult<Response> {
    let asked = PageAddress::of(["runs", &id, "chat"]).maybe("after", wanted.after.as_deref());
    let page: ChatData = visit.get(asked.with("limit", PAGE)).await?;
    let run = PageAddress::of(["console", "runs", &id]);
    let next =
        page.next_after.map(|after| PageAddress::of(["console", "runs", &id, "chat"]).with("after", after));
    let body = html! {
        (parts::heading(html! { "Chat of run " (text::short(&id)) }, html! { a.button href=(run) { "The run" } }))
        p { "The messages to the model, the calls that it made, and their results. Results are data from other programs." }
        section #chat data-live="model run" aria-label="Messages" {
            @if page.messages.is_empty() { (nothing()) }
            @for one in &page.messages { (message(&visit, one)) }
            @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "Newer" } } }
        }
    };
    Ok(visit.page(&format!("Chat of run {id}"), ConsolePage::Runs, body).await)
}

/// The latest messages, in short.
pub(super) async fn beside(visit: &PageVisit, run: &str, messages: u64) -> Markup {
    let after = messages.saturating_sub(BESIDE);
    let asked = PageAddress::of(["runs", run, "chat"]).with("after", after).with("limit", BESIDE);
    let whole = PageAddress::of(["console", "runs", run, "chat"]);
    // A message that was changed in the database hides no other part of the page.
    let found = visit.get::<ChatData>(asked).await;
    html! {
        @match &found {
            Err(problem) => p.notice { (text::long(&problem.detail)) },
            Ok(page) => {
                @if after > 0 { p { a href=(whole) { "All " (parts::number(messages)) " messages" } } } @else { p { a href=(whole) { "The chat on its own page" } } }
                @for one in &page.messages { (brief(visit, one)) }
            }
        }
    }
}

fn brief(visit: &PageVisit, one: &MessageData) -> Markup {
    html! {
        div.message data-entry={ "message-" (one.number) } {
            p.help {
                (parts::badge(speaker(&one.role), BadgeTone::Plain)) " "
                @if one.turn > 0 { "turn " (parts::number(one.turn)) ", " } (ago(visit, &one.at))
            }
            @if !one.text.is_empty() { p.prose { (text::cut(&one.text, BESIDE_CHARS)) } }
            @for call in &one.calls { p { "Calls " code { (text::short(&call.name)) } } }
            @for result in &one.results {
                p {
                    "Result of " code { (text::short(&result.name)) } ": " (text::cut(unframed(&result.text), BESIDE_CHARS / 2))
                    @if result.is_error { " " (parts::badge("error", BadgeTone::Bad)) }
                }
            }
        }
    }
}

fn nothing() -> Markup {
    parts::empty(
        "There are no messages.",
        html! { p { "An agent with its own loop sends no messages here. Its steps are on the run's page." } },
    )
}

fn message(visit: &PageVisit, one: &MessageData) -> Markup {
    html! {
        section.card data-entry=(one.number) aria-label={ "Message " (one.number) } {
            p.help {
                (parts::badge(speaker(&one.role), BadgeTone::Plain)) " "
                @if one.turn > 0 { "turn " (parts::number(one.turn)) ", " } (ago(visit, &one.at))
                @if let Some(number) = one.folded_into { ", folded into message " (parts::number(number)) }
            }
            @if !one.text.is_empty() { (text::block(&one.text)) }
            @for call in &one.calls {
                details { summary { "Calls " (text::short(&call.name)) } (json::tree(&call.arguments)) }
            }
            @for one in &one.results { (result(one)) }
        }
    }
}

/// A result without the frame that it has for the model.
fn result(one: &CallResultData) -> Markup {
    let words = unframed(&one.text);
    let is_long = words.chars().nth(OPEN_CHARS_MAX).is_some();
    html! {
        details open[!is_long] {
            summary {
                "Result of " (text::short(&one.name))
                @if one.is_error { " " (parts::badge("error", BadgeTone::Bad)) }
            }
            (data(words))
        }
    }
}

/// JSON as a tree, and any other text as it is.
fn data(words: &str) -> Markup {
    match serde_json::from_str(words) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => json::tree(&value),
        Ok(_) | Err(_) => text::block(words),
    }
}

/// The role of a message, as people say it.
fn speaker(role: &str) -> &str {
    match role {
        "user" => "a task or the gateway",
        "assistant" => "model",
        "tool" => "results",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &str) -> String {
        let text = format!("<tool_result tool=\"a\" mark=\"f3\">\n{words}\n</tool_result mark=\"f3\">");
        result(&CallResultData { name: "bank__balance".to_owned(), text, is_error: false }).into_string()
    }

    #[test]
    fn a_result_is_shown_without_its_frame_and_json_as_json() {
        let balance = shown(r#"{"balance":120,"call":"tc_1"}"#);
        for part in [r#"<dl class="j-object">"#, "balance", r#"href="/console/calls/tc_1""#] {
            assert!(balance.contains(part), "{part}: {balance}");
        }
        let words = shown("120 euros");
        assert!(words.contains("<bdi>120 euros</bdi>"), "{words}");
        for one in [balance, words, shown("7"), shown("{ no JSON")] {
            assert!(!one.contains("tool_result") && !one.contains("f3"), "{one}");
        }
    }

    #[test]
    fn a_hostile_result_is_text() {
        for hostile in [
            "</tool_result mark=\"f4\"><img src=x onerror=alert(1)>\u{202e}",
            "{\"<img src=x>\":\"</details><img src=x>\u{202e}\"}",
        ] {
            let inert = shown(hostile);
            assert!(!inert.contains("<img") && !inert.contains('\u{202e}'), "{inert}");
            assert!(inert.contains("&lt;img") && inert.matches("</details>").count() == 1, "{inert}");
        }
    }

    #[test]
    fn a_long_result_is_collapsed() {
        let open = shown(&"é".repeat(OPEN_CHARS_MAX));
        assert!(open.starts_with("<details open>"), "{open}");
        assert!(shown(&"é".repeat(OPEN_CHARS_MAX + 1)).starts_with("<details><summary>"));
    }
}
