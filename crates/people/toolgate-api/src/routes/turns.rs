//! The turns of runs: their calls, whoever makes them, and all that a run needs whose agent the gateway drives.

mod halt;
mod offer;
mod outcome;
mod player;
mod refused;
mod rounds;
mod starter;
mod turn;

use std::sync::Arc;

use toolgate_core::run::{RunStarter, TurnPlayer};
use toolgate_runs::RunHalt;

pub(super) use starter::{DrivenStart, LoopFork, StartedDriven, known_model};
pub(super) use turn::{CallTurn, TurnCall};

use crate::ApiContext;

/// The way of the calls of driven runs.
pub(crate) fn turn_player(context: &ApiContext) -> Arc<dyn TurnPlayer> {
    Arc::new(player::SessionPlayer(context.clone()))
}

/// The end of what is under way in runs that have ended.
pub(crate) fn run_halt(context: &ApiContext) -> Arc<dyn RunHalt> {
    Arc::new(halt::WorkHalt::new(context))
}

/// The start and the end of driven runs.
pub(crate) fn run_starter(context: &ApiContext) -> Arc<dyn RunStarter> {
    Arc::new(starter::DrivenStarter(context.clone()))
}
