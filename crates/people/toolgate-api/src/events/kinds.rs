//! The selection of events for a listener: prefixes of kinds, within the limits of its role.

use toolgate_core::Role;
use toolgate_core::event::EventKind;

/// Events in runs: decisions about calls, the calls, and answers of models, besides the events of the runs themselves.
const RUN: &str = "run";
const RUN_KINDS: [EventKind; 6] = [
    EventKind::PolicyDecided,
    EventKind::CallStarted,
    EventKind::CallPaused,
    EventKind::CallResumed,
    EventKind::CallCompleted,
    EventKind::ModelCalled,
];
/// The events of their own runs that agents do not see.
const POLICY: &str = "policy";
/// The events that approvers see: those about waiting items.
const INBOX: [&str; 2] = ["approval", "input"];

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EventKinds(Vec<EventKind>);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnknownKind {
    /// No event begins like this.
    Nowhere(String),
    /// There are some, and this role does not see them.
    NotForRole(String),
}

impl EventKinds {
    /// `wanted` as in the parameter: `registry,approval,run`. Empty means everything.
    pub(crate) fn read(wanted: Option<&str>, role: Role) -> Result<Self, UnknownKind> {
        let Some(wanted) = wanted else { return Ok(Self(seen_by(role))) };
        let mut kinds = Vec::new();
        for beginning in wanted.split(',').map(str::trim) {
            kinds.extend(beginning_with(beginning, role)?);
        }
        Ok(Self(kinds))
    }

    /// The events in a run that this role sees.
    pub(crate) fn of_run(role: Role) -> Self {
        let seen = seen_by(role).into_iter();
        let hears = |kind: &EventKind| role != Role::Agent || !begins(kind.as_str(), POLICY);
        Self(seen.filter(hears).collect())
    }

    pub(crate) fn contains(&self, kind: EventKind) -> bool {
        self.0.contains(&kind)
    }

    /// The words that can be asked for, for hints.
    pub(crate) fn words() -> Vec<&'static str> {
        let mut words: Vec<&str> = EventKind::ALL.iter().map(|kind| first_part(kind.as_str())).collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

fn beginning_with(beginning: &str, role: Role) -> Result<Vec<EventKind>, UnknownKind> {
    let calls: &[EventKind] = if beginning == RUN { &RUN_KINDS } else { &[] };
    let begin = EventKind::ALL.iter().filter(|kind| begins(kind.as_str(), beginning));
    let all: Vec<EventKind> = calls.iter().chain(begin).copied().collect();
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
        Role::Approver => all.filter(|kind| INBOX.iter().any(|waits| begins(kind.as_str(), waits))).collect(),
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
        EventKinds::read(Some(wanted), role).map(|kinds| kinds.0.iter().map(|kind| kind.as_str()).collect())
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
    fn several_beginnings_are_joined_and_calls_belong_to_runs() {
        let both = names("setting, run", Role::Operator).expect("both are known");
        assert!(both.contains(&"setting.changed") && both.contains(&"run.ended"));
        assert!(both.contains(&"tool.call.completed") && both.contains(&"policy.decided"));
        assert!(!both.contains(&"policy.loaded"));
    }

    #[test]
    fn approvers_see_what_waits_for_people_only() {
        let all = EventKinds::read(None, Role::Approver).expect("some");
        let is_inbox = |kind: &str| kind.starts_with("approval.") || kind.starts_with("input.");
        assert!(all.0.iter().all(|kind| is_inbox(kind.as_str())));
        assert!(all.contains(EventKind::ApprovalVoted) && all.contains(EventKind::InputRequested));
        assert_eq!(names("server", Role::Approver), Err(UnknownKind::NotForRole("server".to_owned())));
        assert_eq!(names("approval.voted", Role::Approver), Ok(vec!["approval.voted"]));
    }

    #[test]
    fn agents_hear_nothing_of_policy_in_their_runs() {
        let (agent, auditor) = (EventKinds::of_run(Role::Agent), EventKinds::of_run(Role::Auditor));
        assert!(auditor.contains(EventKind::PolicyDecided) && !agent.contains(EventKind::PolicyDecided));
        for both in [EventKind::CallStarted, EventKind::RunEnded, EventKind::InputRequested] {
            assert!(agent.contains(both) && auditor.contains(both), "{both:?}");
        }
    }

    #[test]
    fn every_word_of_the_hint_is_known() {
        for word in EventKinds::words() {
            assert!(names(word, Role::Admin).is_ok(), "{word}");
        }
    }
}
