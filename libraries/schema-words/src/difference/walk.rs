//! The walk through both schemas side by side.

use serde_json::{Map, Value};

use super::change::{ChangeKind, SchemaChange, SchemaNoun};
use super::{keywords, properties};
use crate::equality::is_same;
use crate::quoted;
use crate::tree::{SchemaPtr, SchemaTree, ptr};

/// Changes that are told; there may be more.
const CHANGES_MAX: usize = 200;
const DEPTH_MAX: usize = 32;
/// References that are followed one after the other.
const FOLLOWED_MAX: usize = 16;

pub(super) fn changes(old: &Value, new: &Value, noun: SchemaNoun) -> Vec<SchemaChange> {
    let (old_tree, new_tree) = (SchemaTree::new(old), SchemaTree::new(new));
    let mut walk =
        DifferenceWalk { old: &old_tree, new: &new_tree, noun, compared: Vec::new(), changes: Vec::new() };
    walk.compare(old, new, "");
    walk.changes
}

pub(super) struct DifferenceWalk<'t, 'a> {
    old: &'t SchemaTree<'a>,
    new: &'t SchemaTree<'a>,
    pub(super) noun: SchemaNoun,
    /// The pairs on the way here: schemas may be recursive.
    compared: Vec<(SchemaPtr, SchemaPtr)>,
    changes: Vec<SchemaChange>,
}

impl<'a> DifferenceWalk<'_, 'a> {
    /// Compares two schemas of the same place.
    pub(super) fn compare(&mut self, old: &'a Value, new: &'a Value, path: &str) {
        let pair = (ptr(old), ptr(new));
        if self.compared.contains(&pair)
            || self.compared.len() == DEPTH_MAX
            || self.changes.len() >= CHANGES_MAX
        {
            return;
        }
        match (resolved(self.old, old), resolved(self.new, new)) {
            (Some(before), Some(after)) => {
                self.compared.push(pair);
                keywords::compare(self, &before, &after, path);
                properties::compare(self, &before, &after, path);
                self.compared.pop();
            }
            _ if is_same(old, new) => {}
            _ => self.tell(path, ChangeKind::Altered, format!("the schema of {} changed", of(path))),
        }
    }

    pub(super) fn tell(&mut self, path: &str, kind: ChangeKind, words: String) {
        if self.changes.len() < CHANGES_MAX {
            self.changes.push(SchemaChange { path: path.to_owned(), kind, words });
        }
    }
}

/// The keywords of a place: its own, and those that its references lead to. `None` for what is no object.
fn resolved<'a>(tree: &SchemaTree<'a>, schema: &'a Value) -> Option<ResolvedSchema<'a>> {
    let mut parts = vec![schema.as_object()?];
    for _ in 0..FOLLOWED_MAX {
        let reference = parts.last().and_then(|last| last.get("$ref")).and_then(Value::as_str);
        let Some(target) = reference.and_then(|to| tree.follow(to)).and_then(Value::as_object) else { break };
        parts.push(target);
    }
    Some(ResolvedSchema { parts })
}

/// A place with its references followed: the first part that has a keyword has the word.
pub(super) struct ResolvedSchema<'a> {
    parts: Vec<&'a Map<String, Value>>,
}

impl<'a> ResolvedSchema<'a> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.parts.iter().find_map(|part| part.get(keyword))
    }

    pub(super) fn keywords(&self) -> impl Iterator<Item = &'a str> {
        self.parts.iter().flat_map(|part| part.keys()).map(String::as_str)
    }
}

/// `` `a.b` ``, or `the whole`.
pub(super) fn of(path: &str) -> String {
    if path.is_empty() { "the whole".to_owned() } else { quoted::name(path) }
}

/// The path of a member.
pub(super) fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
