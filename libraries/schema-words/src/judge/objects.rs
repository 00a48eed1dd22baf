//! Objects against the keywords of objects.

use serde_json::{Map, Value};

use super::{Fitting, Judge};
use crate::keywords::{count, step};
use crate::quoted;

impl<'a> Judge<'_, 'a> {
    pub(super) fn of_members(
        &mut self,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        found: &Map<String, Value>,
        path: &str,
    ) -> Fitting {
        let size = found.len() as u64;
        match keyword {
            "required" => of_required(rule, found, path),
            "minProperties" => Fitting::holds(count(rule).map(|least| size >= least), path, || {
                format!("expected at least {rule} members, got {size}")
            }),
            "maxProperties" => Fitting::holds(count(rule).map(|most| size <= most), path, || {
                format!("expected at most {rule} members, got {size}")
            }),
            "properties" => self.named(rule, found, path),
            "patternProperties" => self.by_pattern(rule, found, path),
            "additionalProperties" => self.others(members, rule, found, path),
            "propertyNames" => self.names(rule, found, path),
            "dependentRequired" => of_dependents(rule, found, path),
            "dependentSchemas" => self.dependents(rule, found, path),
            "unevaluatedProperties" if *rule != Value::Bool(true) && !found.is_empty() => Fitting::Unknown,
            _ => Fitting::Fits,
        }
    }

    fn named(&mut self, rule: &'a Value, found: &Map<String, Value>, path: &str) -> Fitting {
        let Some(properties) = rule.as_object() else { return Fitting::Unknown };
        let mut whole = Fitting::Fits;
        for (name, schema) in properties {
            if let Some(value) = found.get(name) {
                whole = whole.and(self.judge(schema, value, &format!("{path}/{}", step(name))));
            }
        }
        whole
    }

    /// Nobody knows which names match, so only what fits either way is known to fit.
    fn by_pattern(&mut self, rule: &'a Value, found: &Map<String, Value>, path: &str) -> Fitting {
        let Some(patterns) = rule.as_object() else { return Fitting::Unknown };
        for schema in patterns.values() {
            for value in found.values() {
                if self.judge(schema, value, path) != Fitting::Fits {
                    return Fitting::Unknown;
                }
            }
        }
        Fitting::Fits
    }

    fn others(
        &mut self,
        members: &'a Map<String, Value>,
        rule: &'a Value,
        found: &Map<String, Value>,
        path: &str,
    ) -> Fitting {
        let named = members.get("properties").and_then(Value::as_object);
        let has_patterns =
            members.get("patternProperties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
        let mut whole = Fitting::Fits;
        for (name, value) in found {
            if named.is_some_and(|named| named.contains_key(name)) {
                continue;
            }
            let place = format!("{path}/{}", step(name));
            whole = whole.and(match (self.judge(rule, value, &place), has_patterns) {
                (Fitting::Fails(_), true) => Fitting::Unknown,
                (Fitting::Fails(_), false) if *rule == Value::Bool(false) => {
                    Fitting::fails(&place, format!("there is no member {}", quoted::name(name)))
                }
                (judged, _) => judged,
            });
        }
        whole
    }

    fn names(&mut self, rule: &'a Value, found: &Map<String, Value>, path: &str) -> Fitting {
        let mut whole = Fitting::Fits;
        for name in found.keys() {
            whole = whole.and(self.judge(rule, &Value::from(name.as_str()), path));
        }
        whole
    }

    fn dependents(&mut self, rule: &'a Value, found: &Map<String, Value>, path: &str) -> Fitting {
        let Some(schemas) = rule.as_object() else { return Fitting::Unknown };
        let whole_value = Value::Object(found.clone());
        let mut whole = Fitting::Fits;
        for (name, schema) in schemas {
            if found.contains_key(name) {
                whole = whole.and(self.judge(schema, &whole_value, path));
            }
        }
        whole
    }
}

fn of_required(rule: &Value, found: &Map<String, Value>, path: &str) -> Fitting {
    let Some(names) = rule.as_array() else { return Fitting::Unknown };
    let missing = names.iter().filter_map(Value::as_str).find(|name| !found.contains_key(*name));
    match missing {
        Some(name) => Fitting::fails(path, format!("{} is missing", quoted::name(name))),
        None => Fitting::Fits,
    }
}

fn of_dependents(rule: &Value, found: &Map<String, Value>, path: &str) -> Fitting {
    let Some(lists) = rule.as_object() else { return Fitting::Unknown };
    lists
        .iter()
        .filter(|(name, _)| found.contains_key(*name))
        .fold(Fitting::Fits, |whole, (_, names)| whole.and(of_required(names, found, path)))
}
