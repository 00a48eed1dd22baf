//! The policies in force, and how they are exchanged while calls are being judged.

use std::borrow::Cow;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use toolgate_core::decision::{
    Decision, Policy, PolicyRequest, PolicyTemplate, Visibility, VisibilityRequest,
};
use toolgate_core::{Digest, Effects, Tool};

use crate::check::check;
use crate::explain::PolicyExplanation;
use crate::level::TemplateLevels;
use crate::listing::ListedRule;
use crate::problem::PolicyError;
use crate::source::{FileStamps, Sources};

/// Judges calls by Cedar policies.
pub struct PolicyEngine {
    current: ArcSwap<TemplateLevels>,
    origin: Mutex<PolicyOrigin>,
}

/// The sources of the policies, and the state of the files when they were last read, successfully or not.
struct PolicyOrigin {
    sources: Sources,
    stamps: FileStamps,
    /// The reason why the last read policies are not in force; `None` if they are.
    refused: Option<PolicyError>,
}

impl PolicyEngine {
    pub fn load(sources: Sources) -> Result<PolicyEngine, PolicyError> {
        // Taken before reading: a change in between is noticed as a change.
        let stamps = sources.stamp();
        let levels = compile(&sources)?;
        let origin = Mutex::new(PolicyOrigin { sources, stamps, refused: None });
        Ok(Self { current: ArcSwap::from_pointee(levels), origin })
    }

    /// Reads everything again. Policies that do not load, or would fail on a current tool, leave the old ones
    /// in force. Returns the version in force.
    pub fn reload(&self, tools: &[Arc<Tool>]) -> Result<Digest, PolicyError> {
        let mut origin = self.origin.lock();
        origin.stamps = origin.sources.stamp();
        let exchanged = self.exchange(&origin.sources, tools);
        origin.refused = exchanged.as_ref().err().cloned();
        exchanged
    }

    /// The same with other sources. They are those that are followed from now on, whether they load or not.
    pub fn reload_from(&self, sources: Sources, tools: &[Arc<Tool>]) -> Result<Digest, PolicyError> {
        let mut origin = self.origin.lock();
        let stamps = sources.stamp();
        let exchanged = self.exchange(&sources, tools);
        *origin = PolicyOrigin { sources, stamps, refused: exchanged.as_ref().err().cloned() };
        exchanged
    }

    /// True if the policies come from there.
    pub fn is_from(&self, sources: &Sources) -> bool {
        self.origin.lock().sources == *sources
    }

    /// The errors of the policies in force for the current tools. They were loaded before these tools were
    /// known, or tools have changed since; calls that they fail on are denied.
    pub fn broken(&self, tools: &[Arc<Tool>]) -> Option<PolicyError> {
        let (sources, is_refused) = {
            let origin = self.origin.lock();
            (origin.sources.clone(), origin.refused.is_some())
        };
        // Refused policies are not in force, and those in force cannot be read any more. Built-in rules fit
        // every tool.
        if is_refused || sources.is_empty() {
            return None;
        }
        PolicyError::unless_empty(check(&sources, tools).errors).err()
    }

    /// True if files were added, removed or changed since they were last read. Cheap enough to ask every
    /// second; a change that did not load is reported once.
    pub fn sources_changed(&self) -> bool {
        let origin = self.origin.lock();
        origin.sources.stamp() != origin.stamps
    }

    /// The reason why the last read policies are not in force; `None` if they are.
    pub fn refusal(&self) -> Option<PolicyError> {
        self.origin.lock().refused.clone()
    }

    /// Every rule that has a say at the gateway's own level of care.
    pub fn rules(&self) -> Vec<ListedRule> {
        ListedRule::all(self.current.load().own())
    }

    /// The gateway's own level of care.
    pub fn template(&self) -> PolicyTemplate {
        self.current.load().own().template
    }

    /// The same policies under another level of care.
    pub fn under(&self, template: PolicyTemplate) -> Result<PolicyEngine, PolicyError> {
        let levels = self.current.load().under(template)?;
        let origin = self.origin.lock();
        let sources = Sources { template, ..origin.sources.clone() };
        let origin = Mutex::new(PolicyOrigin { sources, stamps: origin.stamps.clone(), refused: None });
        Ok(Self { current: ArcSwap::from_pointee(levels), origin })
    }

    /// Explains a decision: every policy that matched and its effect.
    pub fn explain(&self, question: &PolicyRequest<'_>) -> PolicyExplanation {
        let levels = self.current.load();
        let level = levels.of(question.template);
        let tool = seen(level.template, question.tool);
        PolicyExplanation::of(level, &PolicyRequest { tool: &tool, ..*question })
    }

    #[cfg(test)]
    pub(crate) fn in_force(&self) -> Arc<TemplateLevels> {
        self.current.load_full()
    }

    fn exchange(&self, sources: &Sources, tools: &[Arc<Tool>]) -> Result<Digest, PolicyError> {
        let levels = compile(sources)?;
        if !sources.is_empty() {
            PolicyError::unless_empty(check(sources, tools).errors)?;
        }
        let version = levels.own().version;
        // Results for the same texts stay.
        if version != self.current.load().own().version {
            self.current.store(Arc::new(levels));
            tracing::info!(%version, "policies loaded");
        }
        Ok(version)
    }
}

impl Policy for PolicyEngine {
    fn decide(&self, question: &PolicyRequest<'_>) -> Decision {
        let levels = self.current.load();
        let level = levels.of(question.template);
        let tool = seen(level.template, question.tool);
        level.decide(&PolicyRequest { tool: &tool, ..*question })
    }

    fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility {
        let levels = self.current.load();
        let level = levels.of(glimpse.template);
        let tool = seen(level.template, glimpse.tool);
        level.visibility(&VisibilityRequest { tool: &tool, ..*glimpse })
    }

    fn version(&self) -> Digest {
        self.current.load().own().version
    }

    fn version_under(&self, template: Option<PolicyTemplate>) -> Digest {
        self.current.load().of(template).version
    }
}

/// A tool as a level of care sees it: a strict one believes only the operator and the gateway about effects.
fn seen(template: PolicyTemplate, tool: &Tool) -> Cow<'_, Tool> {
    if template.believes_hints() || !tool.hinted {
        return Cow::Borrowed(tool);
    }
    Cow::Owned(Tool { effects: Effects::ALL, ..tool.clone() })
}

/// Reads and compiles; unreadable files and texts that do not parse are reported together.
fn compile(sources: &Sources) -> Result<TemplateLevels, PolicyError> {
    let (texts, mut problems) = sources.read();
    match TemplateLevels::new(texts.into(), sources.template) {
        Ok(levels) => PolicyError::unless_empty(problems).map(|()| levels),
        Err(error) => {
            problems.extend(error.problems);
            Err(PolicyError::unless_empty(problems).expect_err("there is at least what did not compile"))
        }
    }
}

#[cfg(test)]
mod tests;
