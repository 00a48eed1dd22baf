//! Changes of keywords that stand for themselves: types, values, limits, texts.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use super::change::ChangeKind;
use super::walk::{DifferenceWalk, ResolvedSchema, of};
use crate::equality::is_same;
use crate::kinds::KindSet;
use crate::numbers;
use crate::quoted;

/// Limits: the keyword, its name, and whether a larger one allows less.
const LIMITS: [(&str, &str, bool); 12] = [
    ("minimum", "minimum", true),
    ("exclusiveMinimum", "exclusive minimum", true),
    ("maximum", "maximum", false),
    ("exclusiveMaximum", "exclusive maximum", false),
    ("minLength", "shortest length", true),
    ("maxLength", "greatest length", false),
    ("minItems", "smallest number of items", true),
    ("maxItems", "greatest number of items", false),
    ("minProperties", "smallest number of members", true),
    ("maxProperties", "greatest number of members", false),
    ("minContains", "smallest number of items that `contains` means", true),
    ("maxContains", "greatest number of items that `contains` means", false),
];
/// Rules that are there or not, and cannot be compared otherwise.
const RULES: [&str; 3] = ["pattern", "format", "multipleOf"];
/// Texts for readers.
const TEXTS: [&str; 8] = [
    "title",
    "description",
    "examples",
    "$comment",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
];
/// Keywords that are looked at elsewhere, or are no rules.
const ELSEWHERE: [&str; 12] = [
    "$anchor",
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "const",
    "default",
    "definitions",
    "enum",
    "properties",
    "required",
];

pub(super) fn compare<'a>(
    walk: &mut DifferenceWalk<'_, 'a>,
    old: &ResolvedSchema<'a>,
    new: &ResolvedSchema<'a>,
    path: &str,
) {
    types(walk, old.get("type"), new.get("type"), path);
    values(walk, old, new, path);
    for (keyword, name, grows_tighter) in LIMITS {
        limit(walk, (old.get(keyword), new.get(keyword)), (name, grows_tighter), path);
    }
    for keyword in RULES {
        rule(walk, keyword, old.get(keyword), new.get(keyword), path);
    }
    default(walk, old.get("default"), new.get("default"), path);
    let known: BTreeSet<&str> = old.keywords().chain(new.keywords()).collect();
    for keyword in known {
        other(walk, keyword, old.get(keyword), new.get(keyword), path);
    }
}

fn types(walk: &mut DifferenceWalk<'_, '_>, old: Option<&Value>, new: Option<&Value>, path: &str) {
    let set = |rule: Option<&Value>| match rule {
        None => Some(KindSet::ALL),
        Some(rule) => KindSet::of_type(rule),
    };
    let (Some(before), Some(after)) = (set(old), set(new)) else {
        return rule(walk, "type", old, new, path);
    };
    let (kind, verb) = match (before.is_within(after), after.is_within(before)) {
        (true, true) => return,
        (true, false) => (ChangeKind::Loosened, "widened"),
        (false, true) => (ChangeKind::Tightened, "narrowed"),
        (false, false) => (ChangeKind::Altered, "changed"),
    };
    let words = format!("type of {} {verb} from {} to {}", of(path), before.words(), after.words());
    walk.tell(path, kind, words);
}

/// `enum` and `const`, which is a list of one.
fn values<'a>(
    walk: &mut DifferenceWalk<'_, 'a>,
    old: &ResolvedSchema<'a>,
    new: &ResolvedSchema<'a>,
    path: &str,
) {
    let listed = |of: &ResolvedSchema<'a>| -> Option<&'a [Value]> {
        match (of.get("const"), of.get("enum")) {
            (Some(only), _) => Some(std::slice::from_ref(only)),
            (None, listed) => listed?.as_array().map(Vec::as_slice),
        }
    };
    match (listed(old), listed(new)) {
        (None, None) => {}
        (None, Some(after)) => {
            let words = format!("values of {} are limited to {}", of(path), quoted::values(after.iter()));
            walk.tell(path, ChangeKind::Tightened, words);
        }
        (Some(_), None) => {
            let words = format!("values of {} are no longer limited to a list", of(path));
            walk.tell(path, ChangeKind::Loosened, words);
        }
        (Some(before), Some(after)) => {
            let missing = |from: &'a [Value], others: &[Value]| -> Vec<&'a Value> {
                from.iter().filter(|one| !others.iter().any(|other| is_same(one, other))).collect()
            };
            let (gone, come) = (missing(before, after), missing(after, before));
            if !come.is_empty() {
                let words = format!("values {} of {} were added", quoted::values(come.into_iter()), of(path));
                walk.tell(path, ChangeKind::Loosened, words);
            }
            if !gone.is_empty() {
                let words =
                    format!("values {} of {} were removed", quoted::values(gone.into_iter()), of(path));
                walk.tell(path, ChangeKind::Tightened, words);
            }
        }
    }
}

fn limit(
    walk: &mut DifferenceWalk<'_, '_>,
    (old, new): (Option<&Value>, Option<&Value>),
    (name, grows_tighter): (&str, bool),
    path: &str,
) {
    let place = of(path);
    let (kind, words) = match (old, new) {
        (None, None) => return,
        (None, Some(new)) => {
            (ChangeKind::Tightened, format!("{name} of {place} was set to {}", quoted::value(new)))
        }
        (Some(old), None) => {
            (ChangeKind::Loosened, format!("{name} of {place} was removed; it was {}", quoted::value(old)))
        }
        (Some(Value::Number(old)), Some(Value::Number(new))) => {
            let (grows, verb) = match numbers::compare(old, new) {
                Ordering::Equal => return,
                Ordering::Less => (true, "raised"),
                Ordering::Greater => (false, "lowered"),
            };
            let kind = if grows == grows_tighter { ChangeKind::Tightened } else { ChangeKind::Loosened };
            (kind, format!("{name} of {place} was {verb} from {old} to {new}"))
        }
        (Some(old), Some(new)) if is_same(old, new) => return,
        _ => (ChangeKind::Altered, format!("{name} of {place} changed")),
    };
    walk.tell(path, kind, words);
}

fn rule(walk: &mut DifferenceWalk<'_, '_>, name: &str, old: Option<&Value>, new: Option<&Value>, path: &str) {
    let (kind, verb) = match (old, new) {
        (None, None) => return,
        (Some(old), Some(new)) if is_same(old, new) => return,
        (None, Some(_)) => (ChangeKind::Tightened, "was added"),
        (Some(_), None) => (ChangeKind::Loosened, "was removed"),
        (Some(_), Some(_)) => (ChangeKind::Altered, "changed"),
    };
    walk.tell(path, kind, format!("{} of {} {verb}", quoted::name(name), of(path)));
}

fn default(walk: &mut DifferenceWalk<'_, '_>, old: Option<&Value>, new: Option<&Value>, path: &str) {
    let place = of(path);
    let words = match (old, new) {
        (None, None) => return,
        (Some(old), Some(new)) if is_same(old, new) => return,
        (None, Some(new)) => format!("default of {place} is {} now", quoted::value(new)),
        (Some(old), None) => format!("default of {place} was removed; it was {}", quoted::value(old)),
        (Some(old), Some(new)) => {
            format!("default of {place} changed from {} to {}", quoted::value(old), quoted::value(new))
        }
    };
    walk.tell(path, ChangeKind::Altered, words);
}

/// Everything that has no words of its own.
fn other<'a>(
    walk: &mut DifferenceWalk<'_, 'a>,
    keyword: &str,
    old: Option<&'a Value>,
    new: Option<&'a Value>,
    path: &str,
) {
    let is_told = ELSEWHERE.contains(&keyword)
        || RULES.contains(&keyword)
        || keyword == "type"
        || LIMITS.iter().any(|(known, ..)| *known == keyword);
    if is_told {
        return;
    }
    if keyword == "items"
        && let (Some(old), Some(new)) = (old, new)
    {
        return walk.compare(old, new, &format!("{path}[]"));
    }
    let is_same = match (old, new) {
        (Some(old), Some(new)) => is_same(old, new),
        _ => false,
    };
    let (kind, verb) = match (old, new) {
        _ if is_same => return,
        (None, Some(_)) => (ChangeKind::Altered, "was added"),
        (Some(_), None) => (ChangeKind::Altered, "was removed"),
        _ => (ChangeKind::Altered, "changed"),
    };
    let kind = if TEXTS.contains(&keyword) { ChangeKind::Wording } else { kind };
    walk.tell(path, kind, format!("{} of {} {verb}", quoted::name(keyword), of(path)));
}
