//! Changes of members: new ones, removed ones, and what is required.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::ChangeKind;
use super::walk::{DifferenceWalk, ResolvedSchema, member, of};
use crate::equality::is_same;
use crate::quoted;

pub(super) fn compare<'a>(
    walk: &mut DifferenceWalk<'_, 'a>,
    old: &ResolvedSchema<'a>,
    new: &ResolvedSchema<'a>,
    path: &str,
) {
    let (before, after) = (properties(old), properties(new));
    let (was_required, is_required) = (required(old), required(new));
    for (name, schema) in before.into_iter().flatten() {
        let place = member(path, name);
        match after.and_then(|after| after.get(name)) {
            Some(now) => {
                requirement(walk, (&was_required, &is_required), name, &place);
                walk.compare(schema, now, &place);
            }
            None => {
                let words = format!("{} {} was removed", walk.noun.one(), quoted::name(&place));
                walk.tell(&place, ChangeKind::Removed, words);
            }
        }
    }
    let is_known = |name: &str| before.is_some_and(|before| before.contains_key(name));
    for name in after.into_iter().flat_map(Map::keys).filter(|name| !is_known(name)) {
        added(walk, is_required.contains(name.as_str()), &member(path, name));
    }
    let named = |name: &str| is_known(name) || after.is_some_and(|after| after.contains_key(name));
    for name in was_required.union(&is_required).filter(|name| !named(name)) {
        requirement(walk, (&was_required, &is_required), name, &member(path, name));
    }
    others(walk, old.get("additionalProperties"), new.get("additionalProperties"), path);
}

fn properties<'a>(of: &ResolvedSchema<'a>) -> Option<&'a Map<String, Value>> {
    of.get("properties")?.as_object()
}

fn required<'a>(of: &ResolvedSchema<'a>) -> BTreeSet<&'a str> {
    let names = of.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn added(walk: &mut DifferenceWalk<'_, '_>, is_required: bool, place: &str) {
    let (kind, word) = match is_required {
        true => (ChangeKind::RequiredAdded, "required"),
        false => (ChangeKind::OptionalAdded, "optional"),
    };
    let words = format!("{word} {} {} was added", walk.noun.one(), quoted::name(place));
    walk.tell(place, kind, words);
}

fn requirement(
    walk: &mut DifferenceWalk<'_, '_>,
    (before, after): (&BTreeSet<&str>, &BTreeSet<&str>),
    name: &str,
    place: &str,
) {
    let (kind, verb) = match (before.contains(name), after.contains(name)) {
        (false, true) => (ChangeKind::Tightened, "is required now"),
        (true, false) => (ChangeKind::Loosened, "is optional now"),
        _ => return,
    };
    let words = format!("{} {} {verb}", walk.noun.one(), quoted::name(place));
    walk.tell(place, kind, words);
}

/// Members without a schema of their own.
fn others<'a>(walk: &mut DifferenceWalk<'_, 'a>, old: Option<&'a Value>, new: Option<&'a Value>, path: &str) {
    let is_open = |rule: Option<&Value>| rule.is_none_or(|rule| *rule == Value::Bool(true));
    let is_closed = |rule: Option<&Value>| rule == Some(&Value::Bool(false));
    let (many, place) = (walk.noun.many(), of(path));
    let (kind, words) = match (old, new) {
        _ if is_open(old) && is_open(new) || is_closed(old) && is_closed(new) => return,
        (Some(old), Some(new)) if is_same(old, new) => return,
        (Some(old), Some(new)) if old.is_object() && new.is_object() => {
            return walk.compare(old, new, &member(path, "*"));
        }
        _ if is_open(new) => (ChangeKind::Loosened, format!("any other {many} of {place} are allowed now")),
        _ if is_closed(new) => {
            (ChangeKind::Tightened, format!("no other {many} of {place} are allowed any more"))
        }
        _ if is_open(old) => {
            (ChangeKind::Tightened, format!("other {many} of {place} must fit a schema now"))
        }
        _ => (ChangeKind::Loosened, format!("other {many} of {place} are allowed now, if they fit a schema")),
    };
    walk.tell(path, kind, words);
}
