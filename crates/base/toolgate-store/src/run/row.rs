//! One run as columns.

use serde_json::Value;
use toolgate_core::id::{RunId, SessionId, TaskId};
use toolgate_core::run::{
    BudgetUsage, InputFile, Run, RunBudget, RunLabel, RunManifests, RunReport, RunState,
};
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, PrincipalId};

use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;

/// Longer than any real wait, and short enough to be multiplied and added to a time.
const SECONDS_MAX: u64 = 1_000 * 365 * 24 * 3_600;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT id, root, depth, parent, task, agent, principal, created_by, session, state, reason, summary, input, \
             output, budget_calls, budget_seconds, budget_bytes, budget_turns, budget_tokens, budget_cost, used_calls, used_bytes, \
             active_ms, used_turns, used_tokens, used_cost, ran_out_of, created_at_ms, started_at_ms, state_since_ms, ended_at_ms, row_version, run_type, name, config, made_in, \
             input_manifest, output_manifest, result, error, end_request, events FROM runs",
            $conditions
        )
    };
}

pub(super) const SELECT: &str = select!("");
pub(super) const READ: &str = select!(" WHERE tenant = $1 AND id = $2");
/// The root of a run never changes, so there is no race between the two.
pub(super) const READ_ROOT: &str =
    select!(" WHERE tenant = $1 AND id = (SELECT root FROM runs WHERE tenant = $1 AND id = $2)");
pub(super) const READ_OPEN_CHILDREN: &str =
    select!(" WHERE tenant = $1 AND parent = $2 AND ended_at_ms IS NULL ORDER BY id");
pub(super) const COUNT_OPEN: &str =
    "SELECT COUNT(*) FROM runs WHERE tenant = $1 AND root = $2 AND ended_at_ms IS NULL";
/// Driven runs have `$4` more, for their closing turn.
pub(super) const DUE: &str = "SELECT id FROM runs
    WHERE tenant = $1 AND state = 'running' AND budget_seconds IS NOT NULL
        AND active_ms + ($2 - state_since_ms) >= budget_seconds * 1000
        AND (active_ms + ($2 - state_since_ms) >= budget_seconds * 1000 + $4
            OR NOT EXISTS (SELECT 1 FROM run_loops WHERE run_loops.tenant = runs.tenant AND run_loops.run = runs.id))
    ORDER BY state_since_ms, id LIMIT $3";
/// Driven runs that never got their loop.
pub(super) const UNLED: &str = "SELECT id FROM runs
    WHERE tenant = $1 AND is_driven = 1 AND state = 'pending' AND created_at_ms <= $2
        AND NOT EXISTS (SELECT 1 FROM run_loops WHERE run_loops.tenant = runs.tenant AND run_loops.run = runs.id)
    ORDER BY created_at_ms, id LIMIT $3";
pub(super) const INSERT: &str =
    "INSERT INTO runs (tenant, id, root, depth, parent, task, agent, principal, created_by,
        session, state, reason, summary, input, budget_calls, budget_seconds, budget_bytes, budget_turns, budget_tokens,
        budget_cost, used_calls, used_bytes, active_ms, used_turns, used_tokens, used_cost, created_at_ms, started_at_ms, state_since_ms, ended_at_ms, row_version, run_type, name, config,
        made_in, input_manifest, events)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37)";
pub(super) const SAVE: &str = "UPDATE runs SET session = $3, state = $4, reason = $5, summary = $6, input = $7,
        output = $8, used_calls = $9, used_bytes = $10, active_ms = $11, ran_out_of = $12, started_at_ms = $13,
        state_since_ms = $14, ended_at_ms = $15, row_version = $16, output_manifest = $17, result = $18, error = $19,
        end_request = $20, events = $21, used_turns = $22, used_tokens = $23, used_cost = $24
    WHERE tenant = $1 AND id = $2";

/// A run with the fields that only the store knows.
#[derive(Clone, Debug)]
pub(crate) struct StoredRun {
    pub(crate) run: Run,
    pub(super) root: RunId,
    /// The number of runs above it.
    pub(super) depth: u64,
    /// The artifacts that it names as its output. `None` means all that it stored.
    pub(super) output: Option<Vec<Digest>>,
    /// The limit that refused a call, or let the model have its last turn.
    pub(crate) ran_out_of: Option<String>,
    /// The digest of the request that ended it, if a tool did.
    pub(super) end_request: Option<Digest>,
}

impl StoredRun {
    /// In the order of `INSERT`.
    pub(super) fn push_new(&self, tenant: &'static str, to: &mut SqlStatement<'_>) {
        let run = &self.run;
        to.push(tenant);
        to.push(without_nul(run.id.as_str()));
        to.push(without_nul(self.root.as_str()));
        to.push(stored_count(self.depth));
        to.push(run.parent.as_ref().map(|parent| without_nul(parent.as_str())));
        to.push(run.task.as_ref().map(|task| without_nul(task.as_str())));
        to.push(run.agent.as_str());
        to.push(without_nul(run.principal.as_str()));
        to.push(without_nul(run.created_by.as_str()));
        to.push(run.session.as_ref().map(|session| without_nul(session.as_str())));
        to.push(run.state.as_str());
        to.push(run.reason.as_deref().map(without_nul));
        to.push(run.summary.as_deref().map(without_nul));
        to.push(json(&run.input));
        push_budget(&run.budget, to);
        to.push(stored_count(run.used.calls));
        to.push(stored_count(run.used.bytes));
        to.push(stored_count(run.used.active_ms));
        push_spending(&run.used, to);
        to.push(run.created_at_ms);
        to.push(run.started_at_ms);
        to.push(run.state_since_ms);
        to.push(run.ended_at_ms);
        to.push(stored_count(run.row_version));
        to.push(run.label.run_type.as_deref().map(without_nul));
        to.push(run.label.name.as_deref().map(without_nul));
        to.push(run.label.config.as_ref().map(json));
        to.push(run.label.made_in.as_ref().map(|session| without_nul(session.as_str())));
        to.push(run.manifests.input.map(stored_digest));
        to.push(stored_count(run.events));
    }

    /// In the order of `SAVE`.
    pub(super) fn push_changed(&self, tenant: &'static str, to: &mut SqlStatement<'_>) {
        let run = &self.run;
        to.push(tenant);
        to.push(without_nul(run.id.as_str()));
        to.push(run.session.as_ref().map(|session| without_nul(session.as_str())));
        to.push(run.state.as_str());
        to.push(run.reason.as_deref().map(without_nul));
        to.push(run.summary.as_deref().map(without_nul));
        to.push(json(&run.input));
        to.push(self.output.as_ref().map(json));
        to.push(stored_count(run.used.calls));
        to.push(stored_count(run.used.bytes));
        to.push(stored_count(run.used.active_ms));
        to.push(self.ran_out_of.as_deref());
        to.push(run.started_at_ms);
        to.push(run.state_since_ms);
        to.push(run.ended_at_ms);
        to.push(stored_count(run.row_version));
        to.push(run.manifests.output.map(stored_digest));
        to.push(run.report.result.as_ref().map(json));
        to.push(run.report.error.as_ref().map(json));
        to.push(self.end_request.map(stored_digest));
        to.push(stored_count(run.events));
        push_spending(&run.used, to);
    }
}

fn stored_digest(digest: Digest) -> Vec<u8> {
    digest.as_bytes().to_vec()
}

/// Turns, tokens, cost.
fn push_spending(used: &BudgetUsage, to: &mut SqlStatement<'_>) {
    to.push(stored_count(used.turns));
    to.push(stored_count(used.tokens));
    to.push(stored_count(used.cost_micros));
}

/// Calls, seconds, bytes, turns, tokens, cost.
pub(super) fn push_budget(budget: &RunBudget, to: &mut SqlStatement<'_>) {
    to.push(budget.calls.map(stored_count));
    to.push(budget.seconds.map(|seconds| stored_count(seconds.min(SECONDS_MAX))));
    to.push(budget.bytes.map(stored_count));
    to.push(budget.turns.map(stored_count));
    to.push(budget.tokens.map(stored_count));
    to.push(budget.cost_micros.map(stored_count));
}

pub(crate) fn json(value: &(impl serde::Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("our own types serialise: string keys, no failing impls")
}

row! {
    pub(super) struct RunRow {
        id: String,
        root: String,
        depth: i64,
        parent: Option<String>,
        task: Option<String>,
        agent: String,
        principal: String,
        created_by: String,
        session: Option<String>,
        state: String,
        reason: Option<String>,
        summary: Option<String>,
        input: String,
        output: Option<String>,
        budget_calls: Option<i64>,
        budget_seconds: Option<i64>,
        budget_bytes: Option<i64>,
        budget_turns: Option<i64>,
        budget_tokens: Option<i64>,
        budget_cost: Option<i64>,
        used_calls: i64,
        used_bytes: i64,
        active_ms: i64,
        used_turns: i64,
        used_tokens: i64,
        used_cost: i64,
        ran_out_of: Option<String>,
        created_at_ms: i64,
        started_at_ms: Option<i64>,
        state_since_ms: i64,
        ended_at_ms: Option<i64>,
        row_version: i64,
        run_type: Option<String>,
        name: Option<String>,
        config: Option<String>,
        made_in: Option<String>,
        input_manifest: Option<Vec<u8>>,
        output_manifest: Option<Vec<u8>>,
        result: Option<String>,
        error: Option<String>,
        end_request: Option<Vec<u8>>,
        events: i64,
    }
}

impl RunRow {
    /// Without its output.
    pub(super) fn read(self, doing: &'static str) -> Result<StoredRun, StoreError> {
        let bad = |what| move |_| unreadable(doing, what);
        let input: Vec<InputFile> = serde_json::from_str(&self.input).map_err(bad("input of a run"))?;
        let output = self.output.as_deref().map(serde_json::from_str).transpose();
        let report = RunReport {
            result: read_json(self.result.as_deref(), doing)?,
            error: read_json(self.error.as_deref(), doing)?,
        };
        let manifests = RunManifests {
            input: read_digest(self.input_manifest, doing)?,
            output: read_digest(self.output_manifest, doing)?,
        };
        let run = Run {
            id: RunId::new(self.id),
            task: self.task.map(TaskId::new),
            parent: self.parent.map(RunId::new),
            agent: read_agent(&self.agent, doing)?,
            principal: PrincipalId::new(&self.principal),
            created_by: PrincipalId::new(&self.created_by),
            session: self.session.map(SessionId::new),
            state: RunState::parse(&self.state).ok_or(unreadable(doing, "state of a run"))?,
            reason: self.reason,
            summary: self.summary,
            input,
            output: Vec::new(),
            label: RunLabel {
                run_type: self.run_type,
                name: self.name,
                config: read_json(self.config.as_deref(), doing)?,
                made_in: self.made_in.map(SessionId::new),
            },
            manifests,
            report,
            events: read_count(self.events),
            budget: read_budget([
                self.budget_calls,
                self.budget_seconds,
                self.budget_bytes,
                self.budget_turns,
                self.budget_tokens,
                self.budget_cost,
            ]),
            used: BudgetUsage {
                calls: read_count(self.used_calls),
                bytes: read_count(self.used_bytes),
                active_ms: read_count(self.active_ms),
                turns: read_count(self.used_turns),
                tokens: read_count(self.used_tokens),
                cost_micros: read_count(self.used_cost),
            },
            created_at_ms: self.created_at_ms,
            started_at_ms: self.started_at_ms,
            state_since_ms: self.state_since_ms,
            ended_at_ms: self.ended_at_ms,
            row_version: read_count(self.row_version),
        };
        Ok(StoredRun {
            run,
            root: RunId::new(self.root),
            depth: read_count(self.depth),
            output: output.map_err(bad("output of a run"))?,
            ran_out_of: self.ran_out_of,
            end_request: read_digest(self.end_request, doing)?,
        })
    }
}

fn read_json(text: Option<&str>, doing: &'static str) -> Result<Option<Value>, StoreError> {
    let read = text.map(serde_json::from_str).transpose();
    read.map_err(|_| unreadable(doing, "JSON of a run"))
}

fn read_digest(bytes: Option<Vec<u8>>, doing: &'static str) -> Result<Option<Digest>, StoreError> {
    let Some(bytes) = bytes else { return Ok(None) };
    let bytes = <[u8; 32]>::try_from(bytes).map_err(|_| unreadable(doing, "digest of a run"))?;
    Ok(Some(Digest::from_bytes(bytes)))
}

/// In the order of `push_budget`.
pub(super) fn read_budget(columns: [Option<i64>; 6]) -> RunBudget {
    let [calls, seconds, bytes, turns, tokens, cost_micros] = columns.map(|column| column.map(read_count));
    RunBudget { calls, seconds, bytes, turns, tokens, cost_micros }
}

pub(super) fn read_agent(name: &str, doing: &'static str) -> Result<AgentName, StoreError> {
    AgentName::new(name).map_err(|_| unreadable(doing, "name of an agent"))
}
