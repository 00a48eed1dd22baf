//! The question whether every value of one schema fits another, with its three answers.

use serde_json::Value;

use crate::equality::is_same;
use crate::judge::{Fitting, SchemaMisfit, judge};
use crate::prove::{ProofGap, prove};
use crate::quoted;
use crate::sample::samples;
use crate::tree::SchemaTree;

#[derive(Clone, PartialEq, Debug)]
pub enum Inclusion {
    /// Every value of the narrow schema fits the wide one.
    Proven,
    /// This one does not.
    Refuted(Counterexample),
    /// Neither was found.
    Open(ProofGap),
}

/// A value that fits the one schema and not the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    pub value: Value,
    /// A JSON pointer to the part of it that does not fit.
    pub path: String,
    pub problem: String,
}

impl Counterexample {
    /// `at /b: expected string, got 5 (for example {"b":5})`
    pub fn words(&self) -> String {
        let place = if self.path.is_empty() { String::new() } else { format!("at {}: ", self.path) };
        format!("{place}{} (for example {})", self.problem, quoted::value(&self.value))
    }
}

impl ProofGap {
    /// `at /b: …`
    pub fn words(&self) -> String {
        let place = if self.path.is_empty() { String::new() } else { format!("at {}: ", self.path) };
        format!("{place}{}", self.reason)
    }
}

/// Asks whether every value that fits `narrow` fits `wide`.
pub fn inclusion(narrow: &Value, wide: &Value) -> Inclusion {
    if is_same(narrow, wide) {
        return Inclusion::Proven;
    }
    let (narrow_tree, wide_tree) = (SchemaTree::new(narrow), SchemaTree::new(wide));
    match prove(&narrow_tree, &wide_tree) {
        Ok(()) => Inclusion::Proven,
        Err(gap) => match counterexample(&narrow_tree, &wide_tree) {
            Some(found) => Inclusion::Refuted(found),
            None => Inclusion::Open(gap),
        },
    }
}

fn counterexample<'a>(narrow: &SchemaTree<'a>, wide: &SchemaTree<'a>) -> Option<Counterexample> {
    if narrow.unclear().is_some() || wide.unclear().is_some() {
        return None;
    }
    samples(narrow, wide).into_iter().find_map(|value| {
        let Fitting::Fails(SchemaMisfit { path, problem }) = judge(wide, wide.root, &value) else {
            return None;
        };
        let fits = judge(narrow, narrow.root, &value) == Fitting::Fits;
        fits.then_some(Counterexample { value, path, problem })
    })
}
