//! Agents that the gateway runs itself, against a model that follows a script and judges every request. The bank behind the
//! gateway records what reached it.

mod again;
mod approvals;
mod automations;
mod budgets;
mod crashes;
mod faults;
mod hidden;
mod kill_counts;
mod leases;
mod required;
mod servers;
mod stage;
mod tasks;
mod terminal;
mod walk;
mod wrong;
