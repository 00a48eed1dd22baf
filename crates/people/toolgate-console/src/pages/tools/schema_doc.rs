//! A schema as documentation: a row for each argument, also of those within others.

use maud::{Markup, html};
use serde_json::Value;

use crate::parts::{self, json, text};
use crate::schema_form::{ControlKind, FormNode, FormShape};

/// The maximum number of listed options.
const CHOICES_MAX: usize = 20;
const VALUE_CHARS: usize = 120;

pub(super) fn show(schema: &Value, empty: &str) -> Markup {
    let shape = FormShape::of(schema);
    let rows = rows(&shape.root);
    html! {
        @if rows.is_empty() && matches!(shape.root.kind, ControlKind::Group(_)) {
            p.soft { (empty) }
        } @else if rows.is_empty() {
            p.soft { "It is too complex for a table:" }
            (json::tree(schema))
        } @else {
            (table(&rows))
        }
        (json::raw(schema))
    }
}

/// One argument, by its path: `to.name`, `lines[].text`.
struct ArgumentRow<'a> {
    path: String,
    node: &'a FormNode,
}

fn rows(root: &FormNode) -> Vec<ArgumentRow<'_>> {
    let mut found = Vec::new();
    collect(root, "", &mut found);
    found
}

fn collect<'a>(node: &'a FormNode, path: &str, found: &mut Vec<ArgumentRow<'a>>) {
    let (inner, path) = match &node.kind {
        ControlKind::Group(group) => (&group.nodes, path.to_owned()),
        _ => (&node.held, format!("{path}[]")),
    };
    for member in inner {
        let path = if path.is_empty() { member.name.clone() } else { format!("{path}.{}", member.name) };
        found.push(ArgumentRow { path: path.clone(), node: member });
        collect(member, &path, found);
    }
}

fn table(rows: &[ArgumentRow<'_>]) -> Markup {
    html! {
        table.list.schema {
            thead { tr { th scope="col" { "Name" } th scope="col" { "Type" } th scope="col" { "Needed" } th scope="col" { "Description" } } }
            tbody {
                @for row in rows {
                    tr {
                        td data-name="Name" { code { (text::short(&row.path)) } }
                        td data-name="Type" { (text::short(&row.node.word)) }
                        td data-name="Needed" { @if row.node.is_required { strong { "required" } } @else { span.soft { "optional" } } }
                        td data-name="Description" { (about(row.node)) }
                    }
                }
            }
        }
    }
}

fn about(node: &FormNode) -> Markup {
    let said = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    html! {
        div {
            @if let Some(title) = node.title.as_ref().filter(|title| !title.eq_ignore_ascii_case(&node.name)) { div.strong { (text::short(title)) } }
            @if let Some(description) = &node.description { div.prose { (text::long(description)) } }
            @if let ControlKind::Choice(choices) | ControlKind::Choices(choices) = &node.kind {
                div { "One of " @for (place, choice) in choices.iter().take(CHOICES_MAX).enumerate() { @if place > 0 { ", " } code { (text::cut(&said(choice), VALUE_CHARS)) } }
                    @if choices.len() > CHOICES_MAX { " and " (parts::number((choices.len() - CHOICES_MAX) as u64)) " more" } }
            }
            @if !node.notes.is_empty() { div.help { (text::long(&node.notes.join("; "))) } }
            @if let Some(default) = &node.default { div.help { "Default: " code { (text::cut(&said(default), VALUE_CHARS)) } } }
            @if let Some(example) = &node.example { div.help { "Example: " code { (text::cut(&said(example), VALUE_CHARS)) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_within_others_have_their_way_there() {
        let schema = json!({"type": "object", "required": ["to"], "properties": {
            "to": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}},
            "lines": {"type": "array", "items": {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string"}}}},
            "unit": {"enum": ["kg", "t"], "default": "kg"}}});
        let shown = show(&schema, "none").into_string();
        for part in
            ["to.name", "lines[].sku", "minimum characters: 1", "list of object", "<code><bdi>t</bdi></code>"]
        {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn a_tool_without_arguments_says_so() {
        assert!(show(&json!({"type": "object"}), "It takes none.").into_string().contains("It takes none."));
    }
}
