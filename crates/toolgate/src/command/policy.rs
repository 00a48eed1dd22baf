//! `toolgate policy`: the validity of the policies, their decision on a call, and their tests. Tools are
//! those that the servers listed last; nothing is started.

mod in_force;
mod render;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{Policy, PolicyRequest};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::{Digest, Principal, PrincipalId, PrincipalKind, Role, Tool};
use toolgate_policy::{
    PolicyEngine, PolicyTemplate, Sources, TableLevels, check, run_tests, schema_for, table,
};

pub(super) use self::in_force::PoliciesInForce;
use super::context::Context;
use crate::cli::{ExplainArgs, PolicyCommand};
use crate::config::Config;
use crate::governance::written_sources;
use crate::judging::actors;
use crate::local::open_store;
use crate::output::{printable, put, say, talk};
use crate::stored;
use crate::table::json as json_text;

/// The minimum similarity of a suggestion.
const NEAR_ENOUGH: f64 = 0.7;
const NO_TOOLS: &str =
    "no tools are known yet\nhint: `toolgate serve` keeps what servers list; start it once";

pub(super) async fn run(context: &Context, command: PolicyCommand) -> anyhow::Result<ExitCode> {
    let config = context.config_to_read()?;
    let store = open_store(&config).await?;
    let catalog = stored::catalog(&config, &store).await;
    let sources = written_sources(&config, &store).await;
    store.close().await;
    let in_force = PoliciesInForce::of(&config).await;
    let room =
        PolicyContext { context, config, sources: sources?, tools: stored::tools(&*catalog?), in_force };
    match command {
        PolicyCommand::Check => room.check(),
        PolicyCommand::Explain(args) => room.explain(args),
        PolicyCommand::Test { files } => room.test(files),
        PolicyCommand::Table => room.table(),
        PolicyCommand::Schema => room.schema(),
    }
}

/// The common needs of all verbs.
struct PolicyContext<'a> {
    context: &'a Context,
    config: Config,
    /// Files, configuration and setting.
    sources: Sources,
    /// By name.
    tools: Vec<Arc<Tool>>,
    in_force: PoliciesInForce,
}

impl PolicyContext<'_> {
    /// The version of the written policies, if they load.
    fn written(&self) -> Option<Digest> {
        self.engine().ok().map(|engine| engine.version())
    }

    fn engine(&self) -> anyhow::Result<PolicyEngine> {
        Ok(PolicyEngine::load(self.sources.clone())?)
    }

    fn check(&self) -> anyhow::Result<ExitCode> {
        let report = check(&self.sources, &self.tools);
        if self.context.global.json {
            put!("{}", json_text(&report));
        } else {
            put!("{}", render::report(&report, self.tools.len()));
            say!("{}", self.in_force.told(self.written()));
        }
        if self.tools.is_empty() {
            talk!("warning: {NO_TOOLS}");
        }
        Ok(if report.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn explain(&self, args: ExplainArgs) -> anyhow::Result<ExitCode> {
        let engine = self.engine()?;
        let tool = self.tool(&args.tool)?;
        let principal = principal(&args);
        let arguments: Value = serde_json::from_str(&args.args)
            .context("the arguments are not valid JSON\nhint: give a JSON object: '{\"amount\": 50}'")?;
        let (session, run) = (args.session.map(SessionId::new), args.run.map(RunId::new));
        let credential = |origin: &String| CredentialUse::supposed(None, origin, true);
        let credentials: Vec<CredentialUse> = args.credentials.iter().map(credential).collect();
        let explanation = engine.explain(&PolicyRequest {
            principal: &principal,
            tool: &tool,
            arguments: &arguments,
            session: session.as_ref(),
            agent: args.agent.as_ref(),
            template: args.template,
            run: run.as_ref(),
            task: args.task.as_deref(),
            credentials: &credentials,
        });
        if self.context.global.json {
            put!("{}", json_text(&explanation));
        } else {
            put!("{}", render::explanation(&explanation, &principal, &tool));
        }
        // The answer is about the written policies; whether they are in force is another question.
        talk!("{}", self.in_force.told(Some(engine.version())));
        Ok(ExitCode::SUCCESS)
    }

    fn tool(&self, name: &str) -> anyhow::Result<Arc<Tool>> {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name.as_str() == name) {
            return Ok(tool.clone());
        }
        if let Some(action) = Tool::action_named(name)
            && self.tools.iter().any(|tool| tool.server == action.server)
        {
            return Ok(Arc::new(action));
        }
        if self.tools.is_empty() {
            bail!("{NO_TOOLS}");
        }
        let likeness = |tool: &&Arc<Tool>| strsim::jaro_winkler(tool.name.as_str(), name);
        let nearest = self.tools.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        match nearest.filter(|tool| likeness(tool) > NEAR_ENOUGH) {
            Some(nearest) => {
                bail!("there is no tool {name:?}\nhint: did you mean {}?", printable(nearest.name.as_str()))
            }
            None => bail!(
                "there is no tool {name:?}\nhint: tools are named server:tool; `toolgate policy table` shows them"
            ),
        }
    }

    fn test(&self, files: Vec<PathBuf>) -> anyhow::Result<ExitCode> {
        let paths = match (files.is_empty(), &self.config.policy.folder) {
            (false, _) => files,
            (true, Some(folder)) => vec![folder.clone()],
            (true, None) => bail!(
                "there is no policy folder to look for tests in\nhint: set `folder` below `[policy]`, or name the files"
            ),
        };
        let outcomes = run_tests(&paths, &self.engine()?, &self.tools)?;
        let failed = outcomes.iter().filter(|outcome| !outcome.passed()).count();
        if self.context.global.json {
            put!("{}", json_text(&outcomes));
        } else {
            put!("{}", render::tests(&outcomes));
        }
        if outcomes.is_empty() {
            talk!(
                "no tests were found\nhint: tests are files whose names end in {}",
                toolgate_policy::TEST_SUFFIX
            );
        }
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn table(&self) -> anyhow::Result<ExitCode> {
        let engine = self.engine()?;
        if self.tools.is_empty() {
            bail!("{NO_TOOLS}");
        }
        let actors = actors();
        let tools: Vec<(&str, Arc<Tool>)> =
            self.tools.iter().map(|tool| (tool.name.as_str(), tool.clone())).collect();
        if self.context.global.json {
            put!("{}", json_text(&table_for_programs(&engine, &actors, &tools)?));
            return Ok(ExitCode::SUCCESS);
        }
        put!("{}", printable(&table(&engine, &actors, &tools, &PolicyTemplate::ALL)?));
        talk!("calls without arguments; in force is {}", engine.template().as_str());
        Ok(ExitCode::SUCCESS)
    }

    fn schema(&self) -> anyhow::Result<ExitCode> {
        if self.tools.is_empty() {
            bail!("{NO_TOOLS}");
        }
        let schema = schema_for(&self.tools)?.text;
        if self.context.global.json {
            say!("{}", json!({ "schema": schema, "tools": self.tools.len() }));
        } else {
            put!("{}", printable(&schema));
            if !schema.ends_with('\n') {
                say!("");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn principal(args: &ExplainArgs) -> Principal {
    let role: Role = args.role.into();
    let kind = args.kind.map_or(role.usual_kind(), PrincipalKind::from);
    let groups = args.groups.clone().into();
    Principal { id: PrincipalId::new(&args.principal), kind, role, groups }
}

fn table_for_programs(
    engine: &PolicyEngine,
    actors: &[(&str, Principal)],
    tools: &[(&str, Arc<Tool>)],
) -> anyhow::Result<Vec<Value>> {
    let mut told = Vec::new();
    for template in PolicyTemplate::ALL {
        for row in TableLevels::of(engine, &[template])?.decisions(actors, tools) {
            let cell = row.cells.first().expect("one level was asked for");
            told.push(json!({
                "actor": row.actor,
                "tool": row.tool,
                "template": template,
                "verdict": cell.verdict,
                "summary": cell.summary,
            }));
        }
    }
    Ok(told)
}
