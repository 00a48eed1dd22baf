//! The actions of servers besides their tools. Policy, approvals and ledger treat each as a tool with a fixed
//! name: `files:resources/read` with the URI as its argument.

use super::{AuditLevel, Effects, Tool, ToolHandling};
use crate::{CanonicalName, Digest, RawJson, ServerName};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    ReadResource,
    WatchResource,
    GetPrompt,
    Complete,
    GetTask,
    UpdateTask,
    CancelTask,
}

impl Action {
    pub const ALL: [Action; 7] = [
        Action::ReadResource,
        Action::WatchResource,
        Action::GetPrompt,
        Action::Complete,
        Action::GetTask,
        Action::UpdateTask,
        Action::CancelTask,
    ];

    /// The MCP method, which is also its name. Completion has one method only.
    pub fn method(self) -> &'static str {
        match self {
            Action::ReadResource => "resources/read",
            Action::WatchResource => "resources/subscribe",
            Action::GetPrompt => "prompts/get",
            Action::Complete => "completion/complete",
            Action::GetTask => "tasks/get",
            Action::UpdateTask => "tasks/update",
            Action::CancelTask => "tasks/cancel",
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Action::Complete => "completion",
            other => other.method(),
        }
    }

    pub fn of_method(method: &str) -> Option<Action> {
        Self::ALL.into_iter().find(|action| action.method() == method)
    }

    fn effects(self) -> Effects {
        match self {
            Action::UpdateTask | Action::CancelTask => Effects::WRITE,
            _ => Effects::READ,
        }
    }

    fn input_schema(self) -> &'static str {
        match self {
            Action::ReadResource | Action::WatchResource => {
                r#"{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]}"#
            }
            Action::GetPrompt => {
                r#"{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"]}"#
            }
            Action::Complete => {
                r#"{"type":"object","properties":{"ref":{"type":"object","properties":{"type":{"type":"string"},"name":{"type":"string"},"uri":{"type":"string"}},"required":["type"]},"argument":{"type":"object"},"context":{"type":"object"}},"required":["ref"]}"#
            }
            Action::GetTask | Action::UpdateTask | Action::CancelTask => {
                r#"{"type":"object","properties":{"taskId":{"type":"string"}},"required":["taskId"]}"#
            }
        }
    }
}

impl Tool {
    /// A server's action besides its tools, as a tool of that server.
    pub fn of_action(server: &ServerName, action: Action) -> Self {
        let schema = action.input_schema();
        Self {
            name: CanonicalName::of(server, action.as_str()),
            server: server.clone(),
            own: action.as_str().into(),
            version: Digest::of(schema),
            effects: action.effects(),
            hinted: false,
            idempotent: !action.effects().changes_something(),
            audit: AuditLevel::Standard,
            input_schema: Some(RawJson::from_composed(schema.to_owned())),
            output_schema: None,
            output_check: None,
            handling: ToolHandling::default(),
        }
    }

    /// The same by its name, if it is the name of one.
    pub fn action_named(name: &str) -> Option<Self> {
        let (server, own) = name.split_once(':')?;
        let action = Action::ALL.into_iter().find(|action| action.as_str() == own)?;
        Some(Self::of_action(&ServerName::new(server).ok()?, action))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_found_by_its_name_and_its_method() {
        let server = ServerName::new("files").expect("a name");
        for action in Action::ALL {
            let tool = Tool::of_action(&server, action);
            assert_eq!(Tool::action_named(tool.name.as_str()), Some(tool.clone()));
            assert_eq!(Action::of_method(action.method()), Some(action));
            let schema = tool.input_schema.expect("each has one");
            assert!(schema.decode::<serde_json::Value>().is_ok_and(|schema| schema["type"] == "object"));
        }
        assert_eq!(Tool::action_named("files:read"), None);
    }
}
