//! Worker processes: the program itself, started again, that runs tools and may die of it.
//!
//! Server and worker exchange frames over the worker's stdin and stdout: a [`WorkerJob`] goes in, [`WorkerReply::Taken`],
//! any number of [`WorkerReply::Progress`] and one answer or trouble come out. The worker ends when its stdin does.

pub(crate) mod child;
mod fate;
mod frames;
pub(crate) mod pool;
mod process;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::environment;
use crate::trouble::Trouble;
use crate::work::Progress;

/// Set for workers only.
const WORKER_VARIABLE: &str = "CAPABILITY_WORKER";
/// Tells a worker where refs are.
const REFS_VARIABLE: &str = "CAPABILITY_WORKER_REFS";

pub(crate) fn is_worker() -> bool {
    environment::variable(WORKER_VARIABLE).is_some()
}

/// One call.
#[derive(Serialize, Deserialize)]
pub(crate) struct WorkerJob<'a> {
    pub(crate) tool: Cow<'a, str>,
    pub(crate) arguments: Value,
    pub(crate) telling: ProgressMode,
}

/// The wish for progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProgressMode {
    Progress,
    Nothing,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerReply {
    /// The first message of a worker.
    Ready,
    /// It has read a job and begins. Before that, another worker can be given the same job.
    Taken,
    Progress(Progress),
    Answer(Value),
    Trouble(Trouble),
}
