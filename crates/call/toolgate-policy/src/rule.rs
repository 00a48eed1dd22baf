//! One policy: Cedar's policy with its position, its name and its requirement. Texts become rules here, or
//! all their errors are reported.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use cedar_policy::ffi::DetailedError;
use cedar_policy::{Effect, Policy, PolicyId, PolicySet};
use toolgate_core::Digest;
use toolgate_core::decision::{PolicyRef, PolicyTemplate};

use crate::annotation::{self, GateTerms, RefusedAnnotation};
use crate::entity::ENTITY_TYPES;
use crate::glance::PartialCondition;
use crate::problem::{PolicyProblem, TextPosition, did_you_mean};
use crate::scope::PolicyScope;
use crate::source::{PolicyAuthor, PolicyPurpose, PolicyText};
use crate::usage::PolicyUsage;

#[derive(Clone, Debug)]
pub(crate) struct CompiledRule {
    pub(crate) policy: Policy,
    pub(crate) set: PolicyPurpose,
    pub(crate) author: PolicyAuthor,
    /// The least strict level of care that it is part of.
    pub(crate) level: PolicyTemplate,
    /// The path inside the policy folder, or the name from the settings.
    pub(crate) file: String,
    /// The same as a person would open it.
    pub(crate) shown: String,
    /// The byte, line and column where the policy starts in its file.
    pub(crate) start: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) reference: PolicyRef,
    /// Its requirement, if it is a gate.
    pub(crate) terms: GateTerms,
    pub(crate) scope: PolicyScope,
    pub(crate) usage: PolicyUsage,
    pub(crate) glance: PartialCondition,
    /// The policy by itself, ready to be evaluated.
    pub(crate) alone: PolicySet,
}

impl CompiledRule {
    pub(crate) fn is_permit(&self) -> bool {
        self.policy.effect() == Effect::Permit
    }

    /// True if it has only a scope: then it cannot fail.
    pub(crate) fn is_plain(&self) -> bool {
        !self.policy.has_non_scope_constraint()
    }

    /// True if it applies to everyone and everything.
    pub(crate) fn is_unconditional(&self) -> bool {
        self.scope.is_open() && self.is_plain()
    }
}

/// Parses all texts into rules, in order.
pub(crate) fn rules_of(texts: &[PolicyText]) -> (Vec<CompiledRule>, Vec<PolicyProblem>) {
    let mut rules = Vec::new();
    let mut problems = Vec::new();
    for text in texts {
        match PolicySet::from_str(&text.text) {
            Ok(set) => read_set(text, &set, &mut rules, &mut problems),
            Err(errors) => {
                problems.extend(errors.iter().map(|error| unreadable(text, &DetailedError::from(error))));
            }
        }
    }
    tell_neighbours_apart(&mut rules);
    problems.extend(repeated_names(texts));
    problems.extend(repeated_ids(&rules));
    (rules, problems)
}

fn read_set(
    text: &PolicyText,
    set: &PolicySet,
    rules: &mut Vec<CompiledRule>,
    problems: &mut Vec<PolicyProblem>,
) {
    for (start, statement) in statements(&text.text, set) {
        match statement {
            CedarStatement::Policy(policy) => {
                let (rule, mut found) = read_policy(text, policy, start);
                problems.append(&mut found);
                rules.push(rule);
            }
            CedarStatement::Template => problems.push(
                PolicyProblem::at(
                    &text.shown,
                    &text.text,
                    start,
                    "the policy has a slot, which nothing ever fills",
                )
                .hint("write the principal or the resource itself in place of `?principal` or `?resource`"),
            ),
        }
    }
}

enum CedarStatement<'a> {
    Policy(&'a Policy),
    Template,
}

/// Every statement of a text with the byte where it starts.
fn statements<'a>(source: &str, set: &'a PolicySet) -> Vec<(usize, CedarStatement<'a>)> {
    let mut ordered: BTreeMap<usize, (String, CedarStatement<'a>)> = BTreeMap::new();
    for policy in set.policies() {
        let text = policy.to_cedar().expect("a policy read from text has one");
        ordered.insert(place_in_text(policy.id()), (text, CedarStatement::Policy(policy)));
    }
    for template in set.templates() {
        ordered.insert(place_in_text(template.id()), (template.to_cedar(), CedarStatement::Template));
    }
    let mut end = 0;
    let mut found = Vec::new();
    for (text, statement) in ordered.into_values() {
        let start = skip_blank(source, end);
        end = start + text.len();
        found.push((start, statement));
    }
    found
}

/// Cedar numbers the statements of a text: `policy0`, `policy1`, …
fn place_in_text(id: &PolicyId) -> usize {
    let text: &str = id.as_ref();
    text.trim_start_matches("policy").parse().unwrap_or(usize::MAX)
}

/// Goes past white space and comments.
fn skip_blank(source: &str, mut at: usize) -> usize {
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if !trimmed.starts_with("//") {
            return at;
        }
        at += trimmed.find('\n').unwrap_or(trimmed.len());
    }
}

fn read_policy(text: &PolicyText, policy: &Policy, start: usize) -> (CompiledRule, Vec<PolicyProblem>) {
    let own = policy.to_cedar().expect("a policy read from text has one");
    let TextPosition { line, column } = TextPosition::of(&text.text, start);
    let json = policy.to_json().expect("a policy read from text has a JSON form");
    let (terms, refused) = match text.set.is_gates() {
        true => annotation::gate_terms(policy),
        false => (GateTerms::default(), annotation::guard_problems(policy)),
    };
    let rule = CompiledRule {
        set: text.set,
        author: text.author,
        level: text.level,
        file: text.name.clone(),
        shown: text.shown.clone(),
        start,
        line,
        column,
        reference: reference(text, policy, &json, line),
        text: own,
        terms,
        scope: PolicyScope::of(policy),
        usage: PolicyUsage::of(&json),
        glance: PartialCondition::of(&json),
        alone: PolicySet::from_policies([policy.clone()]).expect("one policy has one id"),
        policy: policy.clone(),
    };
    let mut problems: Vec<PolicyProblem> = refused.iter().map(|one| refused_at(text, &rule, one)).collect();
    problems.extend(permit_in_gates(text, &rule));
    problems.extend(unknown_types(text, &rule));
    (rule, problems)
}

fn reference(text: &PolicyText, policy: &Policy, meaning: &serde_json::Value, line: usize) -> PolicyRef {
    let written = |name| policy.annotation(name).filter(|value| !value.is_empty()).map(str::to_owned);
    PolicyRef {
        id: written(annotation::ID).unwrap_or_else(|| format!("{}:{line}", text.name)),
        reason: written(annotation::REASON),
        // Cedar's own form has no comments and no spelling.
        text: Digest::of(meaning.to_string()),
    }
}

fn refused_at(text: &PolicyText, rule: &CompiledRule, refused: &RefusedAnnotation) -> PolicyProblem {
    let at = rule.text.find(&format!("@{}", refused.name)).unwrap_or(0);
    PolicyProblem::at(&text.shown, &text.text, rule.start + at, &refused.what)
        .maybe_hint(refused.hint.clone())
}

fn permit_in_gates(text: &PolicyText, rule: &CompiledRule) -> Option<PolicyProblem> {
    let misplaced = text.set.is_gates() && rule.is_permit();
    misplaced.then(|| {
        PolicyProblem::at(&text.shown, &text.text, rule.start, "a gate is a `forbid`; a `permit` opens none")
            .hint("narrow the gate with `unless { … }`, or move the permit to `guard.cedar`")
    })
}

/// A type that does not exist never matches: a `forbid` over it would silently forbid nothing.
fn unknown_types(text: &PolicyText, rule: &CompiledRule) -> Vec<PolicyProblem> {
    let unknown = rule.usage.entity_types.iter().filter(|name| !ENTITY_TYPES.contains(&name.as_str()));
    unknown
        .map(|name| {
            let at = rule.text.find(name.as_str()).unwrap_or(0);
            let hint = did_you_mean(name, ENTITY_TYPES)
                .unwrap_or_else(|| format!("the types are {}", ENTITY_TYPES.join(", ")));
            let what = format!("there is no entity type `{name}`");
            PolicyProblem::at(&text.shown, &text.text, rule.start + at, what).hint(hint)
        })
        .collect()
}

/// Distinguishes policies without an id on the same line by their columns.
fn tell_neighbours_apart(rules: &mut [CompiledRule]) {
    let unnamed = |rule: &CompiledRule| rule.policy.annotation(annotation::ID).is_none();
    for place in 1..rules.len() {
        let (before, from) = rules.split_at_mut(place);
        let (previous, rule) = (&before[place - 1], &mut from[0]);
        let neighbours = previous.file == rule.file && previous.line == rule.line;
        if neighbours && unnamed(rule) {
            rule.reference.id = format!("{}:{}:{}", rule.file, rule.line, rule.column);
        }
    }
}

/// Two texts may not share a name either.
fn repeated_names(texts: &[PolicyText]) -> Vec<PolicyProblem> {
    let mut seen = BTreeSet::new();
    let repeated = texts.iter().filter(|text| !seen.insert(text.name.as_str()));
    repeated
        .map(|text| {
            let what = format!("two texts of policies are called `{}`", text.name);
            PolicyProblem::of_file(&text.shown, what).hint("give each a name of its own")
        })
        .collect()
}

/// Two policies in force may not share a name: the decision would be ambiguous.
fn repeated_ids(rules: &[CompiledRule]) -> Vec<PolicyProblem> {
    let mut seen: BTreeMap<(bool, &str), &CompiledRule> = BTreeMap::new();
    let mut problems = Vec::new();
    for rule in rules {
        let Some(first) = seen.insert((rule.set.is_shadow(), &rule.reference.id), rule) else { continue };
        let what = format!("the id `{}` is taken: {}:{} has it", rule.reference.id, first.shown, first.line);
        problems.push(PolicyProblem {
            file: rule.shown.clone(),
            place: Some(TextPosition { line: rule.line, column: rule.column }),
            what,
            hint: Some("give each policy an `@id` of its own".to_owned()),
        });
    }
    problems
}

/// Cedar's error about a text, in our form, with a hint if Cedar has none.
fn unreadable(text: &PolicyText, error: &DetailedError) -> PolicyProblem {
    const FORM: &str =
        "a policy reads `forbid (principal, action == Action::\"server:tool\", resource) when { … };`";
    let problem = problem_of(text, error);
    if error.help.is_some() { problem } else { problem.hint(FORM) }
}

pub(crate) fn problem_of(text: &PolicyText, error: &DetailedError) -> PolicyProblem {
    let label = error.source_locations.first();
    let at = label.map_or(0, |label| label.loc.start);
    let what = match label.and_then(|label| label.label.as_deref()) {
        Some(label) if !error.message.contains(label) => format!("{}: {label}", error.message),
        _ => error.message.clone(),
    };
    PolicyProblem::at(&text.shown, &text.text, at, what).maybe_hint(error.help.clone())
}

#[cfg(test)]
mod tests;
