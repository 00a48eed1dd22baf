//! The same written policies under every level of care: a session may ask for more care than the gateway
//! does. All levels are made at once from rules that were parsed once, so that none can fail on first use.

use std::sync::Arc;

use toolgate_core::decision::Template;

use crate::compiled::{Compiled, Remembered};
use crate::problem::{PolicyError, Problem};
use crate::rule::{Rule, rules_of};
use crate::source::{Set, Text};
use crate::template;

pub(crate) struct Levels {
    /// The gateway's level: it applies if a session has none, or a lower one.
    own: Template,
    /// The operator's texts, without the built-in ones.
    written: Arc<[Text]>,
    /// In the order of the levels.
    levels: [Compiled; Template::ALL.len()],
}

/// All rules of some texts at every level of care, and all their errors.
pub(crate) fn assemble(written: &[Text]) -> (Vec<Text>, Vec<Rule>, Vec<Problem>) {
    let has_guard = written.iter().any(|text| text.set == Set::Guard);
    let guard = (!has_guard).then(template::guard);
    let built_in = guard.into_iter().chain([template::discovery()]).chain(template::gates());
    let all: Vec<Text> = built_in.chain(written.iter().cloned()).collect();
    let (rules, problems) = rules_of(&all);
    (all, rules, problems)
}

impl Levels {
    pub(crate) fn new(written: Arc<[Text]>, own: Template) -> Result<Self, PolicyError> {
        let (texts, rules, problems) = assemble(&written);
        PolicyError::unless_empty(problems)?;
        let (rules, remembered): (Arc<[Rule]>, _) = (rules.into(), Arc::new(Remembered::default()));
        let level = |level| Compiled::new(&texts, Arc::clone(&rules), level, Arc::clone(&remembered));
        Ok(Self { own, written, levels: Template::ALL.map(level) })
    }

    /// The same under another level of the gateway's own.
    pub(crate) fn under(&self, own: Template) -> Result<Self, PolicyError> {
        Self::new(Arc::clone(&self.written), own)
    }

    pub(crate) fn own(&self) -> &Compiled {
        self.of(None)
    }

    /// The level that judges a session: it may be stricter than the gateway, never less strict.
    pub(crate) fn of(&self, session: Option<Template>) -> &Compiled {
        let level = session.map_or(self.own, |session| Template::strictest(self.own, session));
        &self.levels[level as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_stands_at_its_place() {
        let levels = Levels::new(Arc::default(), Template::Exploratory).unwrap();
        for template in Template::ALL {
            assert_eq!(levels.of(Some(template)).template, template);
            let own = levels.under(template).unwrap();
            assert_eq!(own.own().version, levels.of(Some(template)).version);
            for session in Template::ALL {
                assert_eq!(own.of(Some(session)).template, template.max(session));
            }
        }
    }
}
