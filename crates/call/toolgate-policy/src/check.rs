//! Checks of policies against the current tools, before they are in force: types of arguments, names of
//! tools.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cedar_policy::ffi::DetailedError;
use cedar_policy::{PolicyId, PolicySet, ValidationError, ValidationMode, ValidationWarning, Validator};
use toolgate_core::Tool;

use crate::discovery::with_discovery;
use crate::entity::{ACTION, SERVER, TOOL};
use crate::level::assemble;
use crate::problem::{PolicyProblem, TextPosition, did_you_mean};
use crate::rule::{CompiledRule, problem_of};
use crate::schema::schema_for;
use crate::source::{PolicyAuthor, PolicyPurpose, PolicyText, Sources};

/// Errors and warnings.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct PolicyReport {
    /// Policies that would not load, or that fail on current tools.
    pub errors: Vec<PolicyProblem>,
    /// Policies that apparently have no effect.
    pub warnings: Vec<PolicyProblem>,
}

/// Checks everything that can be checked. Without tools only texts and annotations are.
pub fn check(sources: &Sources, tools: &[Arc<Tool>]) -> PolicyReport {
    let (written, errors) = sources.read();
    check_texts(&written, errors, tools)
}

/// The same for texts that were read, with the errors of those that could not be.
pub(crate) fn check_texts(
    written: &[PolicyText],
    mut errors: Vec<PolicyProblem>,
    tools: &[Arc<Tool>],
) -> PolicyReport {
    let (texts, rules, problems) = assemble(written);
    errors.extend(problems);
    let mut report = PolicyReport { errors, warnings: permits_nothing(&rules).into_iter().collect() };
    if !tools.is_empty() {
        let texts: BTreeMap<&str, &PolicyText> =
            texts.iter().map(|text| (text.name.as_str(), text)).collect();
        Checker { texts, rules: &rules, report: &mut report }.check(&with_discovery(tools));
    }
    for problems in [&mut report.errors, &mut report.warnings] {
        problems.sort();
        problems.dedup();
    }
    report
}

/// A guard of the operator's replaces the built-in one, which permits: without a permit of its own, every call is denied.
fn permits_nothing(rules: &[CompiledRule]) -> Option<PolicyProblem> {
    let is_own =
        |rule: &&CompiledRule| rule.set == PolicyPurpose::Guard && rule.author == PolicyAuthor::Operator;
    let mut guard = rules.iter().filter(is_own);
    if guard.clone().any(CompiledRule::is_permit) {
        return None;
    }
    let first = guard.next()?;
    Some(PolicyProblem {
        file: first.shown.clone(),
        place: Some(TextPosition { line: first.line, column: first.column }),
        what: "the guard permits nothing: every call would be denied".to_owned(),
        hint: Some("add `permit (principal, action, resource);`, which the built-in guard has".to_owned()),
    })
}

struct Checker<'a> {
    texts: BTreeMap<&'a str, &'a PolicyText>,
    rules: &'a [CompiledRule],
    report: &'a mut PolicyReport,
}

impl Checker<'_> {
    fn check(&mut self, tools: &[Arc<Tool>]) {
        let tools = &self.with_actions(tools);
        let known = KnownNames::of(tools);
        let unknown: Vec<PolicyProblem> = self.rules.iter().flat_map(|rule| known.missing_in(rule)).collect();
        self.report.warnings.extend(unknown);
        match schema_for(tools) {
            Ok(generated) => self.check_types(&Validator::new(generated.schema), &known),
            Err(error) => self.report.errors.extend(error.problems),
        }
    }

    /// The tools, and the servers' resources, prompts, completion and tasks that rules name.
    fn with_actions(&self, tools: &[Arc<Tool>]) -> Vec<Arc<Tool>> {
        let named = self.rules.iter().flat_map(|rule| &rule.usage.entities);
        let named = named.filter(|named| [ACTION, TOOL].contains(&named.entity_type.as_str()));
        let actions = named.filter_map(|named| Tool::action_named(&named.id)).map(Arc::new);
        let is_known = |action: &Arc<Tool>| tools.iter().any(|tool| tool.server == action.server);
        tools.iter().cloned().chain(actions.filter(is_known)).collect()
    }

    fn check_types(&mut self, validator: &Validator, known: &KnownNames<'_>) {
        let policies = self.rules.iter().enumerate();
        let numbered = policies.map(|(place, rule)| rule.policy.new_id(PolicyId::new(place.to_string())));
        let set = PolicySet::from_policies(numbered).expect("every rule has a number of its own");
        let result = validator.validate(&set, ValidationMode::Strict);
        for error in result.validation_errors() {
            // A missing tool is a warning, with the nearest name.
            if !matches!(error, ValidationError::UnrecognizedActionId(_)) {
                let problem = self.place(error.policy_id(), &DetailedError::from(error));
                self.report.errors.push(problem);
            }
        }
        for warning in result.validation_warnings() {
            let rule = self.rule(warning.policy_id());
            let told = known.missing_in(rule).next().is_some();
            let built_in = rule.author == PolicyAuthor::BuiltIn;
            let follows = matches!(
                warning,
                ValidationWarning::InvalidActionApplication(_) | ValidationWarning::ImpossiblePolicy(_)
            );
            if !(built_in || told && follows) {
                let problem = self.place(warning.policy_id(), &DetailedError::from(warning));
                self.report.warnings.push(problem);
            }
        }
    }

    fn rule(&self, id: &PolicyId) -> &CompiledRule {
        let number: &str = id.as_ref();
        &self.rules[number.parse::<usize>().expect("policies are numbered before they are checked")]
    }

    /// Cedar names policies by our numbers; people know them by their own names.
    fn place(&self, id: &PolicyId, error: &DetailedError) -> PolicyProblem {
        let rule = self.rule(id);
        let text = self.texts[rule.file.as_str()];
        let number: &str = id.as_ref();
        let mut problem = problem_of(text, error);
        problem.what = problem
            .what
            .replace(&format!("for policy `{number}`, "), &format!("policy `{}`: ", rule.reference.id));
        if error.source_locations.is_empty() {
            problem.place = Some(TextPosition { line: rule.line, column: rule.column });
        }
        problem
    }
}

/// The names that policies may use for tools.
struct KnownNames<'a> {
    tools: BTreeSet<&'a str>,
    servers: BTreeSet<&'a str>,
}

impl<'a> KnownNames<'a> {
    fn of(tools: &'a [Arc<Tool>]) -> Self {
        Self {
            tools: tools.iter().map(|tool| tool.name.as_str()).collect(),
            servers: tools.iter().map(|tool| tool.server.as_str()).collect(),
        }
    }

    /// The unknown names in a rule.
    fn missing_in<'b>(&'b self, rule: &'b CompiledRule) -> impl Iterator<Item = PolicyProblem> + use<'a, 'b> {
        rule.usage.entities.iter().filter_map(|named| {
            let (kind, known) = match named.entity_type.as_str() {
                ACTION | TOOL => ("tool", &self.tools),
                SERVER => ("server", &self.servers),
                _ => return None,
            };
            let id = named.id.as_str();
            (!known.contains(id)).then(|| {
                let hint = did_you_mean(id, known.iter().copied());
                PolicyProblem {
                    file: rule.shown.clone(),
                    place: Some(rule.place_of(&format!("{id:?}"))),
                    what: format!("`{}::{id:?}` names no known {kind}", named.entity_type),
                    hint,
                }
            })
        })
    }
}

impl CompiledRule {
    /// The position of a piece of the policy's text in its file, or that of the policy itself.
    fn place_of(&self, piece: &str) -> TextPosition {
        let inside = TextPosition::of(&self.text, self.text.find(piece).unwrap_or(0));
        let same_line = inside.line == 1;
        let column = if same_line { self.column + inside.column - 1 } else { inside.column };
        TextPosition { line: self.line + inside.line - 1, column }
    }
}

#[cfg(test)]
mod tests;
