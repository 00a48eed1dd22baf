//! A change of policies that is tried before it counts: checked with everything that stays, and held beside the policies in force.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use toolgate_core::decision::{Policy, PolicyRequest};
use toolgate_core::{Digest, Tool};

use crate::check::{PolicyReport, check_texts};
use crate::engine::PolicyEngine;
use crate::explain::{PolicyExplanation, VerdictKind};
use crate::level::TemplateLevels;
use crate::problem::PolicyProblem;
use crate::source::{NamedPolicies, PolicyAuthor, PolicyPurpose, PolicyText, Sources};

/// The change: it replaces what was set while the gateway runs, and files by their names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PolicyDraft {
    /// In place of all texts that were set.
    pub set: Vec<NamedPolicies>,
    /// Texts of files, by their paths inside the folder. One that there is not is a new file.
    pub files: BTreeMap<String, String>,
}

/// A change that compiled. Nothing of it counts.
pub struct DraftedPolicies(TemplateLevels);

/// The decision of a change on one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftedDecision {
    pub verdict: VerdictKind,
    /// In a sentence.
    pub summary: String,
    /// The ids of the policies that ask, forbid or fail.
    pub because: Vec<String>,
}

impl PolicyDraft {
    /// Checks the change beside the sources that stay, and compiles it if nothing stands in its way.
    pub(crate) fn compile(
        &self,
        sources: &Sources,
        tools: &[Arc<Tool>],
    ) -> (PolicyReport, Option<DraftedPolicies>) {
        let (mut texts, mut problems) = sources.read();
        problems.extend(self.replace_files(&mut texts));
        let set = self.set.iter();
        texts.extend(set.map(|(name, set, text)| PolicyText::new(name, *set, text, PolicyAuthor::Operator)));
        let report = check_texts(&texts, problems, tools);
        if !report.errors.is_empty() {
            return (report, None);
        }
        let compiled = TemplateLevels::new(texts.into(), sources.template);
        (report, compiled.ok().map(DraftedPolicies))
    }

    /// The names that are no files of policies are problems.
    fn replace_files(&self, texts: &mut Vec<PolicyText>) -> Vec<PolicyProblem> {
        let mut problems = Vec::new();
        for (name, text) in &self.files {
            if let Some(known) = texts.iter_mut().find(|one| one.name == *name) {
                known.text.clone_from(text);
                continue;
            }
            match PolicyPurpose::of_file(Path::new(name)) {
                Some(set) => texts.push(PolicyText::new(name, set, text, PolicyAuthor::Operator)),
                None => problems.push(
                    PolicyProblem::of_file(name, "is no file of policies").hint("its name ends in `.cedar`"),
                ),
            }
        }
        problems
    }
}

impl DraftedPolicies {
    pub fn version(&self) -> Digest {
        self.0.own().version
    }

    pub fn decide(&self, question: &PolicyRequest<'_>) -> DraftedDecision {
        DraftedDecision::of(self.0.explain(question))
    }
}

impl DraftedDecision {
    fn of(explanation: PolicyExplanation) -> Self {
        let PolicyExplanation { verdict, summary, requirement, denial, failed, .. } = explanation;
        let asks = requirement.into_iter().flat_map(|requirement| requirement.gates);
        let named = asks.chain(denial.into_iter().flat_map(|denial| denial.policies)).map(|policy| policy.id);
        let because = named.chain(failed.into_iter().map(|failed| failed.policy.id)).collect();
        Self { verdict, summary, because }
    }
}

impl PolicyEngine {
    /// A change beside the policies in force, which stay: what is wrong with it, and how it would decide.
    pub fn draft(&self, draft: &PolicyDraft, tools: &[Arc<Tool>]) -> (PolicyReport, Option<DraftedPolicies>) {
        draft.compile(&self.sources(), tools)
    }

    /// The verdict of the policies in force.
    pub fn verdict(&self, question: &PolicyRequest<'_>) -> VerdictKind {
        VerdictKind::of(&self.decide(question).verdict)
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::decision::PolicyTemplate;
    use toolgate_core::{Principal, PrincipalId, Role};

    use super::*;
    use crate::fixture::{sources, tools};

    const GATE: &str = r#"@id("transfers") forbid(principal, action == Action::"bank:transfer", resource);"#;
    const GUARD: &str = r#"permit(principal, action, resource);
        @id("closed") forbid(principal, action == Action::"bank:transfer", resource);"#;

    fn engine() -> PolicyEngine {
        PolicyEngine::load(sources(&[], PolicyTemplate::Exploratory)).unwrap()
    }

    fn transfer(of: &DraftedPolicies) -> (VerdictKind, Vec<String>) {
        let tools = tools();
        let tool = tools.iter().find(|tool| tool.name.as_str() == "bank:transfer").unwrap();
        let principal = Principal::new(PrincipalId::new("helper"), Role::Agent);
        let arguments = serde_json::json!({ "amount": 5, "account": "x" });
        let told = of.decide(&PolicyRequest::alone(&principal, tool, &arguments));
        (told.verdict, told.because)
    }

    fn set(purpose: PolicyPurpose, text: &str) -> PolicyDraft {
        let set = vec![("setting policy.x".to_owned(), purpose, text.to_owned())];
        PolicyDraft { set, ..PolicyDraft::default() }
    }

    #[test]
    fn a_change_is_judged_beside_what_is_in_force_and_leaves_it() {
        let engine = engine();
        let before = engine.version();
        let (report, drafted) = engine.draft(&set(PolicyPurpose::Gates, GATE), &tools());
        assert_eq!(report, PolicyReport::default());
        let drafted = drafted.unwrap();
        assert_eq!(transfer(&drafted), (VerdictKind::Approve, vec!["transfers".to_owned()]));
        assert_ne!(drafted.version(), before);
        assert_eq!(engine.version(), before);
        let (_, drafted) = engine.draft(&set(PolicyPurpose::Guard, GUARD), &tools());
        assert_eq!(transfer(&drafted.unwrap()), (VerdictKind::Deny, vec!["closed".to_owned()]));
    }

    #[test]
    fn what_is_wrong_with_a_change_is_told_at_its_place() {
        let wrong = r#"forbid(principal, action == Action::"bank:transfer", resource) when { context.input.amont.greaterThan(decimal("1.0")) };"#;
        let (report, drafted) = engine().draft(&set(PolicyPurpose::Gates, wrong), &tools());
        assert!(drafted.is_none());
        assert_eq!(report.errors.len(), 1, "{report:?}");
        let problem = &report.errors[0];
        assert_eq!((problem.file.as_str(), problem.place.unwrap().line), ("setting policy.x", 1));
        assert_eq!(problem.hint.as_deref(), Some("did you mean `amount`?"));
    }

    #[test]
    fn a_file_is_tried_with_another_text_or_as_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("money.gates.cedar"), GATE).unwrap();
        let sources = Sources { folder: Some(folder.path().to_owned()), ..Sources::default() };
        let engine = PolicyEngine::load(sources).unwrap();
        let file = |name: &str, text: &str| PolicyDraft {
            files: BTreeMap::from([(name.to_owned(), text.to_owned())]),
            ..PolicyDraft::default()
        };
        let (_, emptied) = engine.draft(&file("money.gates.cedar", ""), &tools());
        assert_eq!(transfer(&emptied.unwrap()).0, VerdictKind::Permit);
        let (_, added) = engine.draft(&file("bank.cedar", GUARD), &tools());
        assert_eq!(transfer(&added.unwrap()).0, VerdictKind::Deny);
        let (report, drafted) = engine.draft(&file("notes.txt", GUARD), &tools());
        assert!(drafted.is_none() && report.errors[0].what.contains("no file of policies"), "{report:?}");
        assert_eq!(std::fs::read_to_string(folder.path().join("money.gates.cedar")).unwrap(), GATE);
    }
}
