//! The definition of a server: a name, a version, a sentence for agents, and its tools.

use crate::tool::Tool;

/// Everything that the kit has to know to serve it.
pub struct Capability {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) instructions: &'static str,
    pub(crate) tools: Vec<Tool>,
}

impl Capability {
    /// `name` is the server's name at a gateway, such as `doc-parser-mcp`; `instructions` tell a model its
    /// purpose.
    pub fn new(name: &'static str, version: &'static str, instructions: &'static str) -> Self {
        Self { name, version, instructions, tools: Vec::new() }
    }

    /// # Panics
    /// If two tools have one name: that is a mistake in the program.
    pub fn tool(mut self, tool: Tool) -> Self {
        assert!(self.find(tool.name()).is_none(), "two tools are called {}", tool.name());
        self.tools.push(tool);
        self
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    pub(crate) fn tool_names(&self) -> Vec<&'static str> {
        self.tools.iter().map(Tool::name).collect()
    }

    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }
}
