//! The narrow side of a proof: schemas that a value is known to fit, and what follows from all of them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::equality::is_same_anywhere;
use crate::keywords::{count, is_schema};
use crate::kinds::{KindSet, ValueKind};
use crate::numbers::{self, Bound};
use crate::tree::{SchemaTree, ptr};

/// Cases of one list of schemas; what would make more is left whole.
const CASES_MAX: usize = 64;
/// Schemas that are looked at while cases are made.
const LOOKS_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub(super) struct Conjunction<'a> {
    /// Objects.
    pub(super) nodes: Vec<&'a Value>,
    /// The kinds that their values have.
    pub(super) kinds: KindSet,
}

/// The cases of values that fit all of these schemas. A schema that is not understood is left out.
pub(super) fn cases<'a>(tree: &SchemaTree<'a>, schemas: &[&'a Value]) -> Vec<Conjunction<'a>> {
    let mut looks_left = LOOKS_MAX;
    let whole = vec![Conjunction { nodes: Vec::new(), kinds: KindSet::ALL }];
    schemas.iter().copied().fold(whole, |cases, schema| add(tree, cases, schema, &mut looks_left))
}

fn add<'a>(
    tree: &SchemaTree<'a>,
    mut cases: Vec<Conjunction<'a>>,
    schema: &'a Value,
    looks_left: &mut usize,
) -> Vec<Conjunction<'a>> {
    let members = match schema {
        Value::Bool(false) => return Vec::new(),
        Value::Object(members) => members,
        _ => return cases,
    };
    let is_known = |case: &Conjunction<'_>| case.nodes.iter().any(|node| ptr(node) == ptr(schema));
    if *looks_left == 0 || cases.iter().all(is_known) {
        return cases;
    }
    *looks_left -= 1;
    let kinds = own_kinds(members);
    for case in &mut cases {
        case.nodes.push(schema);
        case.kinds = case.kinds.within(kinds);
    }
    cases.retain(|case| !case.kinds.is_empty());
    if let Some(target) = members.get("$ref").and_then(Value::as_str).and_then(|to| tree.follow(to)) {
        cases = add(tree, cases, target, looks_left);
    }
    for inner in members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        cases = add(tree, cases, inner, looks_left);
    }
    for forms in ["anyOf", "oneOf"].iter().filter_map(|keyword| members.get(*keyword)?.as_array()) {
        cases = split(tree, cases, forms, looks_left);
    }
    cases
}

/// A value fits one of the forms at least. More cases than there may be are not made.
fn split<'a>(
    tree: &SchemaTree<'a>,
    cases: Vec<Conjunction<'a>>,
    forms: &'a [Value],
    looks_left: &mut usize,
) -> Vec<Conjunction<'a>> {
    if cases.len() * forms.len() > CASES_MAX {
        return cases;
    }
    let mut all = Vec::new();
    for form in forms {
        all.extend(add(tree, cases.clone(), form, looks_left));
    }
    if all.len() > CASES_MAX { cases } else { all }
}

fn own_kinds(members: &Map<String, Value>) -> KindSet {
    let by_type = members.get("type").and_then(KindSet::of_type).unwrap_or(KindSet::ALL);
    let is_whole = members.get("multipleOf").and_then(Value::as_number).and_then(numbers::whole);
    let by_steps = match is_whole {
        Some(step) if step != 0 => KindSet::ALL.without(ValueKind::Fraction),
        _ => KindSet::ALL,
    };
    let by_values = listed(members).map_or(KindSet::ALL, |values| {
        values.iter().fold(KindSet::NONE, |set, value| set.with(KindSet::only(ValueKind::of(value))))
    });
    by_type.within(by_steps).within(by_values)
}

fn listed(members: &Map<String, Value>) -> Option<&[Value]> {
    match (members.get("const"), members.get("enum")) {
        (Some(only), _) => Some(std::slice::from_ref(only)),
        (None, Some(Value::Array(values))) => Some(values),
        _ => None,
    }
}

impl<'a> Conjunction<'a> {
    fn members(&self) -> impl Iterator<Item = &'a Map<String, Value>> {
        self.nodes.iter().filter_map(|node| node.as_object())
    }

    fn rules(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.members().filter_map(move |members| members.get(keyword))
    }

    /// The only values there may be, if they are listed.
    pub(super) fn values(&self) -> Option<Vec<&'a Value>> {
        let values = self.members().find_map(listed)?;
        Some(values.iter().filter(|value| self.kinds.has(ValueKind::of(value))).collect())
    }

    /// True if a schema has this very keyword, which then holds; only for keywords that do not depend on others.
    pub(super) fn has_same(&self, keyword: &str, rule: &Value) -> bool {
        self.rules(keyword).any(|own| is_same_anywhere(own, rule))
    }

    /// The same for keywords that belong together.
    pub(super) fn has_all_same(&self, keywords: &[&str], wide: &Map<String, Value>) -> bool {
        self.members().any(|members| {
            keywords.iter().all(|keyword| match (members.get(*keyword), wide.get(*keyword)) {
                (None, None) => true,
                (Some(own), Some(rule)) => is_same_anywhere(own, rule),
                _ => false,
            })
        })
    }

    pub(super) fn lower(&self) -> Option<Bound> {
        let ends = self.ends([("minimum", false), ("exclusiveMinimum", true)]);
        ends.reduce(|one, other| if one.is_at_least(&other) { one } else { other })
    }

    pub(super) fn upper(&self) -> Option<Bound> {
        let ends = self.ends([("maximum", false), ("exclusiveMaximum", true)]);
        ends.reduce(|one, other| if one.is_at_most(&other) { one } else { other })
    }

    fn ends(&self, keywords: [(&'static str, bool); 2]) -> impl Iterator<Item = Bound> {
        keywords.into_iter().flat_map(move |(keyword, is_open)| {
            let numbers = self.rules(keyword).filter_map(Value::as_number);
            numbers.map(move |number| Bound { number: number.clone(), is_open })
        })
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = &'a Value> {
        self.rules("multipleOf")
    }

    /// The largest of the lower limits, such as `minLength`.
    pub(super) fn least(&self, keyword: &str) -> u64 {
        self.rules(keyword).filter_map(count).max().unwrap_or(0)
    }

    /// The smallest of the upper limits.
    pub(super) fn most(&self, keyword: &str) -> u64 {
        self.rules(keyword).filter_map(count).min().unwrap_or(u64::MAX)
    }

    pub(super) fn required(&self) -> BTreeSet<&'a str> {
        self.rules("required").filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect()
    }

    /// All names that a schema has something to say about.
    pub(super) fn names(&self) -> BTreeSet<&'a str> {
        self.rules("properties")
            .filter_map(Value::as_object)
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect()
    }

    /// The schemas that a member of this name is known to fit.
    pub(super) fn property(&self, name: &str) -> Vec<&'a Value> {
        let of = |members: &'a Map<String, Value>| {
            let named = members.get("properties").and_then(Value::as_object);
            match named.and_then(|named| named.get(name)) {
                Some(schema) => Some(schema),
                // A pattern might match the name.
                None if has_patterns(members) => None,
                None => members.get("additionalProperties"),
            }
        };
        self.members().filter_map(of).collect()
    }

    pub(super) fn forbids(&self, name: &str) -> bool {
        self.property(name).iter().any(|schema| **schema == Value::Bool(false))
    }

    pub(super) fn requires_what_it_forbids(&self) -> bool {
        self.required().into_iter().any(|name| self.forbids(name))
    }

    /// The schemas that members fit which have no name of their own and match no pattern.
    pub(super) fn others(&self) -> Vec<&'a Value> {
        self.rules("additionalProperties").filter(|schema| is_schema(schema)).collect()
    }

    pub(super) fn patterns(&self) -> Vec<(&'a str, &'a Value)> {
        let maps = self.rules("patternProperties").filter_map(Value::as_object);
        maps.flatten().map(|(pattern, schema)| (pattern.as_str(), schema)).collect()
    }

    /// The number of names there may be, if others are forbidden.
    pub(super) fn names_most(&self) -> Option<u64> {
        let is_closed = |members: &&Map<String, Value>| {
            members.get("additionalProperties") == Some(&Value::Bool(false)) && !has_patterns(members)
        };
        let size = |members: &Map<String, Value>| {
            members.get("properties").and_then(Value::as_object).map_or(0, Map::len) as u64
        };
        self.members().filter(is_closed).map(size).min()
    }

    /// The number of places whose items have schemas of their own.
    pub(super) fn places(&self) -> usize {
        self.rules("prefixItems").filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0)
    }

    /// The schemas that the item at a place is known to fit.
    pub(super) fn item(&self, place: usize) -> Vec<&'a Value> {
        let of = |members: &'a Map<String, Value>| {
            let placed = members.get("prefixItems").and_then(Value::as_array);
            placed
                .and_then(|placed| placed.get(place))
                .or_else(|| members.get("items"))
                .filter(|one| is_schema(one))
        };
        self.members().filter_map(of).collect()
    }

    /// The largest number of items.
    pub(super) fn items_most(&self) -> u64 {
        let closed = self.members().filter(|members| members.get("items") == Some(&Value::Bool(false)));
        let placed = closed
            .map(|members| members.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len) as u64);
        self.most("maxItems").min(placed.min().unwrap_or(u64::MAX))
    }

    pub(super) fn is_unique(&self) -> bool {
        self.rules("uniqueItems").any(|rule| *rule == Value::Bool(true))
    }

    /// The names that must be there as soon as this one is.
    pub(super) fn dependents(&self, name: &str) -> BTreeSet<&'a str> {
        let lists = self.rules("dependentRequired").filter_map(|rule| rule.get(name)?.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }
}

fn has_patterns(members: &Map<String, Value>) -> bool {
    members.get("patternProperties").is_some_and(|rule| rule.as_object().is_none_or(|all| !all.is_empty()))
}
