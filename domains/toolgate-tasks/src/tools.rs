//! The domain `task`: tasks, the runs that the gateway drives for them, and automations, for agents and for programs.
//!
//! A caller sees its own runs, operators see all; another's run looks like one that does not exist. Tasks are definitions of work and
//! are seen by everyone who works here, as over REST.

mod actions;
mod active;
mod automation_create;
mod automation_list;
mod automation_output;
mod budget;
mod chat;
mod flat_names;
mod force;
mod ports;
mod run_create;
mod run_output;
mod run_status;
mod state;
mod task_create;
mod task_output;
mod task_reading;

use toolgate_domain::Domain;

pub use ports::{ActionDesk, ActionVote, ForcedAnswer, ForcedCall, ForcedCalls, TaskFiles, VoteWord};
pub use state::{TaskToolParts, TaskTools};

/// The tools over tasks, their runs and automations.
pub fn domain() -> Domain<TaskTools> {
    Domain::new()
        .tool(task_reading::LIST, task_reading::list)
        .tool(task_reading::GET, task_reading::get)
        .tool(task_create::CREATE, task_create::create)
        .tool(task_create::DELETE, task_create::delete)
        .tool(run_create::CREATE, run_create::create)
        .tool(run_status::STATUS, run_status::status)
        .tool(chat::CHAT, chat::chat)
        .tool(active::ACTIVE, active::active)
        .tool(run_status::CANCEL, run_status::cancel)
        .tool(automation_list::LIST, automation_list::list)
        .tool(automation_create::CREATE, automation_create::create)
        .tool(force::FORCE, force::force)
        .tool(actions::RESOLVE, actions::resolve)
}

#[cfg(test)]
mod tests;
