//! The platform's domains in one place: their definitions, which need nothing, and the set that answers their calls.

use std::sync::Arc;
use std::time::Duration;

use toolgate_claims::Claims;
use toolgate_connectors::Connectors;
use toolgate_core::platform::PlatformTool;
use toolgate_documents::Documents;
use toolgate_domain::DomainSet;
use toolgate_files::Files;
use toolgate_index::Indexes;
use toolgate_knowledge::KnowledgeBases;
use toolgate_platform::PlatformTools;
use toolgate_runs::Runs;
use toolgate_schema::SchemaVersions;
use toolgate_substrate::Substrate;
use toolgate_tasks::TaskTools;

/// Every tool that the gateway answers itself, sorted by wire name.
pub(crate) fn tools() -> Vec<Arc<PlatformTool>> {
    let mut tools = [
        toolgate_platform::control().tools(),
        toolgate_platform::file().tools(),
        toolgate_runs::domain().tools(),
        toolgate_substrate::domain().tools(),
        toolgate_schema::domain().tools(),
        toolgate_knowledge::domain().tools(),
        toolgate_claims::domain().tools(),
        toolgate_tasks::domain().tools(),
        toolgate_documents::domain().tools(),
        toolgate_index::domain().tools(),
        toolgate_connectors::domain().tools(),
    ]
    .concat();
    tools.sort_by(|one, other| one.wire.cmp(&other.wire));
    tools
}

/// The things that the tools work on.
#[derive(Clone, Copy)]
pub(crate) struct DomainStates<'a> {
    pub(crate) files: &'a Arc<Files>,
    pub(crate) runs: &'a Arc<Runs>,
    pub(crate) substrate: &'a Arc<Substrate>,
    pub(crate) schemas: &'a Arc<SchemaVersions>,
    pub(crate) tasks: &'a Arc<TaskTools>,
    pub(crate) documents: &'a Arc<Documents>,
    pub(crate) indexes: &'a Arc<Indexes>,
    pub(crate) knowledge: &'a Arc<KnowledgeBases>,
    pub(crate) claims: &'a Arc<Claims>,
    pub(crate) connectors: &'a Arc<Connectors>,
    pub(crate) input_hold: Duration,
}

/// The same tools with what they work on.
pub(crate) fn bind(states: DomainStates<'_>) -> DomainSet {
    let DomainStates { files, runs, substrate, schemas, tasks, documents, indexes, .. } = states;
    let DomainStates { knowledge, claims, connectors, input_hold, .. } = states;
    let platform = Arc::new(PlatformTools::new(files.clone(), runs.clone(), input_hold));
    DomainSet::default()
        .with(toolgate_platform::control(), &platform)
        .with(toolgate_platform::file(), &platform)
        .with(toolgate_runs::domain(), runs)
        .with(toolgate_substrate::domain(), substrate)
        .with(toolgate_schema::domain(), schemas)
        .with(toolgate_knowledge::domain(), knowledge)
        .with(toolgate_claims::domain(), claims)
        .with(toolgate_tasks::domain(), tasks)
        .with(toolgate_documents::domain(), documents)
        .with(toolgate_index::domain(), indexes)
        .with(toolgate_connectors::domain(), connectors)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toolgate_core::platform::ToolPresence;

    use super::*;

    #[test]
    fn every_name_of_a_tool_is_its_own_and_legal_everywhere() {
        let mut names = BTreeSet::new();
        for tool in tools() {
            let old = tool.old_names.iter().map(|old| old.name.to_owned());
            for name in old.chain([tool.wire.to_string(), tool.tool.name.to_string()]) {
                assert!(names.insert(name.clone()), "{name} stands twice");
            }
            let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            assert!(tool.wire.len() <= toolgate_catalog::NAME_CHARS_MAX && tool.wire.bytes().all(legal));
            // Those beside the catalogue are not found there, so nothing else may take their names.
            let reserved =
                tool.presence == ToolPresence::InScope || toolgate_catalog::is_reserved_name(&tool.wire);
            assert!(reserved, "{} is missing in RESERVED_TOOLS", tool.wire);
        }
    }

    #[test]
    fn every_schema_is_one_that_calls_are_checked_against() {
        for tool in tools() {
            let schema = tool.tool.input_schema.as_ref().expect("a schema");
            assert_eq!(toolgate_pipeline::schema::unchecked_text(schema), None, "{}", tool.wire);
        }
    }
}
