//! Lists against the keywords of lists.

use serde_json::{Map, Value};

use super::{Fitting, Judge};
use crate::equality::is_same;
use crate::keywords::count;

/// Longer lists are not looked through for doubles.
const UNIQUE_ITEMS_MAX: usize = 200;

impl<'a> Judge<'_, 'a> {
    pub(super) fn of_items(
        &mut self,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        items: &[Value],
        path: &str,
    ) -> Fitting {
        let length = items.len() as u64;
        match keyword {
            "minItems" => Fitting::holds(count(rule).map(|least| length >= least), path, || {
                format!("expected at least {rule} items, got {length}")
            }),
            "maxItems" => Fitting::holds(count(rule).map(|most| length <= most), path, || {
                format!("expected at most {rule} items, got {length}")
            }),
            "uniqueItems" if *rule == Value::Bool(true) => {
                Fitting::holds(are_unique(items), path, || "the same item stands there twice".to_owned())
            }
            "prefixItems" => {
                let Some(schemas) = rule.as_array() else { return Fitting::Unknown };
                self.each_item(schemas.iter().zip(items).enumerate(), path)
            }
            "items" => {
                let before = members.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                self.each_item(
                    items.iter().enumerate().skip(before).map(|(at, item)| (at, (rule, item))),
                    path,
                )
            }
            "contains" => self.contains(members, rule, items, path),
            "unevaluatedItems" if *rule != Value::Bool(true) && !items.is_empty() => Fitting::Unknown,
            _ => Fitting::Fits,
        }
    }

    fn each_item<'v>(
        &mut self,
        pairs: impl Iterator<Item = (usize, (&'a Value, &'v Value))>,
        path: &str,
    ) -> Fitting {
        let mut whole = Fitting::Fits;
        for (at, (schema, item)) in pairs {
            whole = whole.and(self.judge(schema, item, &format!("{path}/{at}")));
        }
        whole
    }

    fn contains(
        &mut self,
        members: &'a Map<String, Value>,
        rule: &'a Value,
        items: &[Value],
        path: &str,
    ) -> Fitting {
        let limit = |keyword: &str| members.get(keyword).map(|limit| count(limit).ok_or(()));
        let (Ok(least), Ok(most)) =
            (limit("minContains").unwrap_or(Ok(1)), limit("maxContains").unwrap_or(Ok(u64::MAX)))
        else {
            return Fitting::Unknown;
        };
        let judged: Vec<Fitting> = items.iter().map(|item| self.judge(rule, item, path)).collect();
        let sure = judged.iter().filter(|one| **one == Fitting::Fits).count() as u64;
        let possible = judged.iter().filter(|one| !matches!(one, Fitting::Fails(_))).count() as u64;
        match () {
            () if sure >= least && possible <= most => Fitting::Fits,
            () if possible < least || sure > most => {
                Fitting::fails(path, "another number of items fits `contains`")
            }
            () => Fitting::Unknown,
        }
    }
}

fn are_unique(items: &[Value]) -> Option<bool> {
    if items.len() > UNIQUE_ITEMS_MAX {
        return None;
    }
    let is_double = |(at, one): (usize, &Value)| items[..at].iter().any(|before| is_same(before, one));
    Some(!items.iter().enumerate().any(is_double))
}
