//! The doctor's findings about agents, capabilities and search.

use std::collections::BTreeSet;
use std::sync::Arc;

use sentence_encoder::Model;
use toolgate_catalog::CatalogEntry;
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::scope::{AgentDefinition, AgentName, Definitions};
use toolgate_discovery::{Discovery, UnmatchedRule};
use toolgate_policy::PolicyEngine;
use toolgate_registry::{DefinitionProblem, DefinitionsInForce};
use toolgate_store::Store;

use super::finding::{DoctorFinding, fine, wrong};
use crate::command::records::{RecordsContext, told};
use crate::command::shown::several;
use crate::config::Config;
use crate::failure;
use crate::governance::written_sources;
use crate::stored;

pub(super) async fn check(config: &Config, store: &Store) -> Vec<DoctorFinding> {
    let mut findings = match examine(config, store).await {
        Ok(findings) => findings,
        Err(error) => vec![wrong("agents", failure::render(&error), None)],
    };
    findings.push(check_search(config));
    findings
}

async fn examine(config: &Config, store: &Store) -> anyhow::Result<Vec<DoctorFinding>> {
    let room = RecordsContext::of(config.clone()).await?;
    let defined = room.records.definitions(&config.file_state()).await;
    room.close().await;
    let DefinitionsInForce { definitions, problems, .. } = defined.map_err(told)?;
    let counts = [
        several(definitions.agents.len() as u64, "agent"),
        match definitions.capabilities.len() {
            1 => "1 capability".to_owned(),
            count => format!("{count} capabilities"),
        },
    ];
    let mut findings = vec![fine("agents", format!("{} defined", counts.join(", ")))];
    findings.extend(problems.iter().map(problem));
    findings.extend(unmatched(config, store, &definitions).await?.iter().map(unfitting));
    Ok(findings)
}

fn problem(problem: &DefinitionProblem) -> DoctorFinding {
    let hint = format!("put it right in {}", problem.source.place(problem.kind));
    wrong("agents", problem.to_string(), Some(hint))
}

/// It may be a mistake, or a server that is down.
fn unfitting(UnmatchedRule { place, pattern }: &UnmatchedRule) -> DoctorFinding {
    let hint = "check its spelling, and whether the server that it is for is there: `toolgate tools list`";
    DoctorFinding { hint: Some(hint.into()), ..fine("agents", format!("{place}: no tool fits `{pattern}`")) }
}

/// Rules that match none of the tools that servers listed last. If nothing was ever listed, this cannot be
/// checked.
async fn unmatched(
    config: &Config,
    store: &Store,
    definitions: &Definitions,
) -> anyhow::Result<BTreeSet<UnmatchedRule>> {
    let catalog = stored::catalog(config, store).await?;
    let of_servers = |entry: &Arc<CatalogEntry>| entry.server.as_str() != OWN_SERVER;
    if !catalog.snapshot().tools.entries().iter().any(of_servers) {
        return Ok(BTreeSet::new());
    }
    let policy = Arc::new(PolicyEngine::load(written_sources(config, store).await?)?);
    let discovery = Discovery::new(catalog, policy);
    // Capabilities count whether or not an agent has them.
    let everything = AgentDefinition {
        capabilities: Some(definitions.capabilities.keys().cloned().collect()),
        ..AgentDefinition::named(AgentName::default_agent())
    };
    let agents = definitions.agents.values().map(|agent| &**agent).chain([&everything]);
    // Inconsistent definitions are reported as a problem.
    let scopes = agents.filter_map(|agent| definitions.scope(agent).ok());
    Ok(scopes.flat_map(|scope| discovery.unmatched(&scope)).collect())
}

fn check_search(config: &Config) -> DoctorFinding {
    let Some(folder) = &config.search.model else {
        return fine("search", "goes by words; `[search] model` names a folder with an encoder".into());
    };
    match Model::load(folder) {
        Ok(_) => {
            fine("search", format!("goes by words and by meaning, with the encoder in {}", folder.display()))
        }
        Err(error) => {
            let hint = error.hint().to_owned();
            let error = anyhow::Error::new(error).context("goes by words alone");
            wrong("search", failure::render(&error), Some(hint))
        }
    }
}
