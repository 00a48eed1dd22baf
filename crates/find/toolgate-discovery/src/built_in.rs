//! The gateway's own tools for finding others. They take the path of every call, under their own names.

use std::sync::{Arc, LazyLock};

use toolgate_core::platform::OWN_SERVER;
use toolgate_core::tool::version_of;
use toolgate_core::{
    AuditLevel, CanonicalName, Effects, OutputCheck, RawJson, ServerName, Tool, ToolHandling,
};
use toolgate_search::meta_tools::{CALL_TOOL, DESCRIBE_TOOLS, SEARCH_TOOLS, definitions};

/// A tool that the gateway has itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltIn {
    Search,
    Describe,
    /// Never called itself: it is the call of another tool.
    Call,
}

static TOOLS: LazyLock<[Arc<Tool>; 3]> = LazyLock::new(|| BuiltIn::ALL.map(|one| Arc::new(one.describe())));

impl BuiltIn {
    pub const ALL: [BuiltIn; 3] = [BuiltIn::Search, BuiltIn::Describe, BuiltIn::Call];

    /// The server that policies and the ledger know them by.
    pub const SERVER: &'static str = OWN_SERVER;

    pub fn wire(self) -> &'static str {
        match self {
            BuiltIn::Search => SEARCH_TOOLS,
            BuiltIn::Describe => DESCRIBE_TOOLS,
            BuiltIn::Call => CALL_TOOL,
        }
    }

    pub fn canonical(self) -> &'static str {
        match self {
            BuiltIn::Search => "toolgate.tools.search",
            BuiltIn::Describe => "toolgate.tools.describe",
            BuiltIn::Call => "toolgate.tools.call",
        }
    }

    pub fn named(name: &str) -> Option<BuiltIn> {
        Self::ALL.into_iter().find(|one| one.wire() == name || one.canonical() == name)
    }

    pub fn tool(self) -> &'static Arc<Tool> {
        &TOOLS[self as usize]
    }

    fn describe(self) -> Tool {
        // The tools behind the search differ by session; the tool does not.
        let definition = definitions("").into_iter().find(|one| one["name"] == self.wire());
        let definition = definition.expect("there is a definition of each");
        Tool {
            name: CanonicalName::recorded(self.canonical()),
            server: ServerName::new(Self::SERVER).expect("letters alone"),
            own: self.wire().into(),
            version: version_of(&definition),
            effects: Effects::READ,
            hinted: false,
            idempotent: true,
            audit: AuditLevel::Standard,
            input_schema: Some(RawJson::from(definition["inputSchema"].clone())),
            output_schema: None,
            output_check: Some(OutputCheck::Off),
            handling: ToolHandling::default(),
        }
    }
}
