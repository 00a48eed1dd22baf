#![doc = include_str!("../README.md")]

mod bells;
mod checks;
mod contents;
mod desk;
mod outcome;
mod output;
mod poller;
mod refusal;
mod runs;
mod tools;
mod upkeep;
mod view;
mod waiting;
mod watchers;

pub use contents::{ContentAuthor, RunContents, RunEntry, RunEntryContent, StateAddress, StateBytes};
pub use desk::{OutcomeCheck, RunHalt, RunsSetup, WaitLimits};
pub use refusal::{unknown_input, unknown_run};
pub use runs::{DATA_TOOLS_BEFORE_ASKING, Runs};
pub use toolgate_core::{Refusal, RefusalKind};
pub use tools::{VisibleRuns, changeable_run, domain, visible_run};
pub use view::{
    AskedCompletion, AskedFailure, CallClaim, InputPage, InputQuery, KeyedRun, NewQuestion, NewRun, NewTask,
    RunCallView, RunInput, RunPage, RunQuery, StateSource, TaskPage, WorkCompletion,
};
pub use watchers::{RunWatchers, next_watched};

pub use toolgate_store::{RunCallState, StoredTaskVersion, TaskWords};
