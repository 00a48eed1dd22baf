//! One call or run as a document: names, codes, outcomes and messages. Arguments and results are not in it, since they can be erased from
//! the ledger.

use serde_json::{Map, Value, json};
use toolgate_core::event::{Event, EventKind};
use toolgate_core::moment::rfc3339;
use toolgate_core::run::Run;

use crate::limits::TRACE_TEXT_CHARS_MAX;

/// Members of a call's detail that are told.
const TOLD: [&str; 4] = ["code", "message", "error", "instance"];

/// A document to be.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TraceDocument {
    pub(super) path: String,
    pub(super) text: String,
    /// For filters.
    pub(super) metadata: Map<String, Value>,
}

/// The document of a call that ended.
pub(super) fn of_call(event: &Event) -> Option<TraceDocument> {
    let about = &event.about;
    let call = about.call.as_ref().filter(|_| event.kind == EventKind::CallCompleted)?;
    let tool = about.tool.as_ref().map(ToString::to_string).unwrap_or_default();
    let server = about.server.as_ref().map(ToString::to_string);
    let outcome = event.outcome.map(|outcome| outcome.as_str());
    let mut lines = vec![
        title("Call of", &tool, server.as_deref(), outcome),
        String::new(),
        format!("Principal: {}.", event.principal),
    ];
    lines.extend(outcome.map(|outcome| format!("Outcome: {outcome}.")));
    lines.extend(told(event));
    lines.extend(event.duration_us.map(|took| format!("Took {} ms.", took / 1_000)));
    let facts = [
        ("kind", Some(json!("call"))),
        ("tool", Some(json!(tool))),
        ("server", server.map(Value::from)),
        ("outcome", outcome.map(Value::from)),
    ];
    let path = format!("calls/{}/{}.txt", day(event.at_ms), plain(call.as_str()));
    Some(TraceDocument { path, text: text(lines), metadata: metadata(event, facts) })
}

/// The document of a run that ended.
pub(super) fn of_run(event: &Event, run: &Run) -> TraceDocument {
    let name = run.label.name.as_deref().unwrap_or(run.id.as_str());
    let state = run.state.as_str();
    let kind = run.label.run_type.as_deref();
    let mut lines = vec![title("Run", name, None, Some(state)), String::new(), format!("State: {state}.")];
    lines.extend(kind.map(|kind| format!("Type: {kind}.")));
    lines.push(format!("Principal: {}.", run.principal));
    lines.extend(run.reason.as_deref().map(|reason| format!("Reason: {}.", short(reason))));
    lines.extend(run.summary.as_deref().map(|summary| format!("Summary: {}", short(summary))));
    let error = run.report.error.as_ref().and_then(|error| error["message"].as_str());
    lines.extend(error.map(|error| format!("Error: {}", short(error))));
    let facts = [
        ("kind", Some(json!("run"))),
        ("type", kind.map(Value::from)),
        ("state", Some(json!(state))),
        ("task", run.task.as_ref().map(|task| json!(task.as_str()))),
    ];
    let path = format!("runs/{}/{}.txt", day(event.at_ms), plain(run.id.as_str()));
    TraceDocument { path, text: text(lines), metadata: metadata(event, facts) }
}

fn title(what: &str, name: &str, server: Option<&str>, end: Option<&str>) -> String {
    let on = server.map(|server| format!(" on {server}")).unwrap_or_default();
    format!("{what} {name}{on}: {}", end.unwrap_or("ended"))
}

/// The members of the detail that say what went wrong. Others name contents, or nothing that anybody would look for.
fn told(event: &Event) -> Vec<String> {
    let detail = event.detail.as_ref().and_then(|detail| detail.decode::<Map<String, Value>>().ok());
    let detail = detail.unwrap_or_default();
    let line = |name: &&str| {
        let value = match detail.get(*name)? {
            Value::String(text) => text.clone(),
            Value::Object(error) => error.values().filter_map(Value::as_str).collect::<Vec<_>>().join(": "),
            _ => return None,
        };
        Some(format!("{}{}: {}.", name[..1].to_uppercase(), &name[1..], short(&value)))
    };
    TOLD.iter().filter_map(line).collect()
}

fn metadata<const N: usize>(event: &Event, facts: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let about = &event.about;
    let usual = [
        ("principal", Some(json!(event.principal.as_str()))),
        ("session", about.session.as_ref().map(|session| json!(session.as_str()))),
        ("run", about.run.as_ref().map(|run| json!(run.as_str()))),
        ("at", Some(json!(rfc3339(event.at_ms)))),
    ];
    let all = usual.into_iter().chain(facts);
    all.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn text(lines: Vec<String>) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn short(text: &str) -> String {
    text.chars().take(TRACE_TEXT_CHARS_MAX).collect()
}

/// `2026-11-18`
fn day(at_ms: i64) -> String {
    rfc3339(at_ms).chars().take(10).collect()
}

/// An id as part of a path. Ours are plain; one that is not must not make another folder.
fn plain(id: &str) -> String {
    id.chars()
        .map(|one| if one.is_ascii_alphanumeric() || one == '_' || one == '-' { one } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolgate_core::event::{EventSubject, Outcome};
    use toolgate_core::id::{CallId, RunId, SessionId};
    use toolgate_core::{CanonicalName, Digest, PrincipalId, ServerName};

    use super::*;

    fn call(detail: Value) -> Event {
        let about = EventSubject {
            session: Some(SessionId::new("ses_1")),
            run: Some(RunId::new("run_1")),
            call: Some(CallId::new("tc_1")),
            tool: Some(CanonicalName::recorded("bank:transfer")),
            server: Some(ServerName::new("bank").expect("a name")),
            ..EventSubject::default()
        };
        Event {
            outcome: Some(Outcome::Denied),
            input: Some(Digest::of("secret arguments")),
            detail: Some(detail.into()),
            ..Event::new(EventKind::CallCompleted, 0, PrincipalId::new("ada"), Arc::new(about))
        }
    }

    #[test]
    fn a_call_is_told_by_its_names_and_its_end() {
        let event = call(json!({ "code": "denied", "message": "policy says no", "refs": ["ref_1"] }));
        let document = of_call(&event).expect("a document");
        assert_eq!(document.path, "calls/1970-01-01/tc_1.txt");
        for part in [
            "bank:transfer",
            "on bank: denied",
            "Principal: ada.",
            "Code: denied.",
            "Message: policy says no.",
        ] {
            assert!(document.text.contains(part), "{part}: {}", document.text);
        }
        assert!(!document.text.contains("ref_1"), "{}", document.text);
        assert_eq!(document.metadata["principal"], "ada");
        assert_eq!(document.metadata["outcome"], "denied");
        assert_eq!(document.metadata["run"], "run_1");
    }

    #[test]
    fn an_error_of_a_server_is_told_and_long_messages_are_cut() {
        let long = "x".repeat(TRACE_TEXT_CHARS_MAX * 2);
        let event = call(json!({ "error": { "code": 7, "message": long } }));
        let document = of_call(&event).expect("a document");
        assert!(document.text.contains("Error: xxx") && document.text.len() < TRACE_TEXT_CHARS_MAX + 500);
    }

    #[test]
    fn an_event_without_a_call_is_no_trace() {
        let event = Event::new(EventKind::CallCompleted, 0, PrincipalId::new("ada"), Arc::default());
        assert_eq!(of_call(&event), None);
        let started = Event { kind: EventKind::CallStarted, ..call(json!({})) };
        assert_eq!(of_call(&started), None);
    }

    #[test]
    fn an_id_makes_no_folder() {
        assert_eq!(plain("tc_1/../x"), "tc_1____x");
    }
}
