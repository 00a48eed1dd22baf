//! The definitions of the gateway's own tools. Every session that has them pays for these words: they are
//! few.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::platform::{OWN_SERVER, PlatformTool, ToolPresence};
use toolgate_core::run::CallKind;
use toolgate_core::tool::version_of;
use toolgate_core::{
    AuditLevel, CanonicalName, Effects, OutputCheck, RawJson, ServerName, Tool, ToolHandling,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlatformToolKind {
    CompleteWorkflow,
    FileUploadUrl,
    ReadRef,
    RequestUserInput,
    StoreArtifact,
}

/// All of them, sorted by wire name.
pub fn tools() -> Vec<Arc<PlatformTool>> {
    PlatformToolKind::ALL.into_iter().map(|own| Arc::new(own.describe())).collect()
}

impl PlatformToolKind {
    /// In the order of their wire names.
    const ALL: [PlatformToolKind; 5] = [
        PlatformToolKind::CompleteWorkflow,
        PlatformToolKind::FileUploadUrl,
        PlatformToolKind::ReadRef,
        PlatformToolKind::RequestUserInput,
        PlatformToolKind::StoreArtifact,
    ];

    fn wire(self) -> &'static str {
        match self {
            PlatformToolKind::CompleteWorkflow => "complete_workflow",
            PlatformToolKind::FileUploadUrl => "file_upload_url",
            PlatformToolKind::ReadRef => "read_ref",
            PlatformToolKind::RequestUserInput => "request_user_input",
            PlatformToolKind::StoreArtifact => "store_artifact",
        }
    }

    fn canonical(self) -> &'static str {
        match self {
            PlatformToolKind::CompleteWorkflow => "toolgate.runs.complete",
            PlatformToolKind::FileUploadUrl => "toolgate.files.upload",
            PlatformToolKind::ReadRef => "toolgate.refs.read",
            PlatformToolKind::RequestUserInput => "toolgate.runs.ask",
            PlatformToolKind::StoreArtifact => "toolgate.artifacts.store",
        }
    }

    pub(crate) fn named(wire: &str) -> Option<PlatformToolKind> {
        Self::ALL.into_iter().find(|own| own.wire() == wire)
    }

    fn presence(self) -> ToolPresence {
        match self {
            PlatformToolKind::ReadRef => ToolPresence::Always,
            PlatformToolKind::FileUploadUrl => ToolPresence::WithFiles,
            PlatformToolKind::CompleteWorkflow
            | PlatformToolKind::RequestUserInput
            | PlatformToolKind::StoreArtifact => ToolPresence::WithRun,
        }
    }

    fn kind(self) -> CallKind {
        match self {
            PlatformToolKind::RequestUserInput => CallKind::Ask,
            _ => CallKind::Control,
        }
    }

    fn effects(self) -> Effects {
        match self {
            PlatformToolKind::StoreArtifact => Effects::WRITE,
            _ => Effects::READ,
        }
    }

    fn describe(self) -> PlatformTool {
        let (description, properties, required) = self.words();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        let definition = json!({ "name": self.wire(), "description": description, "inputSchema": schema });
        let tool = Tool {
            name: CanonicalName::recorded(self.canonical()),
            server: ServerName::new(OWN_SERVER).expect("letters alone"),
            own: self.wire().into(),
            version: version_of(&definition),
            effects: self.effects(),
            hinted: false,
            idempotent: false,
            audit: AuditLevel::Standard,
            input_schema: Some(RawJson::from(schema)),
            output_schema: None,
            output_check: Some(OutputCheck::Off),
            handling: ToolHandling::default(),
        };
        PlatformTool {
            tool: Arc::new(tool),
            wire: self.wire(),
            definition: definition.into(),
            presence: self.presence(),
            kind: self.kind(),
        }
    }

    /// Description, properties and required members.
    fn words(self) -> (&'static str, Value, Value) {
        let text = |description: &str| json!({ "type": "string", "description": description });
        match self {
            PlatformToolKind::ReadRef => (
                "Reads a text that a result holds as ref_id, piece by piece.",
                json!({
                    "ref_id": { "type": "string" },
                    "range": {
                        "type": "string", "pattern": "^[0-9]+-[0-9]*$",
                        "description": "Bytes: 0-4000, or 4000-",
                    },
                    "query": text("Text to find instead"),
                }),
                json!(["ref_id"]),
            ),
            PlatformToolKind::FileUploadUrl => (
                "Gives an address to which one file can be sent by HTTP PUT; the answer to that has its file_id, which tools take.",
                json!({ "file_name": { "type": "string" } }),
                json!(["file_name"]),
            ),
            PlatformToolKind::RequestUserInput => (
                "Asks a person and waits. Use the tools on what was given first: at least two must have completed.",
                json!({
                    "slot_type": {
                        "type": "string",
                        "enum": ["text", "choice", "multi_choice", "number", "boolean", "date", "file"],
                    },
                    "slot_id": text("Names the answer; the same id is the same question"),
                    "prompt_key": text("The question"),
                    "options": {
                        "type": "array", "default": [],
                        "description": "For choice and multi_choice",
                        "items": { "anyOf": [
                            { "type": "string" },
                            {
                                "type": "object", "required": ["value"],
                                "properties": { "value": { "type": "string" }, "label": { "type": "string" } },
                            },
                        ] },
                    },
                }),
                json!(["slot_type", "slot_id", "prompt_key"]),
            ),
            PlatformToolKind::StoreArtifact => (
                "Keeps a result of this run: text, Base64, or a ref or file by its id. Give content or content_ref_id, not both.",
                json!({
                    "file_name": { "type": "string" },
                    "content": { "type": "string" },
                    "content_encoding": { "type": "string", "enum": ["utf-8", "base64"] },
                    "content_ref_id": text("Any ref_id or file_id; the bytes do not pass through you"),
                }),
                json!(["file_name"]),
            ),
            PlatformToolKind::CompleteWorkflow => (
                "Ends the run, once all other calls have ended. Nothing can be called after it.",
                json!({
                    "summary": text("What was done"),
                    "artifacts": {
                        "type": "array", "items": { "type": "string" },
                        "description": "Names of stored artifacts",
                    },
                }),
                json!(["summary"]),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_sorted_and_each_is_found_by_its_name() {
        let tools = tools();
        assert!(tools.is_sorted_by_key(|tool| tool.wire));
        for tool in &tools {
            let own = PlatformToolKind::named(tool.wire).expect("it is one of them");
            assert_eq!(own.canonical(), tool.tool.name.as_str());
            let definition: Value = tool.definition.decode().expect("JSON");
            assert_eq!(definition["name"], tool.wire);
        }
    }

    #[test]
    fn what_every_session_reads_is_short() {
        for tool in tools() {
            let most = match tool.presence {
                ToolPresence::Always => 400,
                ToolPresence::WithFiles => 350,
                ToolPresence::WithRun => 900,
            };
            let bytes = tool.definition.as_str().len();
            assert!(bytes <= most, "{} takes {bytes} bytes", tool.wire);
        }
    }
}
