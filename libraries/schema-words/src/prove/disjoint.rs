//! The proof that a case and a schema have no value in common.

use serde_json::{Map, Value};

use super::Prover;
use super::conjunction::{self, Conjunction};
use crate::judge::{Fitting, judge};
use crate::kinds::{KindSet, ValueKind};

/// Schemas within one another that are looked into.
const DEPTH_MAX: usize = 8;

impl<'a> Prover<'_, 'a> {
    pub(super) fn is_disjoint(&self, case: &Conjunction<'a>, wide: &'a Value) -> bool {
        self.disjoint(case, wide, DEPTH_MAX)
    }

    fn disjoint(&self, case: &Conjunction<'a>, wide: &'a Value, depth_left: usize) -> bool {
        let Some(depth_left) = depth_left.checked_sub(1) else { return false };
        if !self.spend() {
            return false;
        }
        if self.is_impossible(case) {
            return true;
        }
        match wide {
            Value::Bool(allows) => !allows,
            Value::Object(members) => {
                self.differs_by_value(case, wide, members)
                    || self.differs_within(case, members, depth_left)
                    || case.kinds == KindSet::only(ValueKind::Object)
                        && self.differs_by_member(case, members, depth_left)
            }
            _ => false,
        }
    }

    /// They have different kinds, or one of them lists its values.
    fn differs_by_value(
        &self,
        case: &Conjunction<'a>,
        wide: &'a Value,
        members: &'a Map<String, Value>,
    ) -> bool {
        let kinds = members.get("type").and_then(KindSet::of_type).unwrap_or(KindSet::ALL);
        if case.kinds.within(kinds).is_empty() {
            return true;
        }
        if let Some(values) = case.values() {
            let fails = |value: &Value| matches!(judge(self.wide, wide, value), Fitting::Fails(_));
            return values.into_iter().all(|value| self.excludes(case, value) || fails(value));
        }
        match (members.get("const"), members.get("enum")) {
            (Some(only), _) => self.excludes(case, only),
            (None, Some(Value::Array(values))) => values.iter().all(|value| self.excludes(case, value)),
            _ => false,
        }
    }

    fn differs_within(
        &self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        depth_left: usize,
    ) -> bool {
        let target = members.get("$ref").and_then(Value::as_str).and_then(|to| self.wide.follow(to));
        let list = |keyword: &str| members.get(keyword).and_then(Value::as_array);
        let is_disjoint = |schema: &'a Value| self.disjoint(case, schema, depth_left);
        target.is_some_and(is_disjoint)
            || list("allOf").is_some_and(|all| all.iter().any(is_disjoint))
            || list("anyOf").is_some_and(|forms| forms.iter().all(is_disjoint))
            || list("oneOf").is_some_and(|forms| forms.iter().all(is_disjoint))
    }

    /// One requires a member that the other forbids, or that can have no common value: the mark of a form.
    fn differs_by_member(
        &self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        depth_left: usize,
    ) -> bool {
        let required = members.get("required").and_then(Value::as_array);
        let required = || required.into_iter().flatten().filter_map(Value::as_str);
        if required().any(|name| case.forbids(name)) {
            return true;
        }
        let named = members.get("properties").and_then(Value::as_object);
        let has_patterns = members.contains_key("patternProperties");
        let schema_of = |name: &str| match named.and_then(|named| named.get(name)) {
            Some(schema) => Some(schema),
            None if has_patterns => None,
            None => members.get("additionalProperties"),
        };
        let own = case.required();
        let names = own.iter().copied().chain(required());
        names.filter_map(|name| Some((name, schema_of(name)?))).any(|(name, schema)| {
            let inner = conjunction::cases(self.narrow, &case.property(name));
            inner.iter().all(|case| self.disjoint(case, schema, depth_left))
        })
    }
}
