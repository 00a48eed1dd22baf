//! The start, pause and resumption of runs; and their lists.

use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::run::{BudgetUsage, Run, RunManifests, RunReport, RunState};
use toolgate_core::scope::AgentName;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_store::{ActionStamp, LedgerOrder, RunFilter};

use super::Runs;
use crate::checks;
use crate::refusal::{down, refusal, unknown_run};
use crate::view::{NewRun, RunCallView, RunPage, RunQuery};

/// The reason of a pause or cancellation by an operator.
const OPERATOR: &str = "operator";
/// The reason of a pause by the agent itself.
const AGENT: &str = "agent";

impl Runs {
    /// It begins with its first call.
    pub async fn create(&self, new: NewRun) -> Result<Run, Refusal> {
        let run = self.draft(new).await?;
        let (by, at_ms) = (run.created_by.clone(), run.created_at_ms);
        self.desk.books.create_run(run, ActionStamp { by: &by, at_ms }).await.map_err(refusal)
    }

    /// A run that the gateway drives itself. If it has no loop after a while, it fails: the gateway that started it has died.
    pub async fn create_driven(&self, new: NewRun) -> Result<Run, Refusal> {
        let run = self.draft(new).await?;
        let (by, at_ms) = (run.created_by.clone(), run.created_at_ms);
        self.desk.books.create_driven_run(run, ActionStamp { by: &by, at_ms }).await.map_err(refusal)
    }

    pub(super) async fn draft(&self, new: NewRun) -> Result<Run, Refusal> {
        let input = checks::manifest(new.input)?;
        checks::label(&new.label)?;
        let task = match &new.task {
            Some(id) => Some(self.task(id).await?),
            None => None,
        };
        let agent = new.agent.or_else(|| task.as_ref()?.agent.clone());
        let manifest = self.input_manifest(&new.created_by, &input, new.content).await?;
        let now_ms = self.desk.clock.now_ms();
        Ok(Run {
            id: RunId::new(self.desk.clock.fresh_id(RunId::PREFIX)),
            budget: task.as_ref().map_or(new.budget, |task| new.budget.within(task.budget)),
            task: new.task,
            parent: new.parent,
            agent: agent.unwrap_or_else(AgentName::default_agent),
            principal: new.principal,
            created_by: new.created_by,
            session: None,
            state: RunState::Pending,
            reason: None,
            summary: None,
            input,
            output: Vec::new(),
            label: new.label,
            manifests: RunManifests { input: manifest, output: None },
            report: RunReport::default(),
            events: 0,
            used: BudgetUsage::default(),
            created_at_ms: now_ms,
            started_at_ms: None,
            state_since_ms: now_ms,
            ended_at_ms: None,
            row_version: 1,
        })
    }

    /// Its calls are made in this session.
    pub async fn attach_session(&self, run: &RunId, session: &SessionId) -> Result<(), Refusal> {
        let gateway = PrincipalId::gateway();
        let attached = self.desk.books.attach_run_session(run, session, self.desk.act(&gateway)).await;
        attached.map(drop).map_err(refusal)
    }

    pub async fn get(&self, id: &RunId) -> Result<Run, Refusal> {
        let run = self.desk.store.run(id).await.map_err(|error| down(&error))?;
        run.ok_or_else(|| unknown_run(id))
    }

    /// One page, newest first.
    pub async fn list(&self, query: RunQuery) -> Result<RunPage, Refusal> {
        let RunQuery { state, task, principal, parent, made_in, run_type, cursor, limit } = query;
        let cursor = checks::cursor(cursor.as_deref())?;
        let filter = RunFilter { state, task, principal, parent, made_in, run_type };
        let listed = self.desk.store.runs(&filter, cursor.as_ref(), limit).await;
        let (runs, next) = listed.map_err(|error| down(&error))?;
        Ok(RunPage { runs, next: next.map(|next| next.to_string()) })
    }

    /// The number of child runs of a run.
    pub async fn count_children(&self, id: &RunId) -> Result<u64, Refusal> {
        self.desk.store.count_child_runs(id).await.map_err(|error| down(&error))
    }

    /// The admitted calls of a run, oldest first: the latest of them, if there are very many.
    pub async fn calls(&self, id: &RunId) -> Result<Vec<RunCallView>, Refusal> {
        self.get(id).await?;
        let calls = self.desk.store.run_calls(id).await.map_err(|error| down(&error))?;
        Ok(calls.into_iter().map(RunCallView::from).collect())
    }

    /// Starts a run that its agent works in by itself.
    pub async fn begin(&self, id: &RunId, by: &PrincipalId) -> Result<Run, Refusal> {
        self.desk.books.start_run(id, self.desk.act(by)).await.map_err(refusal)?;
        self.get(id).await
    }

    /// Pauses a run. Calls in progress continue; no new ones start.
    pub async fn pause(&self, id: &RunId, by: &PrincipalId) -> Result<Run, Refusal> {
        self.pause_because(id, OPERATOR, by).await
    }

    /// The same for the principal that works in it.
    pub async fn pause_own(&self, id: &RunId, by: &PrincipalId) -> Result<Run, Refusal> {
        self.pause_because(id, AGENT, by).await
    }

    async fn pause_because(&self, id: &RunId, reason: &str, by: &PrincipalId) -> Result<Run, Refusal> {
        self.desk.books.pause_run(id, reason, self.desk.act(by)).await.map_err(refusal)?;
        self.get(id).await
    }

    /// Refuses a run that an operator paused: it waits for an operator. The principal that works in a run resumes what it, or its
    /// question, paused.
    pub async fn check_resumable(&self, run: &Run) -> Result<(), Refusal> {
        // A pause through the API has this reason, whoever asks for it. If its event is no longer in the ledger, an operator decides.
        let is_operators = run.reason.as_deref() == Some(OPERATOR);
        if !is_operators || self.paused_by(&run.id).await?.is_some_and(|by| by == run.principal) {
            return Ok(());
        }
        let message = format!("run {} was paused by an operator of the gateway", run.id);
        Err(Refusal::new(&codes::NOT_ALLOWED, message).hint("only an operator can resume it"))
    }

    /// The principal that paused a run, or whose question did. `None` if the ledger no longer has the event.
    async fn paused_by(&self, id: &RunId) -> Result<Option<PrincipalId>, Refusal> {
        let filter =
            EventFilter { run: Some(id.clone()), kind: Some(EventKind::RunPaused), ..EventFilter::default() };
        let page = self.desk.store.ledger_page(&filter, None, 1, LedgerOrder::NewestFirst).await;
        let page = page.map_err(|error| down(&error))?;
        Ok(page.into_iter().next().map(|paused| paused.event.principal))
    }

    /// Resumes a run. The question that it waits for, if there is one, is cancelled.
    pub async fn resume(&self, id: &RunId, by: &PrincipalId) -> Result<Run, Refusal> {
        let stepped = self.desk.books.resume_run(id, self.desk.act(by)).await.map_err(refusal)?;
        self.desk.tell(&stepped);
        self.get(id).await
    }
}
