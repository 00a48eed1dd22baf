//! Warnings about automations that this release cannot read: one for each version of one, however often it is read.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use toolgate_core::automation::{Automation, Trigger};
use toolgate_core::id::AutomationId;

/// The versions that were warned about. Their number is limited by that of the automations.
#[derive(Default)]
pub(crate) struct UnreadableNotes {
    versions: Mutex<BTreeMap<AutomationId, u64>>,
}

impl UnreadableNotes {
    /// Warns about an automation that cannot be read, once. Others are let by.
    pub(crate) fn note(&self, automation: &Automation) {
        if let Some(why) = self.first_seen(automation) {
            let (id, name) = (&automation.id, &automation.name);
            tracing::warn!(%id, name, why, "an automation starts nothing: this release cannot read it");
        }
    }

    fn first_seen<'a>(&self, automation: &'a Automation) -> Option<&'a str> {
        let Trigger::Unreadable { why } = &automation.trigger else { return None };
        let before = self.versions.lock().insert(automation.id.clone(), automation.row_version);
        (before != Some(automation.row_version)).then_some(why.as_str())
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::PrincipalId;
    use toolgate_core::automation::Overlap;
    use toolgate_core::id::TaskId;

    use super::*;

    fn automation(trigger: Trigger, row_version: u64) -> Automation {
        Automation {
            id: AutomationId::new("aut_1"),
            name: "a".to_owned(),
            task: TaskId::new("task_1"),
            trigger,
            overlap: Overlap::Skip,
            catch_up_seconds: 0,
            jitter_seconds: 0,
            pause_on_failure: false,
            paused: None,
            principal: PrincipalId::new("ada"),
            created_by: PrincipalId::new("ada"),
            created_at_ms: 0,
            updated_at_ms: 0,
            row_version,
        }
    }

    #[test]
    fn each_version_is_warned_about_once() {
        let notes = UnreadableNotes::default();
        let odd = |version| automation(Trigger::Unreadable { why: "moon".to_owned() }, version);
        assert_eq!(notes.first_seen(&odd(1)), Some("moon"));
        assert_eq!(notes.first_seen(&odd(1)), None);
        assert_eq!(notes.first_seen(&odd(2)), Some("moon"));
        assert_eq!(notes.first_seen(&automation(Trigger::Once { at_ms: 1 }, 3)), None);
    }
}
