//! Runs on the real binary: the work of agents in them, their questions, their budgets, and their ends.

mod answers;
mod batches;
mod budgets;
mod commands;
mod elicitation;
mod ending;
mod events;
mod guard;
mod repeated;
mod replicas;
mod restarts;
mod steering;
mod tasks;
mod terminal;
mod tools;
pub(crate) mod work;
