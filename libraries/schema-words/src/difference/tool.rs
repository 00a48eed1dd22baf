//! Definitions of tools, as MCP servers give them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::change::{ChangeKind, SchemaChange, SchemaDifference, SchemaNoun};
use super::walk;
use crate::equality::is_same;
use crate::quoted;

/// The changes from one definition of a tool to another: its texts, arguments, result and annotations.
pub fn tool_difference(old: &Value, new: &Value) -> SchemaDifference {
    let mut changes = Vec::new();
    text(&mut changes, "name", ChangeKind::Altered, old, new);
    text(&mut changes, "title", ChangeKind::Wording, old, new);
    text(&mut changes, "description", ChangeKind::Wording, old, new);
    let anything = json!(true);
    let schema = |of: &Value, keyword: &str| of.get(keyword).cloned();
    let (before, after) = (schema(old, "inputSchema"), schema(new, "inputSchema"));
    let (before, after) = (before.as_ref().unwrap_or(&anything), after.as_ref().unwrap_or(&anything));
    changes.extend(walk::changes(before, after, SchemaNoun::Argument));
    result(&mut changes, old.get("outputSchema"), new.get("outputSchema"));
    annotations(&mut changes, old.get("annotations"), new.get("annotations"));
    SchemaDifference::of(changes, SchemaNoun::Argument)
}

fn text(changes: &mut Vec<SchemaChange>, member: &str, kind: ChangeKind, old: &Value, new: &Value) {
    let verb = match (old.get(member), new.get(member)) {
        (one, other) if one == other => return,
        (None, _) => "was added",
        (_, None) => "was removed",
        _ => "changed",
    };
    changes.push(SchemaChange { path: String::new(), kind, words: format!("the {member} {verb}") });
}

/// Changes of a result concern those who read it.
fn result(changes: &mut Vec<SchemaChange>, old: Option<&Value>, new: Option<&Value>) {
    let words = match (old, new) {
        (None, None) => return,
        (Some(old), Some(new)) => {
            let inner = walk::changes(old, new, SchemaNoun::Member).into_iter();
            // An optional member of a result is no optional argument.
            let kind = |kind| if kind == ChangeKind::Wording { kind } else { ChangeKind::Altered };
            changes.extend(inner.map(|change| SchemaChange {
                kind: kind(change.kind),
                words: format!("in the result, {}", change.words),
                ..change
            }));
            return;
        }
        (None, Some(_)) => "the result has a schema now",
        (Some(_), None) => "the result has no schema any more",
    };
    changes.push(SchemaChange { path: String::new(), kind: ChangeKind::Altered, words: words.to_owned() });
}

fn annotations(changes: &mut Vec<SchemaChange>, old: Option<&Value>, new: Option<&Value>) {
    let members = |of: Option<&Value>| of.and_then(Value::as_object).cloned().unwrap_or_default();
    let (old, new): (Map<String, Value>, Map<String, Value>) = (members(old), members(new));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let words = match (old.get(name), new.get(name)) {
            (Some(before), Some(after)) if is_same(before, after) => continue,
            (Some(before), Some(after)) => {
                format!("changed from {} to {}", quoted::value(before), quoted::value(after))
            }
            (None, Some(after)) => format!("is {} now", quoted::value(after)),
            (Some(before), None) => format!("was removed; it was {}", quoted::value(before)),
            (None, None) => continue,
        };
        let kind = if name == "title" { ChangeKind::Wording } else { ChangeKind::Altered };
        let words = format!("annotation {} {words}", quoted::name(name));
        changes.push(SchemaChange { path: String::new(), kind, words });
    }
}
