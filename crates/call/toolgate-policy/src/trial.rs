//! Policy tests: files that state a principal, a tool and arguments, and the expected decision. `case.rs`
//! parses them.
//!
//! ```toml
//! [[test]]
//! name = "a large transfer needs finance"
//! principal = { id = "helper", kind = "agent", groups = ["payments"] }
//! tool = "bank:transfer"
//! arguments = { amount = 5000 }
//! agent = "clerk"         # what the session is; so are session, run, task
//! credentials = [{ origin = "https://jobs.example", new = true }]  # whose handles are in the arguments
//! template = "regulated"  # its level of care, where it is stricter than the gateway's
//! expect = "approve"      # or "permit", "deny"
//! by = ["finance"]        # every group that may agree, over all gates
//! quorum = 2
//! ```

mod case;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_core::decision::{ApprovalRequirement, Decision, Policy, PolicyRequest, Verdict};
use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, ServerName, Tool, ToolHandling};

use crate::discovery;
use crate::engine::PolicyEngine;
use crate::explain::{VerdictKind, summary};
use crate::problem::{PolicyError, PolicyProblem};
use case::TestCase;

/// The suffix of files with policy tests.
pub const TEST_SUFFIX: &str = ".test.toml";
const FOLDERS_DEEP_MAX: usize = 8;

/// The result of one test.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct TestOutcome {
    pub file: String,
    pub line: usize,
    pub name: String,
    /// Absent if the test passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<TestFailure>,
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct TestFailure {
    pub expected: String,
    pub got: String,
    /// The policies that decided, each as `id (file:line)`.
    pub policies: Vec<String>,
}

impl TestOutcome {
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(failure) = &self.failure else { return write!(f, "ok      {}", self.name) };
        write!(f, "failed  {}\n  at        {}:{}", self.name, self.file, self.line)?;
        write!(f, "\n  expected  {}\n  got       {}", failure.expected, failure.got)?;
        for policy in &failure.policies {
            write!(f, "\n  policy    {policy}")?;
        }
        Ok(())
    }
}

/// Runs the tests in these files, and in all files named `*.test.toml` in these folders. Tests that cannot be understood are
/// refused before any runs.
pub fn run_tests(
    paths: &[impl AsRef<Path>],
    engine: &PolicyEngine,
    tools: &[Arc<Tool>],
) -> Result<Vec<TestOutcome>, PolicyError> {
    let mut problems = Vec::new();
    let mut cases = Vec::new();
    for file in test_files(paths, &mut problems) {
        match fs::read_to_string(&file) {
            Ok(text) => cases.extend(case::read(&file.display().to_string(), &text, &mut problems)),
            Err(error) => problems
                .push(PolicyProblem::of_file(file.display().to_string(), format!("cannot be read: {error}"))),
        }
    }
    PolicyError::unless_empty(problems)?;
    Ok(cases.into_iter().map(|case| run(case, engine, tools)).collect())
}

fn test_files(paths: &[impl AsRef<Path>], problems: &mut Vec<PolicyProblem>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        if path.is_dir() {
            collect(path, 0, &mut files, problems);
        } else {
            files.push(path.to_owned());
        }
    }
    files
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, problems: &mut Vec<PolicyProblem>) {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
        Ok(entries) => entries,
        Err(error) => {
            let what = format!("the folder cannot be read: {error}");
            return problems.push(PolicyProblem::of_file(folder.display().to_string(), what));
        }
    };
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && depth < FOLDERS_DEEP_MAX {
            collect(&path, depth + 1, files, problems);
        } else if path.to_string_lossy().ends_with(TEST_SUFFIX) {
            files.push(path);
        }
    }
}

fn run(case: TestCase, engine: &PolicyEngine, tools: &[Arc<Tool>]) -> TestOutcome {
    let tool = tool_of(&case, tools);
    let question = PolicyRequest {
        principal: &case.principal,
        tool: &tool,
        arguments: &case.arguments,
        session: case.session.as_ref(),
        agent: case.agent.as_ref(),
        template: case.template,
        run: case.run.as_ref(),
        task: case.task.as_deref(),
        credentials: &case.credentials,
    };
    let Decision { verdict, .. } = engine.decide(&question);
    let failure = (!case.fits(&verdict)).then(|| TestFailure {
        expected: case.expected(),
        got: summary(&verdict),
        policies: deciding(engine, &question),
    });
    TestOutcome { file: case.file, line: case.line, name: case.name, failure }
}

/// Everything that had a say, forbids and gates first.
fn deciding(engine: &PolicyEngine, question: &PolicyRequest<'_>) -> Vec<String> {
    let explanation = engine.explain(question);
    let failed = explanation.failed.iter().map(|failed| &failed.policy);
    let mut matched: Vec<_> = failed.chain(&explanation.guard).chain(&explanation.gates).collect();
    matched.sort_by_key(|policy| policy.effect == "permit");
    matched.iter().map(|policy| format!("{} ({}:{})", policy.id, policy.file, policy.line)).collect()
}

/// The tool that a test names, or an invented one if it does not exist: then it may do everything unless the
/// test says otherwise.
fn tool_of(case: &TestCase, tools: &[Arc<Tool>]) -> Tool {
    let known = tools.iter().find(|tool| tool.name.as_str() == case.tool);
    if let Some(tool) = known {
        let (effects, hinted) = case.effects.map_or((tool.effects, tool.hinted), |effects| (effects, false));
        return Tool { effects, hinted, ..Tool::clone(tool) };
    }
    if let Some(tool) = discovery::tool(&case.tool).or_else(|| Tool::action_named(&case.tool)) {
        return Tool { effects: case.effects.unwrap_or(tool.effects), ..tool };
    }
    Tool {
        name: CanonicalName::of(&case.server, &case.own),
        server: case.server.clone(),
        own: case.own.as_str().into(),
        version: Digest::of(&case.tool),
        effects: case.effects.unwrap_or(Effects::ALL),
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: None,
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}

impl TestCase {
    fn fits(&self, verdict: &Verdict) -> bool {
        if VerdictKind::of(verdict) != self.expect {
            return false;
        }
        let Verdict::Approve(requirement) = verdict else { return true };
        let by = self.by.as_ref().is_none_or(|by| *by == groups(requirement));
        by && self.quorum.is_none_or(|quorum| quorum == requirement.quorum)
    }

    fn expected(&self) -> String {
        let mut text = self.expect.as_str().to_owned();
        if let Some(by) = &self.by {
            let groups: Vec<&str> = by.iter().map(String::as_str).collect();
            text.push_str(&format!(" by {}", groups.join(", ")));
        }
        if let Some(quorum) = self.quorum {
            text.push_str(&format!(" with a quorum of {quorum}"));
        }
        text
    }
}

fn groups(requirement: &ApprovalRequirement) -> BTreeSet<String> {
    requirement.approvers.iter().flatten().cloned().collect()
}

/// Splits a canonical name. Only tests name tools that do not exist; everywhere else names are looked up.
fn split(name: &str) -> Option<(ServerName, String)> {
    if let Some(tool) = discovery::tool(name) {
        return Some((tool.server, tool.own.to_string()));
    }
    let (server, own) = name.split_once(':')?;
    Some((ServerName::new(server).ok()?, own.to_owned()))
}

#[cfg(test)]
mod tests;
