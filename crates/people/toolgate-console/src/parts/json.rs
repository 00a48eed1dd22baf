//! JSON as people read it: indented, ids as links, long texts and long lists cut.

use maud::{Markup, html};
use serde_json::Value;

use super::{links, number, text};

const TEXT_CHARS: usize = 2_000;
const ENTRIES_MAX: usize = 200;
const DEPTH_MAX: usize = 24;
/// The amount of raw text that is shown; REST has all of it.
const RAW_CHARS: usize = 200_000;

/// A value with its ids as links.
pub(crate) fn tree(value: &Value) -> Markup {
    html! { div.json tabindex="0" { (node(value, 0)) } }
}

/// The raw text, collapsed.
pub(crate) fn raw(value: &Value) -> Markup {
    let written = serde_json::to_string_pretty(value).unwrap_or_default();
    html! {
        details.raw { summary { "Raw JSON" } pre.block tabindex="0" { (text::cut(&written, RAW_CHARS)) } }
    }
}

fn node(value: &Value, depth: usize) -> Markup {
    match value {
        Value::Null => html! { span.j-null { "null" } },
        Value::Bool(value) => html! { span.j-bool { (value) } },
        Value::Number(value) => html! { span.j-number { (value.to_string()) } },
        Value::String(value) => string(value),
        Value::Array(_) | Value::Object(_) if depth >= DEPTH_MAX => html! { span.cut { "… deeper" } },
        Value::Array(entries) if entries.is_empty() => html! { "[]" },
        Value::Object(members) if members.is_empty() => html! { "{}" },
        Value::Array(entries) => html! {
            ol.j-list start="0" {
                @for entry in entries.iter().take(ENTRIES_MAX) { li { (node(entry, depth + 1)) } }
            }
            (left_out(entries.len()))
        },
        Value::Object(members) => html! {
            dl.j-object {
                @for (name, value) in members.iter().take(ENTRIES_MAX) {
                    div { dt { (text::short(name)) } dd { (member(name, value, depth + 1)) } }
                }
            }
            (left_out(members.len()))
        },
    }
}

/// A value whose name may say of what a digest in it is.
fn member(name: &str, value: &Value, depth: usize) -> Markup {
    match value.as_str().and_then(|text| Some((text, links::place_of_member(name, text)?))) {
        Some((shown, place)) => html! { a.id href=(place) { (text::short(shown)) } },
        None => node(value, depth),
    }
}

fn string(value: &str) -> Markup {
    match links::place_of(value) {
        Some(place) => html! { a.id href=(place) { (text::short(value)) } },
        None => html! { span.j-string { (text::cut(value, TEXT_CHARS)) } },
    }
}

fn left_out(count: usize) -> Markup {
    let more = count.saturating_sub(ENTRIES_MAX);
    html! { @if more > 0 { p.cut { "… " (number(more as u64)) " more entries" } } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_in_a_result_are_links_and_the_rest_is_text() {
        let shown = tree(&json!({"ref_id": "ref_01", "note": "<img src=x onerror=alert(1)>"})).into_string();
        assert!(shown.contains(r#"<a class="id" href="/console/refs/ref_01">"#), "{shown}");
        assert!(shown.contains("&lt;img") && !shown.contains("<img"), "{shown}");
    }

    #[test]
    fn deep_and_wide_values_stay_small() {
        let mut deep = json!(1);
        for _ in 0..10_000 {
            deep = Value::Array(vec![deep]);
        }
        assert!(tree(&deep).into_string().len() < 4_000);
        let wide = Value::from(vec![0; 1_000_000]);
        assert!(tree(&wide).into_string().len() < 20_000);
        // Deep nesting is taken apart step by step; dropping it at once would need as many frames.
        while let Value::Array(mut inner) = deep {
            deep = inner.pop().unwrap_or_default();
        }
    }
}
