//! The building blocks of pages. They render all data from outside.

pub(crate) mod allowed;
pub(crate) mod diff;
pub(crate) mod json;
pub(crate) mod links;
pub(crate) mod moment;
pub(crate) mod money;
pub(crate) mod picture;
pub(crate) mod text;

use maud::{Markup, html};

use crate::address::PageAddress;

/// The colour of a badge; its word has the same meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadgeTone {
    Plain,
    Good,
    Waiting,
    Bad,
}

impl BadgeTone {
    fn as_str(self) -> &'static str {
        match self {
            BadgeTone::Plain => "plain",
            BadgeTone::Good => "good",
            BadgeTone::Waiting => "waiting",
            BadgeTone::Bad => "bad",
        }
    }

    /// For the states and outcomes of the domain.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "succeeded" | "approved" | "used" | "completed" | "done" | "healthy" | "active" | "permit"
            | "answered" => BadgeTone::Good,
            "pending" | "pending_approval" | "pending_input" | "accepted" | "awaiting_approval"
            | "paused" | "approve" | "degraded" | "changes_requested" | "partial" | "idle" | "starting"
            | "registered" | "waiting" | "running" | "dispatched" | "drifted" => BadgeTone::Waiting,
            "failed" | "tool_error" | "invalid" | "refused" | "denied" | "deny" | "rejected" | "expired"
            | "unknown" | "quarantined" | "disabled" | "cancelled" | "lapsed" | "closed" | "retired"
            | "down" => BadgeTone::Bad,
            _ => BadgeTone::Plain,
        }
    }
}

/// A word in a frame: a state, an outcome, a role.
pub(crate) fn badge(word: &str, tone: BadgeTone) -> Markup {
    html! { span.badge data-tone=(tone.as_str()) { (text::short(&word.replace('_', " "))) } }
}

/// The same with the word's own tone.
pub(crate) fn state(word: &str) -> Markup {
    badge(word, BadgeTone::of(word))
}

/// The title of a page, and its actions.
pub(crate) fn heading(title: Markup, actions: Markup) -> Markup {
    html! { div.heading { h1 { (title) } div.actions { (actions) } } }
}

/// An empty state: its purpose, and the next step.
pub(crate) fn empty(title: &str, next: Markup) -> Markup {
    html! { div.empty { p.strong { (title) } div { (next) } } }
}

/// A number with its name.
pub(crate) fn stat(name: &str, value: Markup, more: Markup) -> Markup {
    html! { div.stat { span.name { (name) } span.value { (value) } span.more { (more) } } }
}

/// Names and values, one under the other.
pub(crate) fn facts(rows: impl IntoIterator<Item = (&'static str, Markup)>) -> Markup {
    html! { dl.facts { @for (name, value) in rows { div { dt { (name) } dd { (value) } } } } }
}

/// The link to the next page of a list, if there is one.
pub(crate) fn next_page(next: Option<PageAddress>) -> Markup {
    html! { @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "Older" } } } }
}

/// A text that can be copied with a click.
pub(crate) fn copyable(text: &str) -> Markup {
    html! { span.copyable { code { (text::made_visible(text)) } button.plain type="button" data-copy=(text) { "Copy" } } }
}

/// Bytes as people say them.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for next in &UNITS[1..] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

/// 12,345.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes_are_readable() {
        assert_eq!(
            (number(7), number(1_234), number(1_234_567)),
            ("7".into(), "1,234".into(), "1,234,567".into())
        );
        assert_eq!(
            (size(512), size(2_048), size(5 << 20)),
            ("512 bytes".into(), "2.0 KiB".into(), "5.0 MiB".into())
        );
    }
}
