//! The policies in force, and how they are exchanged while calls are being judged.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use toolgate_core::Digest;
use toolgate_core::decision::{Decision, Policy, Question};

use crate::compiled::Compiled;
use crate::explain::Explanation;
use crate::problem::PolicyError;
use crate::source::{Sources, Stamps};
use crate::template::Template;

/// Judges calls by Cedar policies.
pub struct PolicyEngine {
    current: ArcSwap<Compiled>,
    origin: Mutex<Origin>,
}

/// Where the policies come from, and what the files looked like when they were last read, well or badly.
struct Origin {
    sources: Sources,
    stamps: Stamps,
}

impl PolicyEngine {
    pub fn load(sources: Sources) -> Result<PolicyEngine, PolicyError> {
        // Looked at before it is read: what changes in between is noticed as a change.
        let stamps = sources.stamp();
        let compiled = compile(&sources)?;
        let origin = Mutex::new(Origin { sources, stamps });
        Ok(Self { current: ArcSwap::from_pointee(compiled), origin })
    }

    /// Reads everything again. What does not load leaves the old policies in force. Returns the version in force.
    pub fn reload(&self) -> Result<Digest, PolicyError> {
        let mut origin = self.origin.lock().unwrap_or_else(PoisonError::into_inner);
        origin.stamps = origin.sources.stamp();
        self.exchange(&origin.sources)
    }

    /// The same with other sources, which are kept for the next reload only if they load.
    pub fn reload_from(&self, sources: Sources) -> Result<Digest, PolicyError> {
        let mut origin = self.origin.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = sources.stamp();
        let version = self.exchange(&sources)?;
        *origin = Origin { sources, stamps };
        Ok(version)
    }

    /// Whether files came, went or changed since they were last read. Cheap enough to ask every second; a change that did
    /// not load is not told again.
    pub fn sources_changed(&self) -> bool {
        let origin = self.origin.lock().unwrap_or_else(PoisonError::into_inner);
        origin.sources.stamp() != origin.stamps
    }

    pub fn template(&self) -> Template {
        self.current.load().template
    }

    /// The same policies under another level of care.
    pub fn under(&self, template: Template) -> Result<PolicyEngine, PolicyError> {
        let compiled = Compiled::new(Arc::clone(&self.current.load().written), template)?;
        let origin = self.origin.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = Sources { template, ..origin.sources.clone() };
        let origin = Mutex::new(Origin { sources, stamps: origin.stamps.clone() });
        Ok(Self { current: ArcSwap::from_pointee(compiled), origin })
    }

    /// Says how a decision comes about: every policy that matched and what it says.
    pub fn explain(&self, question: &Question<'_>) -> Explanation {
        Explanation::of(&self.current.load(), question)
    }

    fn exchange(&self, sources: &Sources) -> Result<Digest, PolicyError> {
        let compiled = compile(sources)?;
        let version = compiled.version;
        // What was worked out for the same texts stays.
        if version != self.current.load().version {
            self.current.store(Arc::new(compiled));
            tracing::info!(%version, "policies loaded");
        }
        Ok(version)
    }
}

impl Policy for PolicyEngine {
    fn decide(&self, question: &Question<'_>) -> Decision {
        self.current.load().decide(question)
    }

    fn version(&self) -> Digest {
        self.current.load().version
    }
}

/// Reads and compiles; files that cannot be read and texts that do not parse are told together.
fn compile(sources: &Sources) -> Result<Compiled, PolicyError> {
    let (texts, mut problems) = sources.read();
    match Compiled::new(texts.into(), sources.template) {
        Ok(compiled) => PolicyError::unless_empty(problems).map(|()| compiled),
        Err(error) => {
            problems.extend(error.problems);
            Err(PolicyError::unless_empty(problems).expect_err("there is at least what did not compile"))
        }
    }
}

#[cfg(test)]
mod tests;
