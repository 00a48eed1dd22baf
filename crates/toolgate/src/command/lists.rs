//! The lists of the API in which more than one command looks up an entry.

use toolgate_core::id::{RunId, TaskId};

use super::pages::ApiList;

pub(super) const RUNS: ApiList = ApiList {
    path: "runs",
    prefix: RunId::PREFIX,
    noun: "run",
    command: "toolgate runs list",
    everything: &[],
};

pub(super) const TASKS: ApiList = ApiList {
    path: "tasks",
    prefix: TaskId::PREFIX,
    noun: "task",
    command: "toolgate tasks list",
    everything: &[],
};
