//! Which events somebody listens to: beginnings of kinds, within what their role may see.

use toolgate_core::Role;
use toolgate_core::event::EventKind;

/// What the events of runs are: decisions about calls, and the calls.
const RUN: &str = "run";
const RUN_KINDS: [EventKind; 5] = [
    EventKind::PolicyDecided,
    EventKind::CallStarted,
    EventKind::CallPaused,
    EventKind::CallResumed,
    EventKind::CallCompleted,
];
/// All that approvers see.
const APPROVAL: &str = "approval";

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kinds(Vec<EventKind>);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnknownKind {
    /// No event begins like this.
    Nowhere(String),
    /// There are some, and this role does not see them.
    NotForRole(String),
}

impl Kinds {
    /// `wanted` as it stands in the parameter: `registry,approval,run`. Nothing is everything.
    pub(crate) fn read(wanted: Option<&str>, role: Role) -> Result<Self, UnknownKind> {
        let Some(wanted) = wanted else { return Ok(Self(seen_by(role))) };
        let mut kinds = Vec::new();
        for beginning in wanted.split(',').map(str::trim) {
            kinds.extend(beginning_with(beginning, role)?);
        }
        Ok(Self(kinds))
    }

    pub(crate) fn contains(&self, kind: EventKind) -> bool {
        self.0.contains(&kind)
    }

    /// The words that can be asked for, for hints.
    pub(crate) fn words() -> Vec<&'static str> {
        let mut words: Vec<&str> = EventKind::ALL.iter().map(|kind| first_part(kind.as_str())).collect();
        words.push(RUN);
        words.sort_unstable();
        words.dedup();
        words
    }
}

fn beginning_with(beginning: &str, role: Role) -> Result<Vec<EventKind>, UnknownKind> {
    let all: Vec<EventKind> = match beginning {
        RUN => RUN_KINDS.to_vec(),
        _ => EventKind::ALL.iter().copied().filter(|kind| begins(kind.as_str(), beginning)).collect(),
    };
    if all.is_empty() {
        return Err(UnknownKind::Nowhere(beginning.to_owned()));
    }
    let seen = seen_by(role);
    let mine: Vec<EventKind> = all.into_iter().filter(|kind| seen.contains(kind)).collect();
    if mine.is_empty() { Err(UnknownKind::NotForRole(beginning.to_owned())) } else { Ok(mine) }
}

fn seen_by(role: Role) -> Vec<EventKind> {
    let all = EventKind::ALL.iter().copied();
    match role {
        Role::Approver => all.filter(|kind| begins(kind.as_str(), APPROVAL)).collect(),
        _ => all.collect(),
    }
}

/// Whole parts: `tool` is a beginning of `tool.call.started`, and `to` is not.
fn begins(kind: &str, beginning: &str) -> bool {
    kind.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn first_part(kind: &str) -> &str {
    kind.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &str, role: Role) -> Result<Vec<&'static str>, UnknownKind> {
        Kinds::read(Some(wanted), role).map(|kinds| kinds.0.iter().map(|kind| kind.as_str()).collect())
    }

    #[test]
    fn a_beginning_is_made_of_whole_parts() {
        let instances = vec!["server.instance.joined", "server.instance.left"];
        assert_eq!(names("server.instance", Role::Auditor), Ok(instances));
        assert_eq!(names("setting", Role::Admin), Ok(vec!["setting.changed"]));
        for nothing in ["sett", "setting.", "", "setting.changed.x"] {
            assert_eq!(names(nothing, Role::Admin), Err(UnknownKind::Nowhere(nothing.to_owned())));
        }
    }

    #[test]
    fn several_beginnings_are_joined_and_runs_are_calls() {
        let both = names("setting, run", Role::Operator).expect("both are known");
        assert_eq!(both.len(), 6);
        assert!(both.contains(&"tool.call.completed") && both.contains(&"policy.decided"));
        assert!(!both.contains(&"policy.loaded"));
    }

    #[test]
    fn approvers_see_approvals_only() {
        let all = Kinds::read(None, Role::Approver).expect("some");
        assert!(all.0.iter().all(|kind| kind.as_str().starts_with("approval.")) && !all.0.is_empty());
        assert_eq!(names("server", Role::Approver), Err(UnknownKind::NotForRole("server".to_owned())));
        assert_eq!(names("approval.voted", Role::Approver), Ok(vec!["approval.voted"]));
    }

    #[test]
    fn every_word_of_the_hint_is_known() {
        for word in Kinds::words() {
            assert!(names(word, Role::Admin).is_ok(), "{word}");
        }
    }
}
