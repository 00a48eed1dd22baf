//! Runs on the real binary: what agents do in them, whom they ask, what it may cost, and how they end.

mod answers;
mod batches;
mod budgets;
mod commands;
mod elicitation;
mod ending;
mod events;
mod guard;
mod replicas;
mod restarts;
mod steering;
mod tasks;
pub(crate) mod work;
