//! Values that may tell two schemas apart: those at the edges of what either of them says.

mod scalars;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::judge::{Fitting, judge};
use crate::keywords::{count, is_schema};
use crate::tree::{SchemaTree, ptr};

/// Levels of samples within samples.
const DEPTH_MAX: usize = 6;
/// Places for which samples with parts are made, in all. Members share what their object has left.
const PLACES_MAX: usize = 72;
/// One of so many shares is for items, the others are for members.
const SHARE_OF_ITEMS: usize = 4;
/// Schemas of one place that are looked at.
const SCHEMAS_MAX: usize = 48;
/// Samples of a member or item that are tried.
const TRIED_MAX: usize = 6;
/// Names of an object that are tried.
const NAMES_MAX: usize = 24;
/// A list is not made longer than this.
const ITEMS_MAX: u64 = 24;
const LIMITS: [&str; 4] = ["minItems", "maxItems", "minContains", "maxContains"];
/// A name that hardly any schema knows.
const STRANGE_NAME: &str = "x-other";

/// Values of which some may fit the first schema and not the second. Nothing is promised of any of them.
pub(crate) fn samples<'a>(narrow: &SchemaTree<'a>, wide: &SchemaTree<'a>) -> Vec<Value> {
    Sampler { narrow, wide }.place(
        &[narrow.root],
        &[wide.root],
        SampleLimit { depth: DEPTH_MAX, places: PLACES_MAX },
    )
}

/// The amount that one place and all within it may take.
#[derive(Clone, Copy)]
struct SampleLimit {
    depth: usize,
    places: usize,
}

impl SampleLimit {
    /// The limit of each of so many places within. `None` if there is nothing left.
    fn inside(self, places: usize) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, places: places.min(self.places.checked_sub(1)?) })
    }
}

struct Sampler<'t, 'a> {
    narrow: &'t SchemaTree<'a>,
    wide: &'t SchemaTree<'a>,
}

/// Everything that a schema says about a place, without asking whether it applies.
type Saying<'a> = &'a Map<String, Value>;

impl<'a> Sampler<'_, 'a> {
    /// Values for a place: first those that fit the narrow schemas and not the wide ones, then others that may fit the narrow ones.
    fn place(&self, narrow: &[&'a Value], wide: &[&'a Value], limit: SampleLimit) -> Vec<Value> {
        let (of_narrow, of_wide) = (gathered(self.narrow, narrow), gathered(self.wide, wide));
        let said: Vec<Saying<'a>> = of_narrow.iter().chain(&of_wide).copied().collect();
        let mut values = scalars::values(&said);
        let of_items = limit.places / SHARE_OF_ITEMS;
        if let Some(inner) = limit.inside(of_items) {
            values.extend(self.lists(&of_narrow, &of_wide, inner));
        }
        if let Some(inner) = limit.inside(limit.places - of_items) {
            values.extend(self.objects(&of_narrow, &of_wide, inner));
        }
        let mut ranked: Vec<(u8, Value)> =
            values.into_iter().filter_map(|value| Some((self.rank(narrow, wide, &value)?, value))).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, value)| value).collect()
    }

    fn rank(&self, narrow: &[&'a Value], wide: &[&'a Value], value: &Value) -> Option<u8> {
        let of = |tree: &SchemaTree<'a>, schemas: &[&'a Value]| {
            let judged = || schemas.iter().map(|schema| judge(tree, schema, value));
            let fails = judged().any(|one| matches!(one, Fitting::Fails(_)));
            (fails, !fails && judged().all(|one| one == Fitting::Fits))
        };
        match (of(self.narrow, narrow), of(self.wide, wide)) {
            ((true, _), _) => None,
            ((_, true), (true, _)) => Some(0),
            ((_, true), _) => Some(1),
            _ => Some(2),
        }
    }

    fn lists(&self, narrow: &[Saying<'a>], wide: &[Saying<'a>], limit: SampleLimit) -> Vec<Value> {
        let said: Vec<Saying<'a>> = narrow.iter().chain(wide).copied().collect();
        let places = prefixes(&said).map(Vec::len).max().unwrap_or(0).min(ITEMS_MAX as usize);
        let limit = SampleLimit { places: limit.places / (places + 1), ..limit };
        let columns: Vec<Vec<Value>> = (0..=places)
            .map(|place| self.place(&items_at(narrow, place), &items_at(wide, place), limit))
            .collect();
        let usual = |place: usize| columns[place.min(places)].first().cloned().unwrap_or_default();
        let of_length = |length: usize| (0..length).map(&usual).collect::<Vec<Value>>();
        let limits = said
            .iter()
            .flat_map(|members| LIMITS.iter().filter_map(move |keyword| count(members.get(*keyword)?)));
        let near = limits.flat_map(|limit| [limit.saturating_sub(1), limit, limit.saturating_add(1)]);
        let mut lengths: BTreeSet<u64> = near.filter(|length| *length <= ITEMS_MAX).collect();
        lengths.extend([0, 1, 2, places as u64, places as u64 + 1]);
        let mut lists: Vec<Vec<Value>> = lengths.iter().map(|length| of_length(*length as usize)).collect();
        for base in lengths.iter().map(|length| *length as usize).filter(|length| *length > 0).take(3) {
            for (place, column) in columns.iter().enumerate().take(base) {
                for value in column.iter().skip(1).take(TRIED_MAX) {
                    let mut list = of_length(base);
                    list[place] = value.clone();
                    lists.push(list);
                }
            }
        }
        lists.into_iter().map(Value::Array).collect()
    }

    fn objects(&self, narrow: &[Saying<'a>], wide: &[Saying<'a>], limit: SampleLimit) -> Vec<Value> {
        let said: Vec<Saying<'a>> = narrow.iter().chain(wide).copied().collect();
        let mut names: BTreeSet<&'a str> =
            said.iter().flat_map(|members| names_of(members)).take(NAMES_MAX).collect();
        names.insert(STRANGE_NAME);
        let limit = SampleLimit { places: limit.places / names.len(), ..limit };
        let tried: Vec<(&'a str, Vec<Value>)> = names
            .into_iter()
            .map(|name| (name, self.place(&members_at(narrow, name), &members_at(wide, name), limit)))
            .collect();
        let mut objects = Vec::new();
        for base in bases(narrow, &said, &tried) {
            for (name, values) in &tried {
                for value in values.iter().take(TRIED_MAX) {
                    let mut object = base.clone();
                    object.insert((*name).to_owned(), value.clone());
                    objects.push(Value::Object(object));
                }
                let mut without = base.clone();
                if without.remove(*name).is_some() {
                    objects.push(Value::Object(without));
                }
            }
            objects.push(Value::Object(base));
        }
        objects
    }
}

/// Objects to vary: with what the narrow side requires, with what either side requires, and with everything.
fn bases<'a>(
    narrow: &[Saying<'a>],
    said: &[Saying<'a>],
    tried: &[(&'a str, Vec<Value>)],
) -> Vec<Map<String, Value>> {
    let with = |names: &dyn Fn(&str) -> bool| -> Map<String, Value> {
        let chosen = tried.iter().filter(|(name, _)| names(name));
        chosen.filter_map(|(name, values)| Some(((*name).to_owned(), values.first()?.clone()))).collect()
    };
    let required = |of: &[Saying<'a>]| -> BTreeSet<&'a str> {
        of.iter().flat_map(|members| required_of(members)).collect()
    };
    let (own, all) = (required(narrow), required(said));
    let mut bases = vec![
        with(&|name| own.contains(name)),
        with(&|name| all.contains(name)),
        with(&|name| name != STRANGE_NAME),
    ];
    bases.dedup();
    bases
}

/// Every schema that has something to say about the same place.
fn gathered<'a>(tree: &SchemaTree<'a>, schemas: &[&'a Value]) -> Vec<Saying<'a>> {
    let (mut found, mut seen): (Vec<Saying<'a>>, Vec<_>) = (Vec::new(), Vec::new());
    let mut waiting: Vec<&'a Value> = schemas.to_vec();
    while let Some(schema) = waiting.pop() {
        let Some(members) = schema.as_object().filter(|_| !seen.contains(&ptr(schema))) else { continue };
        if found.len() == SCHEMAS_MAX {
            break;
        }
        seen.push(ptr(schema));
        found.push(members);
        waiting.extend(members.get("$ref").and_then(Value::as_str).and_then(|to| tree.follow(to)));
        for keyword in ["if", "then", "else", "not"] {
            waiting.extend(members.get(keyword));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            waiting.extend(members.get(keyword).and_then(Value::as_array).into_iter().flatten());
        }
        waiting.extend(
            members.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values),
        );
    }
    found
}

fn prefixes<'a>(said: &[Saying<'a>]) -> impl Iterator<Item = &'a Vec<Value>> {
    said.iter().filter_map(|members| members.get("prefixItems")?.as_array())
}

fn items_at<'a>(said: &[Saying<'a>], place: usize) -> Vec<&'a Value> {
    let of = |members: Saying<'a>| {
        let placed = members.get("prefixItems").and_then(Value::as_array);
        placed
            .and_then(|placed| placed.get(place))
            .or_else(|| members.get("items"))
            .filter(|one| is_schema(one))
    };
    said.iter().copied().filter_map(of).collect()
}

fn members_at<'a>(said: &[Saying<'a>], name: &str) -> Vec<&'a Value> {
    let of = |members: Saying<'a>| {
        let named = members.get("properties").and_then(Value::as_object).and_then(|named| named.get(name));
        named.or_else(|| members.get("additionalProperties").filter(|rule| rule.is_object()))
    };
    said.iter().copied().filter_map(of).collect()
}

fn names_of(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let maps = ["properties", "dependentRequired", "dependentSchemas"].into_iter();
    let named = maps.filter_map(|keyword| members.get(keyword)?.as_object()).flat_map(Map::keys);
    named.map(String::as_str).chain(required_of(members))
}

fn required_of(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
