//! The tool that a planned call is about in the end: the one that `call_tool` names, if it is a call of that.

use serde_json::{Value, json};

use crate::RawJson;

/// The canonical and the wire name of the tool that calls another one.
const CALL: [&str; 2] = ["toolgate.tools.call", "call_tool"];
/// The names of the tool that asks a person.
const ASK: [&str; 2] = ["toolgate.runs.ask", "request_user_input"];
/// The names of the tool that ends the run of its caller.
const COMPLETE: [&str; 2] = ["toolgate.runs.complete", "complete_workflow"];
/// The names of the tool that ends a run by its id, which is usually the caller's own.
const COMPLETE_BY_ID: [&str; 3] = ["run.complete", "run__complete", "complete_run"];

/// A call without the detour over `call_tool`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallTarget {
    pub name: String,
    pub arguments: RawJson,
    is_indirect: bool,
}

impl CallTarget {
    /// A call of `call_tool` that makes no sense is about `call_tool`.
    pub fn of(name: &str, arguments: &RawJson) -> Self {
        if CALL.contains(&name)
            && let Some((name, arguments)) = within(arguments)
        {
            return Self { name, arguments, is_indirect: true };
        }
        Self { name: name.to_owned(), arguments: arguments.clone(), is_indirect: false }
    }

    /// True for a question to a person. The gateway's own tools have no other names than these.
    pub fn asks(&self) -> bool {
        ASK.contains(&self.name.as_str())
    }

    /// True for `complete_workflow`.
    pub fn completes(&self) -> bool {
        COMPLETE.contains(&self.name.as_str())
    }

    /// True for whatever may end the run of its caller: it comes after all other calls of an answer.
    pub fn may_end_its_run(&self) -> bool {
        self.completes() || COMPLETE_BY_ID.contains(&self.name.as_str())
    }

    /// The arguments of the call as it was planned, with other ones for the target.
    pub fn with(&self, arguments: RawJson) -> RawJson {
        match self.is_indirect {
            true => json!({ "name": self.name, "arguments": arguments }).into(),
            false => arguments,
        }
    }
}

/// Some models send the object as text.
fn within(arguments: &RawJson) -> Option<(String, RawJson)> {
    let Ok(Value::Object(mut members)) = arguments.decode::<Value>() else { return None };
    let Some(Value::String(name)) = members.remove("name") else { return None };
    let arguments = match members.remove("arguments") {
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) => serde_json::from_str(&text).ok()?,
        Some(given) => given,
    };
    Some((name, arguments.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str, arguments: Value) -> CallTarget {
        CallTarget::of(name, &arguments.into())
    }

    #[test]
    fn a_call_through_call_tool_is_about_its_target() {
        let done = json!({ "summary": "done" });
        for arguments in [done.clone(), json!(done.to_string())] {
            let through = target("call_tool", json!({ "name": "complete_workflow", "arguments": arguments }));
            assert!(through.completes() && through.may_end_its_run());
            assert_eq!(through.arguments.decode::<Value>().expect("JSON"), done);
            let sent = through.with(json!({ "summary": "more" }).into()).decode::<Value>().expect("JSON");
            assert_eq!(sent, json!({ "name": "complete_workflow", "arguments": { "summary": "more" } }));
        }
        let direct = target("complete_workflow", done.clone());
        assert!(direct.completes());
        assert_eq!(direct.with(done.clone().into()).decode::<Value>().expect("JSON"), done);
        assert!(target("toolgate.tools.call", json!({ "name": "request_user_input" })).asks());
    }

    #[test]
    fn a_run_may_be_ended_under_several_names() {
        for name in ["run.complete", "run__complete", "complete_run"] {
            for one in [target(name, json!({})), target("call_tool", json!({ "name": name }))] {
                assert!(one.may_end_its_run() && !one.completes(), "{name}");
            }
        }
        assert!(!target("run.fail", json!({})).may_end_its_run());
    }

    #[test]
    fn a_senseless_call_through_call_tool_stays_what_it_is() {
        for arguments in
            [json!({}), json!({ "name": 5 }), json!({ "name": "a", "arguments": "{" }), json!([])]
        {
            assert_eq!(target("call_tool", arguments).name, "call_tool");
        }
    }
}
