//! Budgets in arguments and in answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::run::{BudgetUsage, RunBudget};

/// A missing limit means unlimited.
#[derive(Deserialize, JsonSchema)]
pub(super) struct TaskBudgetArguments {
    /// Calls of data tools
    #[schemars(range(min = 1))]
    calls: Option<u64>,
    /// Not counting pauses
    #[schemars(range(min = 1))]
    seconds: Option<u64>,
    #[schemars(range(min = 1))]
    bytes: Option<u64>,
    /// Answers of the model
    #[schemars(range(min = 1))]
    turns: Option<u64>,
    #[schemars(range(min = 1))]
    tokens: Option<u64>,
    /// Millionths of a currency unit
    #[schemars(range(min = 1))]
    cost_micros: Option<u64>,
}

impl From<TaskBudgetArguments> for RunBudget {
    fn from(given: TaskBudgetArguments) -> Self {
        let TaskBudgetArguments { calls, seconds, bytes, turns, tokens, cost_micros } = given;
        Self { calls, seconds, bytes, turns, tokens, cost_micros }
    }
}

/// A missing limit means unlimited.
#[derive(Serialize, JsonSchema)]
pub(super) struct TaskBudgetOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
}

impl From<RunBudget> for TaskBudgetOutput {
    fn from(budget: RunBudget) -> Self {
        let RunBudget { calls, seconds, bytes, turns, tokens, cost_micros } = budget;
        Self { calls, seconds, bytes, turns, tokens, cost_micros }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct UsedBudgetOutput {
    calls: u64,
    seconds: u64,
    bytes: u64,
    turns: u64,
    tokens: u64,
    /// Millionths of a currency unit
    cost_micros: u64,
}

impl From<BudgetUsage> for UsedBudgetOutput {
    fn from(used: BudgetUsage) -> Self {
        Self {
            calls: used.calls,
            seconds: used.active_ms / 1_000,
            bytes: used.bytes,
            turns: used.turns,
            tokens: used.tokens,
            cost_micros: used.cost_micros,
        }
    }
}
