//! One loop as columns.

use toolgate_core::id::RunId;
use toolgate_core::model::{ModelName, ModelUsage, OfferedTool};
use toolgate_core::run::{ActionKind, AgentLoop, LoopState, NewLoop, RequiredAction};

use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::{read_count, read_raw, stored_count, unreadable};
use crate::row::row;
use crate::run::json;

pub(super) const READ: &str = "SELECT run, model, system, tools, outcome_schema, state, action_kind, action_id,
        action_since_ms, action_how, turn, last_message, input, cached, written, output, cost, fold_faults, nudged, fence,
        owner
    FROM run_loops WHERE tenant = $1 AND run = $2";
pub(super) const INSERT: &str =
    "INSERT INTO run_loops (tenant, run, model, system, outcome_schema, state, turn, last_message,
        input, cached, written, output, cost, fold_faults, nudged, fence, lease_until_ms, wake_at_ms, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, 0, 0, 0, 0, 0, 0, 0, $9, $9)";
/// Neither the state, which follows the run, nor the lease.
pub(super) const SAVE: &str =
    "UPDATE run_loops SET tools = $3, turn = $4, last_message = $5, input = $6, cached = $7,
        written = $8, output = $9, cost = $10, fold_faults = $11, nudged = $12
    WHERE tenant = $1 AND run = $2";

/// A loop before its first turn, or one that goes on from a turn of another.
pub(super) fn fresh(new: NewLoop, state: LoopState) -> AgentLoop {
    AgentLoop {
        run: new.run,
        model: new.model,
        // As the database has it.
        system: without_nul(&new.system),
        outcome_schema: new.outcome_schema,
        tools: None,
        state,
        action: None,
        turn: 0,
        last_message: 0,
        usage: ModelUsage::default(),
        cost_micros: 0,
        fence: 0,
        owner: None,
        fold_faults: 0,
        nudged: false,
    }
}

/// In the order of `INSERT`.
pub(super) fn push_new(tenant: &'static str, kept: &AgentLoop, now_ms: i64, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(without_nul(kept.run.as_str()));
    to.push(kept.model.as_str());
    to.push(without_nul(&kept.system));
    to.push(kept.outcome_schema.as_ref().map(|schema| schema.as_str().to_owned()));
    to.push(kept.state.as_str());
    to.push(stored_count(kept.turn));
    to.push(stored_count(kept.last_message));
    to.push(now_ms);
}

/// In the order of `SAVE`.
pub(super) fn push_changed(tenant: &'static str, kept: &AgentLoop, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(without_nul(kept.run.as_str()));
    to.push(kept.tools.as_ref().map(json));
    to.push(stored_count(kept.turn));
    to.push(stored_count(kept.last_message));
    push_usage(kept.usage, kept.cost_micros, to);
    to.push(stored_count(kept.fold_faults));
    to.push(i64::from(kept.nudged));
}

/// Input, cached, written, output, cost.
pub(super) fn push_usage(usage: ModelUsage, cost_micros: u64, to: &mut SqlStatement<'_>) {
    for count in [usage.input, usage.cached, usage.written, usage.output, cost_micros] {
        to.push(stored_count(count));
    }
}

row! {
    pub(super) struct LoopRow {
        run: String,
        model: String,
        system: String,
        tools: Option<String>,
        outcome_schema: Option<String>,
        state: String,
        action_kind: Option<String>,
        action_id: Option<String>,
        action_since_ms: Option<i64>,
        action_how: Option<String>,
        turn: i64,
        last_message: i64,
        input: i64,
        cached: i64,
        written: i64,
        output: i64,
        cost: i64,
        fold_faults: i64,
        nudged: i64,
        fence: i64,
        owner: Option<String>,
    }
}

impl LoopRow {
    pub(super) fn read(self, doing: &'static str) -> Result<AgentLoop, StoreError> {
        let bad = |what| unreadable(doing, what);
        let tools: Option<Vec<OfferedTool>> = self
            .tools
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|_| bad("tools of a loop"))?;
        let schema = self.outcome_schema.map(|schema| read_raw(schema, doing, "schema of a loop"));
        let action = self.action_kind.as_deref().map(|kind| -> Result<RequiredAction, StoreError> {
            Ok(RequiredAction {
                kind: ActionKind::parse(kind).ok_or(bad("action of a loop"))?,
                id: self.action_id.unwrap_or_default(),
                since_ms: self.action_since_ms.unwrap_or_default(),
                how: self.action_how.unwrap_or_default(),
            })
        });
        Ok(AgentLoop {
            run: RunId::new(self.run),
            model: read_model(&self.model, doing)?,
            system: self.system,
            outcome_schema: schema.transpose()?,
            tools,
            state: LoopState::parse(&self.state).ok_or(bad("state of a loop"))?,
            action: action.transpose()?,
            turn: read_count(self.turn),
            last_message: read_count(self.last_message),
            usage: read_usage([self.input, self.cached, self.written, self.output]),
            cost_micros: read_count(self.cost),
            fence: read_count(self.fence),
            owner: self.owner,
            fold_faults: read_count(self.fold_faults),
            nudged: self.nudged != 0,
        })
    }
}

pub(super) fn read_model(name: &str, doing: &'static str) -> Result<ModelName, StoreError> {
    ModelName::new(name).map_err(|_| unreadable(doing, "name of a model"))
}

/// In the order of `push_usage`.
pub(super) fn read_usage(columns: [i64; 4]) -> ModelUsage {
    let [input, cached, written, output] = columns.map(read_count);
    ModelUsage { input, cached, written, output }
}
