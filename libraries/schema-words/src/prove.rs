//! The proof that every value of a narrow schema fits a wide one.
//!
//! The narrow side is a list of schemas that a value is known to fit. It is split into cases: forms, then kinds of values. In each case
//! every keyword of the wide side must follow. Whatever is not understood of the narrow side is left out, which makes the proof harder and
//! never wrong; whatever is not understood of the wide side ends it.

mod conjunction;
mod disjoint;
mod lists;
mod logic;
mod objects;
mod scalars;

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::judge::{Fitting, judge};
use crate::kinds::{KindSet, ValueKind};
use crate::quoted;
use crate::tree::{SchemaPtr, SchemaTree, ptr};
use conjunction::Conjunction;

/// Keywords that one proof looks at.
const STEPS_MAX: usize = 50_000;
/// Schemas within one another, on the way of one proof.
const DEPTH_MAX: usize = 96;

/// The place where a proof did not succeed. It says nothing about the schemas beyond that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofGap {
    /// A JSON pointer into values; `*` stands for any member or item.
    pub path: String,
    pub reason: String,
}

impl ProofGap {
    fn new(path: &str, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}

pub(crate) type Proof = Result<(), ProofGap>;

/// Proves that every value of the one document's schema fits the other's.
pub(crate) fn prove<'a>(narrow: &SchemaTree<'a>, wide: &SchemaTree<'a>) -> Proof {
    for (tree, which) in [(narrow, "the first schema"), (wide, "the second schema")] {
        if let Some(reason) = tree.unclear() {
            return Err(ProofGap::new("", format!("of {which}: {reason}")));
        }
    }
    let mut prover =
        Prover { narrow, wide, steps_left: Cell::new(STEPS_MAX), depth_left: DEPTH_MAX, assumed: Vec::new() };
    prover.prove(&[narrow.root], wide.root, "")
}

/// Schemas that are being compared further up: narrow ones, and the wide one.
type AssumedPair = (Vec<SchemaPtr>, SchemaPtr);

struct Prover<'t, 'a> {
    narrow: &'t SchemaTree<'a>,
    wide: &'t SchemaTree<'a>,
    steps_left: Cell<usize>,
    depth_left: usize,
    assumed: Vec<AssumedPair>,
}

impl<'a> Prover<'_, 'a> {
    /// Proves it for values at another place: the whole, a member or an item. A pair that is met again was met at a place above, so it
    /// holds there by induction over the depth of the value.
    fn prove(&mut self, narrow: &[&'a Value], wide: &'a Value, path: &str) -> Proof {
        let mut pair: AssumedPair = (narrow.iter().map(|schema| ptr(schema)).collect(), ptr(wide));
        pair.0.sort_unstable();
        pair.0.dedup();
        if self.assumed.contains(&pair) {
            return Ok(());
        }
        self.enter(path)?;
        self.assumed.push(pair);
        let cases = conjunction::cases(self.narrow, narrow);
        let proof = cases.iter().try_for_each(|case| self.prove_case(case, wide, path));
        self.assumed.pop();
        self.leave();
        proof
    }

    /// Proves one case at the same place.
    fn prove_case(&mut self, case: &Conjunction<'a>, wide: &'a Value, path: &str) -> Proof {
        self.enter(path)?;
        let proof = match wide {
            Value::Bool(true) => Ok(()),
            Value::Bool(false) if self.is_impossible(case) => Ok(()),
            Value::Bool(false) => Err(ProofGap::new(path, "nothing is allowed there")),
            Value::Object(members) => self.prove_members(case, wide, members, path),
            _ => Err(ProofGap::new(path, "there is no schema")),
        };
        self.leave();
        proof
    }

    fn prove_members(
        &mut self,
        case: &Conjunction<'a>,
        wide: &'a Value,
        members: &'a Map<String, Value>,
        path: &str,
    ) -> Proof {
        if let Some(values) = case.values() {
            return values.into_iter().try_for_each(|value| self.prove_value(case, value, wide, path));
        }
        for kind in case.kinds.kinds() {
            match kind {
                ValueKind::Null => self.prove_value(case, &Value::Null, wide, path)?,
                ValueKind::Boolean => {
                    self.prove_value(case, &Value::Bool(false), wide, path)?;
                    self.prove_value(case, &Value::Bool(true), wide, path)?;
                }
                kind => {
                    let one = Conjunction { kinds: KindSet::only(kind), ..case.clone() };
                    for (keyword, rule) in members {
                        self.keyword(&one, kind, members, keyword, rule, path)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn prove_value(&self, case: &Conjunction<'a>, value: &Value, wide: &'a Value, path: &str) -> Proof {
        if self.excludes(case, value) || judge(self.wide, wide, value) == Fitting::Fits {
            return Ok(());
        }
        Err(ProofGap::new(path, format!("{} is not known to fit", quoted::value(value))))
    }

    fn keyword(
        &mut self,
        case: &Conjunction<'a>,
        kind: ValueKind,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        path: &str,
    ) -> Proof {
        if !self.spend() {
            return Err(too_large(path));
        }
        match keyword {
            "type" => {
                let holds = KindSet::of_type(rule).is_some_and(|set| set.has(kind));
                follows(holds, keyword, rule, path)
            }
            "const" | "enum" => follows(case.has_same(keyword, rule), keyword, rule, path),
            "$ref" => match rule.as_str().and_then(|reference| self.wide.follow(reference)) {
                Some(target) => self.prove_case(case, target, path),
                None => follows(false, keyword, rule, path),
            },
            "$dynamicRef" | "$recursiveRef" => follows(false, keyword, rule, path),
            "allOf" | "anyOf" | "oneOf" | "not" | "if" => self.logic(case, members, keyword, rule, path),
            _ => match kind {
                ValueKind::Whole | ValueKind::Fraction => {
                    follows(scalars::holds_for_numbers(case, kind, keyword, rule), keyword, rule, path)
                }
                ValueKind::Text => {
                    follows(scalars::holds_for_texts(case, keyword, rule), keyword, rule, path)
                }
                ValueKind::List => self.of_items(case, members, keyword, rule, path),
                ValueKind::Object => self.of_members(case, members, keyword, rule, path),
                ValueKind::Null | ValueKind::Boolean => Ok(()),
            },
        }
    }

    /// True if the narrow side is known not to have this value.
    fn excludes(&self, case: &Conjunction<'a>, value: &Value) -> bool {
        !case.kinds.has(ValueKind::of(value))
            || case.nodes.iter().any(|node| matches!(judge(self.narrow, node, value), Fitting::Fails(_)))
    }

    /// True if the narrow side is known to have no value at all.
    fn is_impossible(&self, case: &Conjunction<'a>) -> bool {
        match case.values() {
            Some(values) => values.into_iter().all(|value| self.excludes(case, value)),
            None => {
                let is_object = case.kinds == KindSet::only(ValueKind::Object);
                case.kinds.is_empty() || is_object && case.requires_what_it_forbids()
            }
        }
    }

    fn enter(&mut self, path: &str) -> Proof {
        self.depth_left = self.depth_left.checked_sub(1).ok_or_else(|| too_large(path))?;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth_left += 1;
    }

    /// Counts a step; false if there are none left.
    fn spend(&self) -> bool {
        let left = self.steps_left.get();
        self.steps_left.set(left.saturating_sub(1));
        left > 0
    }
}

fn too_large(path: &str) -> ProofGap {
    ProofGap::new(path, "the schemas are too intricate to compare")
}

/// A keyword of the wide side, which the narrow side implies or not.
fn follows(holds: bool, keyword: &str, rule: &Value, path: &str) -> Proof {
    match holds {
        true => Ok(()),
        false => Err(ProofGap::new(
            path,
            format!("{} {} does not follow", quoted::name(keyword), quoted::value(rule)),
        )),
    }
}

#[cfg(test)]
mod tests;
