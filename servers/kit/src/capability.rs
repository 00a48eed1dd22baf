//! The definition of a server: a name, a version, a sentence for agents, and its tools.

use std::sync::Arc;

use serde_json::Value;

use crate::connector::Connector;
use crate::resident::Residence;
use crate::tool::Tool;
use crate::trouble::Trouble;
use crate::work::Work;
use crate::worker::child::JobFunction;

/// Everything that the kit has to know to serve it.
pub struct Capability {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) instructions: &'static str,
    pub(crate) tools: Vec<Tool>,
    pub(crate) residence: Option<Arc<dyn Residence>>,
    pub(crate) connector: Option<Arc<dyn Connector>>,
}

impl Capability {
    /// `name` is the server's name at a gateway, such as `doc-parser-mcp`; `instructions` tell a model its
    /// purpose.
    pub fn new(name: &'static str, version: &'static str, instructions: &'static str) -> Self {
        Self { name, version, instructions, tools: Vec::new(), residence: None, connector: None }
    }

    /// # Panics
    /// If two tools have one name: that is a mistake in the program.
    pub fn tool(mut self, tool: Tool) -> Self {
        assert!(self.find(tool.name()).is_none(), "two tools are called {}", tool.name());
        self.tools.push(tool);
        self
    }

    /// The state behind the server's resident tools. A gateway then says for whom each call is, and which callers have ended.
    pub fn residence(self, residence: Arc<dyn Residence>) -> Self {
        Self { residence: Some(residence), ..self }
    }

    /// The service behind the tools. A gateway may then ask for previews of calls and for pages of streams, and names its calls.
    pub fn connector(self, connector: Arc<dyn Connector>) -> Self {
        Self { connector: Some(connector), ..self }
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

    /// True if some tool needs a worker process.
    pub(crate) fn has_workers(&self) -> bool {
        self.tools.iter().any(|tool| tool.at_home().is_none())
    }

    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// The work of its workers: each job is the call of a tool.
    pub(crate) fn into_jobs(self) -> JobFunction {
        Box::new(move |tool: &str, arguments: Value, work: &Work| {
            let unknown = || Trouble::internal(format!("a worker does not know {tool}"));
            self.find(tool).ok_or_else(unknown)?.call(arguments, work)
        })
    }
}
