//! Arguments for reading only: in the order of the schema, with the purpose of each.

use maud::{Markup, html};
use serde_json::Value;

use super::shape::{ControlKind, FormNode, FormShape, NodeGroup};
use crate::parts::{json, text};

const HELP_CHARS: usize = 300;

/// A value with the words of its schema.
pub(crate) fn shown(schema: &Value, value: &Value) -> Markup {
    let shape = FormShape::of(schema);
    match (&shape.root.kind, value) {
        (ControlKind::Group(group), Value::Object(members))
            if members.is_empty() && group.nodes.is_empty() =>
        {
            html! { p.soft { "There are no arguments." } }
        }
        (ControlKind::Group(group), Value::Object(_)) => {
            html! { dl.facts.arguments { (members(group, value)) } }
        }
        _ => json::tree(value),
    }
}

fn members(group: &NodeGroup, value: &Value) -> Markup {
    let named = group.nodes.iter().filter_map(|node| value.get(&node.name).map(|value| (node, value)));
    let is_named = |name: &String| group.nodes.iter().any(|node| node.name == *name);
    let others = value.as_object().into_iter().flatten().filter(|(name, _)| !is_named(name));
    html! {
        @for (node, value) in named { (member(node, value)) }
        @for (name, value) in others { div { dt { (text::short(name)) } dd { (json::tree(value)) } } }
    }
}

fn member(node: &FormNode, value: &Value) -> Markup {
    html! {
        div {
            dt {
                span.name { (text::short(&node.name)) }
                @if let Some(description) = &node.description { div.help { (text::cut(description, HELP_CHARS)) } }
            }
            dd {
                @match (&node.kind, value) {
                    (ControlKind::Group(group), Value::Object(_)) => dl.facts { (members(group, value)) },
                    (ControlKind::Paragraph, Value::String(written)) => (text::block(written)),
                    _ => (json::tree(value)),
                }
            }
        }
    }
}
