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
/// Texts for readers, and the reference itself: a place may have its own beside those that its reference leads to.
const BESIDE: [&str; 5] = ["$ref", "$comment", "description", "examples", "title"];

const NOT_ALL: &str = "not all of it was compared: it has too many changes, or is too deep";

pub(super) fn changes(old: &Value, new: &Value, noun: SchemaNoun) -> Vec<SchemaChange> {
    let (old_tree, new_tree) = (SchemaTree::new(old), SchemaTree::new(new));
    let mut walk = DifferenceWalk {
        old: &old_tree,
        new: &new_tree,
        noun,
        compared: Vec::new(),
        changes: Vec::new(),
        seen: Vec::new(),
        is_cut: false,
    };
    walk.compare(old, new, "");
    walk.compare_definitions(old, new);
    let DifferenceWalk { mut changes, is_cut, .. } = walk;
    if is_cut {
        // A summary must not call harmless what was not looked at.
        let words = NOT_ALL.to_owned();
        changes.push(SchemaChange { path: String::new(), kind: ChangeKind::Altered, words });
    }
    changes
}

pub(super) struct DifferenceWalk<'t, 'a> {
    old: &'t SchemaTree<'a>,
    new: &'t SchemaTree<'a>,
    pub(super) noun: SchemaNoun,
    /// The pairs on the way here: schemas may be recursive.
    compared: Vec<(SchemaPtr, SchemaPtr)>,
    changes: Vec<SchemaChange>,
    /// The parts of the old schema that were compared.
    seen: Vec<&'a Map<String, Value>>,
    /// True if a limit kept something from being compared or told.
    is_cut: bool,
}

impl<'a> DifferenceWalk<'_, 'a> {
    /// Compares two schemas of the same place.
    pub(super) fn compare(&mut self, old: &'a Value, new: &'a Value, path: &str) {
        let pair = (ptr(old), ptr(new));
        if self.compared.contains(&pair) {
            return;
        }
        if self.compared.len() == DEPTH_MAX || self.changes.len() >= CHANGES_MAX {
            self.is_cut = true;
            return;
        }
        match (resolved(self.old, old), resolved(self.new, new)) {
            (Some(before), Some(after)) => {
                self.is_cut |= before.is_cut() || after.is_cut();
                self.seen.extend(&before.parts);
                if (before.is_overlaid() || after.is_overlaid()) && before.parts != after.parts {
                    self.tell(path, ChangeKind::Altered, format!("the schema of {} changed", of(path)));
                }
                self.compared.push(pair);
                keywords::compare(self, &before, &after, path);
                properties::compare(self, &before, &after, path);
                self.compared.pop();
            }
            _ if is_same(old, new) => {}
            _ => self.tell(path, ChangeKind::Altered, format!("the schema of {} changed", of(path))),
        }
    }

    /// Forms (`anyOf` and others) are compared as they are written, so what their references lead to may not have been looked at.
    fn compare_definitions(&mut self, old: &'a Value, new: &'a Value) {
        for keyword in ["$defs", "definitions"] {
            let members = |of: &'a Value| of.get(keyword).and_then(Value::as_object);
            let (Some(before), Some(after)) = (members(old), members(new)) else { continue };
            for (name, one) in before {
                let is_changed = after.get(name).is_some_and(|other| !is_same(one, other));
                if is_changed && !self.has_seen(one) {
                    let words = format!("the definition {} changed", quoted::name(name));
                    self.tell("", ChangeKind::Altered, words);
                }
            }
        }
    }

    fn has_seen(&self, schema: &Value) -> bool {
        schema.as_object().is_some_and(|members| self.seen.iter().any(|seen| std::ptr::eq(*seen, members)))
    }

    pub(super) fn tell(&mut self, path: &str, kind: ChangeKind, words: String) {
        match self.changes.len() < CHANGES_MAX {
            true => self.changes.push(SchemaChange { path: path.to_owned(), kind, words }),
            false => self.is_cut = true,
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

    /// True if its last reference was not followed.
    fn is_cut(&self) -> bool {
        self.parts.len() > FOLLOWED_MAX && self.parts.last().is_some_and(|last| last.contains_key("$ref"))
    }

    /// True if more than one part has the same keyword, so that `get` does not show all of it.
    fn is_overlaid(&self) -> bool {
        let mut names: Vec<&str> = self.keywords().filter(|name| !BESIDE.contains(name)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        names.len() < count
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
