//! Keywords of lists.

use serde_json::{Map, Value};

use super::conjunction::Conjunction;
use super::{Proof, Prover, follows};
use crate::keywords::count;

impl<'a> Prover<'_, 'a> {
    pub(super) fn of_items(
        &mut self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        path: &str,
    ) -> Proof {
        let holds = match keyword {
            "prefixItems" => return self.placed_items(case, rule, path),
            "items" => return self.other_items(case, members, rule, path),
            "minItems" => count(rule).is_some_and(|least| case.least(keyword) >= least),
            "maxItems" => count(rule).is_some_and(|most| case.items_most() <= most),
            "uniqueItems" => *rule == Value::Bool(false) || case.is_unique() || case.items_most() <= 1,
            "contains" => {
                let is_free = members.get("minContains").and_then(count) == Some(0)
                    && !members.contains_key("maxContains");
                is_free || case.has_all_same(&["contains", "minContains", "maxContains"], members)
            }
            "unevaluatedItems" => *rule == Value::Bool(true) || case.items_most() == 0,
            _ => true,
        };
        follows(holds, keyword, rule, path)
    }

    fn placed_items(&mut self, case: &Conjunction<'a>, rule: &'a Value, path: &str) -> Proof {
        let Some(schemas) = rule.as_array() else { return follows(false, "prefixItems", rule, path) };
        for (place, schema) in schemas.iter().enumerate() {
            if case.items_most() > place as u64 {
                self.prove(&case.item(place), schema, &format!("{path}/{place}"))?;
            }
        }
        Ok(())
    }

    fn other_items(
        &mut self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        rule: &'a Value,
        path: &str,
    ) -> Proof {
        let before = members.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let (most, places) = (case.items_most(), case.places().max(before));
        for place in before..places {
            if most > place as u64 {
                self.prove(&case.item(place), rule, &format!("{path}/{place}"))?;
            }
        }
        match most > places as u64 {
            true => self.prove(&case.item(places), rule, &format!("{path}/*")),
            false => Ok(()),
        }
    }
}
