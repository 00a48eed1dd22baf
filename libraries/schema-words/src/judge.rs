//! A value against a schema, with three answers. Patterns, formats and what depends on them are not looked into.

mod lists;
mod objects;

use serde_json::{Map, Value};

use crate::equality::is_same;
use crate::keywords::count;
use crate::kinds::{KindSet, ValueKind};
use crate::numbers;
use crate::quoted;
use crate::tree::SchemaTree;

/// Steps of one judgement; a schema and a value that need more are not judged.
const STEPS_MAX: usize = 20_000;
const DEPTH_MAX: usize = 64;
/// Patterns that every text matches.
const OPEN_PATTERNS: [&str; 4] = ["", ".*", "^", "^.*"];

/// The relation of a value to a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fitting {
    Fits,
    Fails(SchemaMisfit),
    Unknown,
}

/// The first reason why a value does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SchemaMisfit {
    /// A JSON pointer into the value.
    pub(crate) path: String,
    pub(crate) problem: String,
}

impl Fitting {
    fn fails(path: &str, problem: impl Into<String>) -> Self {
        Fitting::Fails(SchemaMisfit { path: path.to_owned(), problem: problem.into() })
    }

    /// Both must fit.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Fitting::Fails(misfit), _) | (_, Fitting::Fails(misfit)) => Fitting::Fails(misfit),
            (Fitting::Unknown, _) | (_, Fitting::Unknown) => Fitting::Unknown,
            (Fitting::Fits, Fitting::Fits) => Fitting::Fits,
        }
    }

    /// A condition that holds or not; `None` if that is not known.
    fn holds(condition: Option<bool>, path: &str, problem: impl FnOnce() -> String) -> Self {
        match condition {
            Some(true) => Fitting::Fits,
            Some(false) => Fitting::fails(path, problem()),
            None => Fitting::Unknown,
        }
    }
}

/// Judges a value against a schema of this document.
pub(crate) fn judge<'a>(tree: &SchemaTree<'a>, schema: &'a Value, value: &Value) -> Fitting {
    Judge { tree, steps_left: STEPS_MAX, depth_left: DEPTH_MAX }.judge(schema, value, "")
}

/// True for a pattern that says nothing.
pub(crate) fn is_open_pattern(pattern: &str) -> bool {
    OPEN_PATTERNS.contains(&pattern)
}

struct Judge<'t, 'a> {
    tree: &'t SchemaTree<'a>,
    steps_left: usize,
    depth_left: usize,
}

impl<'a> Judge<'_, 'a> {
    fn judge(&mut self, schema: &'a Value, value: &Value, path: &str) -> Fitting {
        let (Some(steps), Some(depth)) = (self.steps_left.checked_sub(1), self.depth_left.checked_sub(1))
        else {
            return Fitting::Unknown;
        };
        (self.steps_left, self.depth_left) = (steps, depth);
        let fitting = match schema {
            Value::Bool(true) => Fitting::Fits,
            Value::Bool(false) => Fitting::fails(path, "nothing is allowed there"),
            Value::Object(members) => self.all_keywords(members, value, path),
            _ => Fitting::Unknown,
        };
        self.depth_left += 1;
        fitting
    }

    fn all_keywords(&mut self, members: &'a Map<String, Value>, value: &Value, path: &str) -> Fitting {
        let mut whole = Fitting::Fits;
        for (keyword, rule) in members {
            whole = whole.and(self.keyword(members, keyword, rule, value, path));
            if matches!(whole, Fitting::Fails(_)) {
                break;
            }
        }
        whole
    }

    fn keyword(
        &mut self,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        value: &Value,
        path: &str,
    ) -> Fitting {
        match keyword {
            "type" => of_type(rule, value, path),
            "const" => Fitting::holds(Some(is_same(rule, value)), path, || {
                format!("expected {}, got {}", quoted::value(rule), quoted::value(value))
            }),
            "enum" => of_list(rule, value, path),
            "$ref" => match rule.as_str().and_then(|reference| self.tree.follow(reference)) {
                Some(target) => self.judge(target, value, path),
                None => Fitting::Unknown,
            },
            "$dynamicRef" | "$recursiveRef" => Fitting::Unknown,
            "allOf" | "anyOf" | "oneOf" | "not" | "if" => self.logic(members, keyword, rule, value, path),
            _ => match value {
                Value::Number(number) => of_number(keyword, rule, number, path),
                Value::String(text) => of_text(keyword, rule, text, path),
                Value::Array(items) => self.of_items(members, keyword, rule, items, path),
                Value::Object(found) => self.of_members(members, keyword, rule, found, path),
                Value::Null | Value::Bool(_) => Fitting::Fits,
            },
        }
    }

    fn logic(
        &mut self,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        value: &Value,
        path: &str,
    ) -> Fitting {
        match keyword {
            "not" => match self.judge(rule, value, path) {
                Fitting::Fits => Fitting::fails(path, format!("{} is excluded", quoted::value(value))),
                Fitting::Fails(_) => Fitting::Fits,
                Fitting::Unknown => Fitting::Unknown,
            },
            "if" => self.condition(members, rule, value, path),
            _ => {
                let Some(branches) = rule.as_array() else { return Fitting::Unknown };
                let judged: Vec<Fitting> =
                    branches.iter().map(|branch| self.judge(branch, value, path)).collect();
                combined(keyword, judged, value, path)
            }
        }
    }

    fn condition(
        &mut self,
        members: &'a Map<String, Value>,
        rule: &'a Value,
        value: &Value,
        path: &str,
    ) -> Fitting {
        let mut branch = |keyword: &str| match members.get(keyword) {
            Some(schema) => self.judge(schema, value, path),
            None => Fitting::Fits,
        };
        let (then, otherwise) = (branch("then"), branch("else"));
        match self.judge(rule, value, path) {
            Fitting::Fits => then,
            Fitting::Fails(_) => otherwise,
            Fitting::Unknown if then == Fitting::Fits && otherwise == Fitting::Fits => Fitting::Fits,
            Fitting::Unknown => Fitting::Unknown,
        }
    }
}

fn combined(keyword: &str, judged: Vec<Fitting>, value: &Value, path: &str) -> Fitting {
    let fitting = judged.iter().filter(|one| **one == Fitting::Fits).count();
    let unknown = judged.iter().filter(|one| **one == Fitting::Unknown).count();
    match (keyword, fitting, unknown) {
        ("allOf", ..) => judged.into_iter().fold(Fitting::Fits, Fitting::and),
        ("anyOf", 1.., _) | ("oneOf", 1, 0) => Fitting::Fits,
        (_, 0, 0) => match <[Fitting; 1]>::try_from(judged) {
            Ok([only]) => only,
            Err(_) => Fitting::fails(path, format!("{} fits none of the forms", quoted::value(value))),
        },
        ("oneOf", 2.., _) => {
            Fitting::fails(path, format!("{} fits several of the forms", quoted::value(value)))
        }
        _ => Fitting::Unknown,
    }
}

fn of_type(rule: &Value, value: &Value, path: &str) -> Fitting {
    let Some(set) = KindSet::of_type(rule) else { return Fitting::Unknown };
    Fitting::holds(Some(set.has(ValueKind::of(value))), path, || {
        format!("expected {}, got {}", set.words(), quoted::value(value))
    })
}

fn of_list(rule: &Value, value: &Value, path: &str) -> Fitting {
    let Some(listed) = rule.as_array() else { return Fitting::Unknown };
    Fitting::holds(Some(listed.iter().any(|one| is_same(one, value))), path, || {
        format!("expected one of {}, got {}", quoted::values(listed.iter()), quoted::value(value))
    })
}

fn of_number(keyword: &str, rule: &Value, number: &serde_json::Number, path: &str) -> Fitting {
    if !matches!(keyword, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf") {
        return Fitting::Fits;
    }
    let Some(limit) = rule.as_number() else { return Fitting::Unknown };
    let order = numbers::compare(number, limit);
    let (condition, words) = match keyword {
        "minimum" => (Some(order.is_ge()), "at least"),
        "maximum" => (Some(order.is_le()), "at most"),
        "exclusiveMinimum" => (Some(order.is_gt()), "more than"),
        "exclusiveMaximum" => (Some(order.is_lt()), "less than"),
        _ => (is_multiple(number, limit), "a multiple of"),
    };
    Fitting::holds(condition, path, || format!("expected {words} {limit}, got {number}"))
}

/// Fractions are left to those who say how they round.
fn is_multiple(number: &serde_json::Number, of: &serde_json::Number) -> Option<bool> {
    let (number, of) = (numbers::whole(number)?, numbers::whole(of)?);
    if of == 0 { None } else { Some(number % of == 0) }
}

fn of_text(keyword: &str, rule: &Value, text: &str, path: &str) -> Fitting {
    let length = || text.chars().count() as u64;
    match keyword {
        "minLength" => Fitting::holds(count(rule).map(|least| length() >= least), path, || {
            format!("expected at least {rule} characters, got {}", length())
        }),
        "maxLength" => Fitting::holds(count(rule).map(|most| length() <= most), path, || {
            format!("expected at most {rule} characters, got {}", length())
        }),
        "pattern" if rule.as_str().is_some_and(is_open_pattern) => Fitting::Fits,
        "pattern" | "format" => Fitting::Unknown,
        _ => Fitting::Fits,
    }
}

#[cfg(test)]
mod tests;
