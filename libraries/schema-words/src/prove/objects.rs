//! Keywords of objects.

use serde_json::{Map, Value};

use super::conjunction::Conjunction;
use super::{Proof, ProofGap, Prover, follows};
use crate::judge::{Fitting, judge};
use crate::keywords::{count, step};
use crate::quoted;

impl<'a> Prover<'_, 'a> {
    pub(super) fn of_members(
        &mut self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        path: &str,
    ) -> Proof {
        let holds = match keyword {
            "required" => return required(case, rule, path),
            "properties" => return self.named(case, rule, path),
            "patternProperties" => return self.by_pattern(case, rule, path),
            "additionalProperties" => return self.others(case, members, rule, path),
            "dependentSchemas" => return self.dependents(case, rule, path),
            "dependentRequired" => are_required(case, rule),
            "propertyNames" => case.has_same(keyword, rule) || self.has_only_names(case, rule),
            "minProperties" => {
                let least = case.least(keyword).max(case.required().len() as u64);
                count(rule).is_some_and(|wanted| least >= wanted)
            }
            "maxProperties" => {
                let most = case.most(keyword).min(case.names_most().unwrap_or(u64::MAX));
                count(rule).is_some_and(|allowed| most <= allowed)
            }
            "unevaluatedProperties" => *rule == Value::Bool(true) || case.names_most() == Some(0),
            _ => true,
        };
        follows(holds, keyword, rule, path)
    }

    fn named(&mut self, case: &Conjunction<'a>, rule: &'a Value, path: &str) -> Proof {
        let Some(properties) = rule.as_object() else { return follows(false, "properties", rule, path) };
        for (name, schema) in properties {
            self.prove(&case.property(name), schema, &format!("{path}/{}", step(name)))?;
        }
        Ok(())
    }

    /// Members that match the pattern fit what the same pattern says on the narrow side; or every member fits.
    fn by_pattern(&mut self, case: &Conjunction<'a>, rule: &'a Value, path: &str) -> Proof {
        let Some(patterns) = rule.as_object() else { return follows(false, "patternProperties", rule, path) };
        let place = format!("{path}/*");
        for (pattern, schema) in patterns {
            let same = case.patterns().into_iter().filter(|(own, _)| own == pattern);
            let same: Vec<&'a Value> = same.map(|(_, schema)| schema).collect();
            if !same.is_empty() && self.prove(&same, schema, &place).is_ok() {
                continue;
            }
            for name in case.names() {
                self.prove(&case.property(name), schema, &format!("{path}/{}", step(name)))?;
            }
            for (_, own) in case.patterns() {
                self.prove(&[own], schema, &place)?;
            }
            self.prove(&case.others(), schema, &place)?;
        }
        Ok(())
    }

    /// A name that matches a pattern of the narrow side is only known to fit that pattern's schema.
    fn others(
        &mut self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        rule: &'a Value,
        path: &str,
    ) -> Proof {
        let has = |keyword: &str, name: &str| {
            members.get(keyword).and_then(Value::as_object).is_some_and(|all| all.contains_key(name))
        };
        let place = format!("{path}/*");
        for name in case.names().into_iter().filter(|name| !has("properties", name)) {
            self.prove(&case.property(name), rule, &format!("{path}/{}", step(name)))?;
        }
        for (_, own) in case.patterns().into_iter().filter(|(own, _)| !has("patternProperties", own)) {
            self.prove(&[own], rule, &place)?;
        }
        self.prove(&case.others(), rule, &place)
    }

    fn dependents(&mut self, case: &Conjunction<'a>, rule: &'a Value, path: &str) -> Proof {
        let Some(schemas) = rule.as_object() else { return follows(false, "dependentSchemas", rule, path) };
        for (name, schema) in schemas {
            let is_free = case.forbids(name) || case.has_same("dependentSchemas", rule);
            if !is_free {
                self.prove_case(case, schema, path)?;
            }
        }
        Ok(())
    }

    fn has_only_names(&self, case: &Conjunction<'a>, rule: &'a Value) -> bool {
        let fits = |name: &str| judge(self.wide, rule, &Value::from(name)) == Fitting::Fits;
        case.names_most().is_some() && case.names().into_iter().all(fits)
    }
}

fn required(case: &Conjunction<'_>, rule: &Value, path: &str) -> Proof {
    let Some(names) = rule.as_array() else { return follows(false, "required", rule, path) };
    let own = case.required();
    match names.iter().find(|name| name.as_str().is_none_or(|name| !own.contains(name))) {
        Some(missing) => {
            let name = quoted::name(missing.as_str().unwrap_or_default());
            Err(ProofGap::new(path, format!("{name} is required, and may be missing")))
        }
        None => Ok(()),
    }
}

fn are_required(case: &Conjunction<'_>, rule: &Value) -> bool {
    let Some(lists) = rule.as_object() else { return false };
    lists.iter().all(|(name, dependents)| {
        let (own, known) = (case.required(), case.dependents(name));
        let is_there = |one: &Value| one.as_str().is_some_and(|one| own.contains(one) || known.contains(one));
        case.forbids(name) || dependents.as_array().is_some_and(|all| all.iter().all(is_there))
    })
}
