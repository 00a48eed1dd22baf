//! The domain `run`: the runs there are, for agents that keep their own loop. An agent sees the runs that it works in, and
//! reports into them; another's run looks like one that does not exist.
//!
//! Starting and ending one's own run and reporting into it are writes into the agent's own record (`ToolTrait::OwnRecord`): nothing
//! changes that others rely on, and no level of care keeps an agent from saying what it did.

mod checkpoints;
mod create;
mod ending;
mod events;
mod flat_names;
mod life;
mod notes;
mod output;
mod reading;
mod visible;

use toolgate_domain::Domain;

use crate::runs::Runs;

pub use visible::{VisibleRuns, changeable as changeable_run, seen as visible_run};

/// The tools over runs.
pub fn domain() -> Domain<Runs> {
    Domain::new()
        .tool(create::CREATE, create::create)
        .tool(life::START, life::start)
        .tool(life::PAUSE, life::pause)
        .tool(life::RESUME, life::resume)
        .tool(ending::COMPLETE, ending::complete)
        .tool(ending::FAIL, ending::fail)
        .tool(ending::CANCEL, ending::cancel)
        .tool(reading::GET, reading::get)
        .tool(reading::LIST, reading::list)
        .tool(notes::LOG_STEP, notes::log_step)
        .tool(notes::LOG_TOOL_CALL, notes::log_tool_call)
        .tool(checkpoints::CHECKPOINT, checkpoints::checkpoint)
        .tool(checkpoints::LATEST, checkpoints::latest)
        .tool(events::EVENTS, events::events)
}
