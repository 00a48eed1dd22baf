//! The policies in force, and how they are exchanged while calls are being judged.

use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use toolgate_core::decision::{
    Decision, Policy, PolicyRequest, PolicyTemplate, Visibility, VisibilityRequest,
};
use toolgate_core::{Digest, Tool};

use crate::check::check;
use crate::explain::PolicyExplanation;
use crate::level::{TemplateLevels, seen};
use crate::listing::ListedRule;
use crate::problem::PolicyError;
use crate::source::{FileStamps, NamedPolicies, Sources};

/// Judges calls by Cedar policies.
pub struct PolicyEngine {
    current: ArcSwap<TemplateLevels>,
    origin: Mutex<PolicyOrigin>,
}

/// The sources of the policies, and the state of the files when they were last read, successfully or not.
struct PolicyOrigin {
    sources: Sources,
    /// Texts that were set while the gateway runs, or in an earlier run.
    set: Vec<NamedPolicies>,
    stamps: FileStamps,
    /// The reason why the last read policies are not in force; `None` if they are.
    refused: Option<PolicyError>,
}

impl PolicyEngine {
    pub fn load(sources: Sources) -> Result<PolicyEngine, PolicyError> {
        Self::load_with(sources, Vec::new())
    }

    /// The same with texts that were set while the gateway ran before.
    pub fn load_with(sources: Sources, set: Vec<NamedPolicies>) -> Result<PolicyEngine, PolicyError> {
        // Taken before reading: a change in between is noticed as a change.
        let stamps = sources.stamp();
        let levels = compile(&with_set(&sources, &set))?;
        let origin = Mutex::new(PolicyOrigin { sources, set, stamps, refused: None });
        Ok(Self { current: ArcSwap::from_pointee(levels), origin })
    }

    /// Reads everything again. Policies that do not load, or would fail on a current tool, leave the old ones
    /// in force. Returns the version in force.
    pub fn reload(&self, tools: &[Arc<Tool>]) -> Result<Digest, PolicyError> {
        let mut origin = self.origin.lock();
        origin.stamps = origin.sources.stamp();
        let exchanged = self.exchange(&origin.whole(), tools);
        origin.refused = exchanged.as_ref().err().cloned();
        exchanged
    }

    /// The same with other sources. They are those that are followed from now on, whether they load or not. Texts that
    /// were set stay.
    pub fn reload_from(&self, sources: Sources, tools: &[Arc<Tool>]) -> Result<Digest, PolicyError> {
        let mut origin = self.origin.lock();
        let stamps = sources.stamp();
        (origin.sources, origin.stamps) = (sources, stamps);
        let exchanged = self.exchange(&origin.whole(), tools);
        origin.refused = exchanged.as_ref().err().cloned();
        exchanged
    }

    /// The same with other texts that are set, in place of all before. `None` if these are set already.
    pub fn reload_set(
        &self,
        set: Vec<NamedPolicies>,
        tools: &[Arc<Tool>],
    ) -> Option<Result<Digest, PolicyError>> {
        let mut origin = self.origin.lock();
        if origin.set == set {
            return None;
        }
        origin.set = set;
        origin.stamps = origin.sources.stamp();
        let exchanged = self.exchange(&origin.whole(), tools);
        origin.refused = exchanged.as_ref().err().cloned();
        Some(exchanged)
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
            (origin.whole(), origin.refused.is_some())
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

    /// The sources that are followed, without what was set.
    pub(crate) fn sources(&self) -> Sources {
        self.origin.lock().sources.clone()
    }

    /// The operator's texts in force, by their names.
    pub fn texts(&self) -> Vec<(String, String)> {
        let levels = self.current.load();
        levels.written().iter().map(|text| (text.name.clone(), text.text.clone())).collect()
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
        let (set, stamps) = (origin.set.clone(), origin.stamps.clone());
        let origin = Mutex::new(PolicyOrigin { sources, set, stamps, refused: None });
        Ok(Self { current: ArcSwap::from_pointee(levels), origin })
    }

    /// Explains a decision: every policy that matched and its effect.
    pub fn explain(&self, question: &PolicyRequest<'_>) -> PolicyExplanation {
        self.current.load().explain(question)
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

impl PolicyOrigin {
    /// Everything that decides.
    fn whole(&self) -> Sources {
        with_set(&self.sources, &self.set)
    }
}

fn with_set(sources: &Sources, set: &[NamedPolicies]) -> Sources {
    Sources { extra: [&sources.extra[..], set].concat(), ..sources.clone() }
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
