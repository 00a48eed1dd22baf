//! The domain `run`: runs as agents read them. An agent sees the runs that it works in.

mod output;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::id::RunId;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::{CallKind, Run, RunState};
use toolgate_core::{PrincipalId, Refusal, Role, codes};
use toolgate_domain::{Domain, ToolContext, ToolDefinition, ToolReply, midnight_ms};

use crate::refusal::unknown_run;
use crate::runs::Runs;
use crate::view::RunQuery;
use output::RunOutput;

const FLAT_NAMES_END_MS: i64 = midnight_ms(2027, 12, 1);
const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;

const GET: ToolDefinition =
    ToolDefinition::reads("run.get", "Show a run", "Shows a run: state, budget, input and output.")
        .old_names(&[OldName { name: "get_run", until_ms: FLAT_NAMES_END_MS }])
        .kind(CallKind::Control);

const LIST: ToolDefinition = ToolDefinition::reads(
    "run.list",
    "List runs",
    "Lists runs, newest first: yours, or within a run those that it started.",
)
.old_names(&[OldName { name: "list_runs", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

/// The tools over runs.
pub fn domain() -> Domain<Runs> {
    Domain::new().tool(GET, get).tool(LIST, list)
}

#[derive(Deserialize, JsonSchema)]
struct GetRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct ListRunsArguments {
    /// Only runs in this state
    #[schemars(extend("enum" = ["pending", "running", "paused", "completed", "partial", "failed", "cancelled"]))]
    status: Option<String>,
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
    /// next_cursor of the page before
    cursor: Option<String>,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
struct ListRunsOutput {
    runs: Vec<RunOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// The runs that a caller sees.
enum VisibleRuns<'a> {
    All,
    OfPrincipal(&'a PrincipalId),
    /// This run and those that it started.
    Within(&'a RunId),
    None,
}

impl<'a> VisibleRuns<'a> {
    fn of(context: &'a ToolContext) -> Self {
        let holder = &context.holder;
        match (&holder.run, holder.principal.role) {
            (Some(run), _) => VisibleRuns::Within(run),
            // A session that was opened for something else has no business in other runs of its principal.
            (None, _) if holder.opened_by.is_some() => VisibleRuns::None,
            (None, Role::Admin | Role::Operator | Role::Auditor) => VisibleRuns::All,
            (None, _) => VisibleRuns::OfPrincipal(&holder.principal.id),
        }
    }

    fn has(&self, run: &Run) -> bool {
        match self {
            VisibleRuns::All => true,
            VisibleRuns::OfPrincipal(own) => run.principal == **own || run.created_by == **own,
            VisibleRuns::Within(own) => run.id == **own || run.parent.as_ref() == Some(*own),
            VisibleRuns::None => false,
        }
    }
}

async fn get(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: GetRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let id = match arguments.run_id {
        Some(id) => RunId::new(id),
        None => context.run()?.clone(),
    };
    let run = runs.get(&id).await?;
    if !VisibleRuns::of(&context).has(&run) {
        return Err(unknown_run(&id));
    }
    let artifacts = run.output.iter().map(|one| ObjectRef::Artifact { sha256: one.artifact });
    let refs: Vec<ObjectRef> = [ObjectRef::Run { id }].into_iter().chain(artifacts).collect();
    Ok(ToolReply::new(RunOutput::at(&run, context.now_ms)).refs(refs))
}

async fn list(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: ListRunsArguments,
) -> Result<ToolReply<ListRunsOutput>, Refusal> {
    let state = arguments.status.as_deref().map(state).transpose()?;
    let (principal, parent) = match VisibleRuns::of(&context) {
        VisibleRuns::All => (None, None),
        VisibleRuns::OfPrincipal(own) => (Some(own.clone()), None),
        VisibleRuns::Within(own) => (None, Some(own.clone())),
        VisibleRuns::None => {
            return Ok(ToolReply::new(ListRunsOutput { runs: Vec::new(), next_cursor: None }));
        }
    };
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let query = RunQuery { state, task: None, principal, parent, cursor: arguments.cursor, limit };
    let page = runs.list(query).await?;
    let refs: Vec<ObjectRef> = page.runs.iter().map(|run| ObjectRef::Run { id: run.id.clone() }).collect();
    let runs = page.runs.iter().map(|run| RunOutput::at(run, context.now_ms)).collect();
    Ok(ToolReply::new(ListRunsOutput { runs, next_cursor: page.next }).refs(refs))
}

fn state(name: &str) -> Result<RunState, Refusal> {
    RunState::parse(name).ok_or_else(|| {
        Refusal::new(&codes::INVALID_ARGUMENTS, format!("{name:?} is no state of a run")).field("status")
    })
}
