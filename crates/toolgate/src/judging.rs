//! The policies in force for the API, and the actors of the decision table. The command line shares both.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use toolgate_api::{
    CheckedPolicies, PastCall, PolicyCell, PolicyChange, PolicyFault, PolicyFile, PolicyHome, PolicyInForce,
    PolicyPort, PolicyRow, PolicyRule, RoleAsking, TrialJudge, TrialVerdict,
};
use toolgate_catalog::Catalog;
use toolgate_core::decision::{
    ApprovalLikelihood, Policy, PolicyRequest, PolicyTemplate, Visibility, VisibilityRequest,
};
use toolgate_core::{Digest, Principal, PrincipalId, Role, Tool};
use toolgate_policy::{
    DraftedPolicies, ListedRule, PolicyDraft, PolicyEngine, PolicyProblem, TableLevels, TableRow,
};

use crate::governance::{CONFIG_PREFIX, SET_PREFIX, set_policies};
use crate::stored;

pub(crate) struct EnginePolicyPort {
    policy: Arc<PolicyEngine>,
    catalog: Arc<Catalog>,
    // Both are asked for by each visit to a page, and take longer than a page may. They are kept only if nothing was exchanged while they
    // were made.
    broken: Mutex<Option<(CheckedState, Option<String>)>>,
    levels: Mutex<Option<(Digest, Arc<TableLevels>)>>,
}

/// Whatever a check of the policies against the tools depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CheckedState {
    version: Digest,
    is_refused: bool,
    /// The state of the catalogue.
    generation: u64,
}

impl EnginePolicyPort {
    pub(crate) fn new(policy: Arc<PolicyEngine>, catalog: Arc<Catalog>) -> Self {
        Self { policy, catalog, broken: Mutex::new(None), levels: Mutex::new(None) }
    }

    /// Policies in force that fail on current tools.
    fn broken(&self, is_refused: bool) -> Option<String> {
        let state = self.state(is_refused);
        if let Some((checked, broken)) = &*self.broken.lock()
            && *checked == state
        {
            return broken.clone();
        }
        let broken = self.policy.broken(&stored::tools(&self.catalog)).map(|error| error.to_string());
        if state == self.state(is_refused) {
            *self.broken.lock() = Some((state, broken.clone()));
        }
        broken
    }

    fn state(&self, is_refused: bool) -> CheckedState {
        let generation = self.catalog.snapshot().generation;
        CheckedState { version: self.policy.version(), is_refused, generation }
    }

    /// The policies in force under every level of care.
    fn levels(&self) -> Arc<TableLevels> {
        let version = self.policy.version();
        if let Some((compiled, levels)) = &*self.levels.lock()
            && *compiled == version
        {
            return Arc::clone(levels);
        }
        let levels = TableLevels::of(&self.policy, &PolicyTemplate::ALL);
        let levels = Arc::new(levels.expect("what is in force loads under every level of care"));
        if version == self.policy.version() {
            *self.levels.lock() = Some((version, Arc::clone(&levels)));
        }
        levels
    }
}

impl PolicyPort for EnginePolicyPort {
    fn in_force(&self) -> PolicyInForce {
        let refused = self.policy.refusal();
        PolicyInForce {
            version: self.policy.version(),
            template: self.policy.template(),
            files: files(self.policy.rules(), &self.policy.texts()),
            broken: self.broken(refused.is_some()),
            refused: refused.map(|error| error.to_string()),
        }
    }

    fn explain(&self, question: &PolicyRequest<'_>) -> Value {
        serde_json::to_value(self.policy.explain(question)).expect("an explanation is texts and lists")
    }

    fn asking(&self, tool: &Tool) -> Vec<RoleAsking> {
        let of = |(role, principal): (&'static str, Principal)| {
            let glimpse = VisibilityRequest { principal: &principal, tool, agent: None, template: None };
            let asked = match self.policy.visibility(&glimpse) {
                Visibility::Hidden(_) => "forbidden",
                Visibility::Visible(ApprovalLikelihood::Never) => "never",
                Visibility::Visible(ApprovalLikelihood::Sometimes) => "sometimes",
                Visibility::Visible(ApprovalLikelihood::Always) => "always",
            };
            RoleAsking { role, asked }
        };
        actors().into_iter().map(of).collect()
    }

    fn table(&self, tools: &[Arc<Tool>]) -> Vec<PolicyRow> {
        let tools: Vec<(&str, Arc<Tool>)> =
            tools.iter().map(|tool| (tool.name.as_str(), tool.clone())).collect();
        self.levels().decisions(&actors(), &tools).into_iter().map(row).collect()
    }

    fn check(&self, change: &PolicyChange) -> (CheckedPolicies, Option<Arc<dyn TrialJudge>>) {
        let draft = PolicyDraft { set: set_policies(&change.texts), files: change.files.clone() };
        let (report, drafted) = self.policy.draft(&draft, &stored::tools(&self.catalog));
        let faults = |problems: Vec<PolicyProblem>| problems.into_iter().map(fault).collect();
        let checked = CheckedPolicies {
            version: drafted.as_ref().map(|drafted| drafted.version().to_string()),
            errors: faults(report.errors),
            warnings: faults(report.warnings),
        };
        let judge =
            |drafted| Arc::new(BothJudges { now: self.policy.clone(), drafted }) as Arc<dyn TrialJudge>;
        (checked, drafted.map(judge))
    }
}

/// The policies in force, and a change of them.
struct BothJudges {
    now: Arc<PolicyEngine>,
    drafted: DraftedPolicies,
}

impl TrialJudge for BothJudges {
    fn judge(&self, calls: &[PastCall]) -> Vec<TrialVerdict> {
        let judged = |call: &PastCall| {
            let question = call.question();
            let drafted = self.drafted.decide(&question);
            TrialVerdict {
                now: self.now.verdict(&question).as_str(),
                then: drafted.verdict.as_str(),
                summary: drafted.summary,
                because: drafted.because,
            }
        };
        calls.iter().map(judged).collect()
    }
}

fn fault(problem: PolicyProblem) -> PolicyFault {
    PolicyFault {
        file: problem.file,
        line: problem.place.map(|place| place.line),
        column: problem.place.map(|place| place.column),
        message: problem.what,
        hint: problem.hint,
    }
}

/// One principal for each role that may call tools.
pub(crate) fn actors() -> Vec<(&'static str, Principal)> {
    let callers = Role::ALL.into_iter().filter(|role| role.may_call_tools());
    callers.map(|role| (role.as_str(), Principal::new(PrincipalId::new(role.as_str()), role))).collect()
}

/// Groups the rules of one text.
fn files(rules: Vec<ListedRule>, texts: &[(String, String)]) -> Vec<PolicyFile> {
    let mut files: Vec<PolicyFile> = Vec::new();
    for rule in rules {
        let set = serde_json::to_value(rule.set).expect("a word");
        let set = set.as_str().expect("a set is a word").to_owned();
        let (name, built_in) = (rule.file.clone(), rule.built_in);
        match files.iter_mut().find(|file| file.name == name && file.set == set) {
            Some(file) => file.rules.push(shown(rule)),
            None => {
                let text = texts.iter().find(|(one, _)| *one == name).map(|(_, text)| text.clone());
                let home = home(&name, built_in);
                files.push(PolicyFile { name, set, built_in, home, text, rules: vec![shown(rule)] });
            }
        }
    }
    files
}

fn home(name: &str, built_in: bool) -> PolicyHome {
    match name {
        _ if built_in => PolicyHome::BuiltIn,
        _ if name.starts_with(SET_PREFIX) => PolicyHome::Setting,
        _ if name.starts_with(CONFIG_PREFIX) => PolicyHome::Configuration,
        _ => PolicyHome::File,
    }
}

fn shown(rule: ListedRule) -> PolicyRule {
    PolicyRule {
        id: rule.id,
        line: rule.line,
        effect: rule.effect.to_owned(),
        level: rule.level,
        reason: rule.reason,
        annotations: rule.annotations,
        text: rule.text,
    }
}

fn row(row: TableRow) -> PolicyRow {
    let cells = row.cells.into_iter().map(|cell| PolicyCell {
        template: cell.template,
        verdict: cell.verdict.as_str().to_owned(),
        told: cell.told,
        summary: cell.summary,
    });
    PolicyRow { actor: row.actor, tool: row.tool, cells: cells.collect() }
}
