//! Forms, exclusions and conditions of the wide side.

use serde_json::{Map, Value};

use super::conjunction::Conjunction;
use super::{Proof, ProofGap, Prover, follows};

impl<'a> Prover<'_, 'a> {
    pub(super) fn logic(
        &mut self,
        case: &Conjunction<'a>,
        members: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        path: &str,
    ) -> Proof {
        let is_same = match keyword {
            "if" => case.has_all_same(&["if", "then", "else"], members),
            _ => case.has_same(keyword, rule),
        };
        if is_same {
            return Ok(());
        }
        match (keyword, rule) {
            ("not", rule) => follows(self.is_disjoint(case, rule), keyword, rule, path),
            ("if", _) => ["then", "else"].iter().try_for_each(|branch| match members.get(*branch) {
                Some(schema) => self.prove_case(case, schema, path),
                None => Ok(()),
            }),
            ("allOf", Value::Array(all)) => {
                all.iter().try_for_each(|schema| self.prove_case(case, schema, path))
            }
            ("anyOf", Value::Array(forms)) => self.some_form(case, forms, path).map(drop),
            ("oneOf", Value::Array(forms)) => {
                let found = self.some_form(case, forms, path)?;
                let is_other = |(place, _): &(usize, &'a Value)| *place != found;
                let others = forms.iter().enumerate().filter(is_other);
                let mut shared = others.filter(|(_, form)| !self.is_disjoint(case, form));
                match shared.next() {
                    None => Ok(()),
                    Some(_) => Err(ProofGap::new(path, "a value may fit several forms of `oneOf`")),
                }
            }
            _ => follows(false, keyword, rule, path),
        }
    }

    /// The place of a form that all values of the case fit.
    fn some_form(
        &mut self,
        case: &Conjunction<'a>,
        forms: &'a [Value],
        path: &str,
    ) -> Result<usize, ProofGap> {
        let mut gap = ProofGap::new(path, "there is no form to fit");
        for (place, form) in forms.iter().enumerate() {
            match self.prove_case(case, form, path) {
                Ok(()) => return Ok(place),
                Err(other) if forms.len() == 1 => gap = other,
                Err(_) => gap = ProofGap::new(path, "no single form is known to hold all of it"),
            }
        }
        Err(gap)
    }
}
