//! Texts that both databases accept. Postgres has no NUL character, and one caller's odd id must not spoil
//! the batch that it shares with others; so NUL is replaced before anything is hashed. JSON cannot contain
//! it.

use std::sync::Arc;

use toolgate_core::event::{Event, EventSubject, LedgerEntry};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId};

const REPLACEMENT: &str = "\u{FFFD}";

pub(super) fn clean(entry: &mut LedgerEntry) {
    for event in &mut entry.events {
        clean_event(event);
    }
}

fn clean_event(event: &mut Event) {
    if has_nul(Some(event.principal.as_str())) {
        event.principal = PrincipalId::new(&replaced(event.principal.as_str()));
    }
    let approval = event.approval.as_ref().map(ApprovalId::as_str);
    if has_nul(approval) {
        event.approval = approval.map(|id| ApprovalId::new(replaced(id)));
    }
    if texts(&event.about).into_iter().any(has_nul) {
        event.about = Arc::new(clean_about(&event.about));
    }
}

fn texts(about: &EventSubject) -> [Option<&str>; 6] {
    [
        about.session.as_ref().map(SessionId::as_str),
        about.run.as_ref().map(RunId::as_str),
        about.task.as_deref(),
        about.call.as_ref().map(CallId::as_str),
        about.tool.as_ref().map(CanonicalName::as_str),
        about.trace.as_deref(),
    ]
}

fn clean_about(about: &EventSubject) -> EventSubject {
    let [session, run, task, call, tool, trace] = texts(about).map(|text| text.map(replaced));
    EventSubject {
        session: session.map(SessionId::new),
        run: run.map(RunId::new),
        task: task.map(Into::into),
        call: call.map(CallId::new),
        tool: tool.map(|name| CanonicalName::recorded(&name)),
        // Letters, digits and three signs.
        server: about.server.clone(),
        tool_version: about.tool_version,
        trace: trace.map(Into::into),
    }
}

fn has_nul(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.contains('\0'))
}

pub(super) fn replaced(text: &str) -> String {
    text.replace('\0', REPLACEMENT)
}

#[cfg(test)]
mod tests {
    use toolgate_core::event::EventKind;

    use super::*;

    #[test]
    fn nul_is_replaced_wherever_a_caller_could_have_put_it() {
        let odd = EventSubject {
            session: Some(SessionId::new("s\0")),
            run: Some(RunId::new("\0r")),
            task: Some("t\0\0".into()),
            call: Some(CallId::new("c\0")),
            tool: Some(CanonicalName::recorded("a:\0")),
            trace: Some("\0".into()),
            ..EventSubject::default()
        };
        let mut event = Event::new(EventKind::CallStarted, 1, PrincipalId::new("p\0"), Arc::new(odd));
        event.approval = Some(ApprovalId::new("a\0"));
        clean_event(&mut event);
        assert!(!format!("{event:?}").contains("\\0"), "{event:?}");
        assert_eq!(event.about.task.as_deref(), Some("t\u{FFFD}\u{FFFD}"));
    }

    #[test]
    fn an_event_without_it_is_not_copied() {
        let about = Arc::new(EventSubject { task: Some("t".into()), ..EventSubject::default() });
        let mut event = Event::new(EventKind::CallStarted, 1, PrincipalId::new("p"), Arc::clone(&about));
        clean_event(&mut event);
        assert!(Arc::ptr_eq(&event.about, &about));
    }
}
