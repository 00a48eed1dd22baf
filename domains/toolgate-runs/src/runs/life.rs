//! The start, pause and resumption of runs; and their lists.

use toolgate_core::id::{RunId, SessionId};
use toolgate_core::run::{BudgetUsage, Run, RunState};
use toolgate_core::scope::AgentName;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::RunFilter;

use super::Runs;
use crate::checks;
use crate::refusal::{down, refusal, unknown_run};
use crate::view::{NewRun, RunCallView, RunPage, RunQuery};

/// The reason of a pause or cancellation by an operator.
const OPERATOR: &str = "operator";

impl Runs {
    /// It begins with its first call.
    pub async fn create(&self, new: NewRun) -> Result<Run, Refusal> {
        let input = checks::manifest(new.input)?;
        let task = match &new.task {
            Some(id) => Some(self.task(id).await?),
            None => None,
        };
        let agent = new.agent.or_else(|| task.as_ref()?.agent.clone());
        let act = self.desk.act(&new.created_by);
        let run = Run {
            id: RunId::new(self.desk.clock.fresh_id(RunId::PREFIX)),
            budget: task.as_ref().map_or(new.budget, |task| new.budget.within(task.budget)),
            task: new.task,
            parent: new.parent,
            agent: agent.unwrap_or_else(AgentName::default_agent),
            principal: new.principal,
            created_by: new.created_by.clone(),
            session: None,
            state: RunState::Pending,
            reason: None,
            summary: None,
            input,
            output: Vec::new(),
            used: BudgetUsage::default(),
            created_at_ms: act.at_ms,
            started_at_ms: None,
            state_since_ms: act.at_ms,
            ended_at_ms: None,
            row_version: 1,
        };
        self.desk.books.create_run(run, act).await.map_err(refusal)
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
        let RunQuery { state, task, principal, parent, cursor, limit } = query;
        let cursor = checks::cursor(cursor.as_deref())?;
        let filter = RunFilter { state, task, principal, parent };
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

    /// Pauses a run. Calls in progress continue; no new ones start.
    pub async fn pause(&self, id: &RunId, by: &PrincipalId) -> Result<Run, Refusal> {
        self.desk.books.pause_run(id, OPERATOR, self.desk.act(by)).await.map_err(refusal)?;
        self.get(id).await
    }

    /// Resumes a run. The question that it waits for, if there is one, is cancelled.
    pub async fn resume(&self, id: &RunId, by: &PrincipalId) -> Result<Run, Refusal> {
        let stepped = self.desk.books.resume_run(id, self.desk.act(by)).await.map_err(refusal)?;
        self.desk.tell(&stepped);
        self.get(id).await
    }
}
