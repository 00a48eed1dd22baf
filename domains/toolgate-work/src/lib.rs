#![doc = include_str!("../README.md")]

mod attending;
mod desk;
mod ending;
mod outcome;
mod refusal;
mod starting;
mod waiting;
mod worker;

pub use desk::{WorkDesk, WorkSettings, WorkSetup};
pub use outcome::{PROBLEMS_NAMED_MAX, WorkFault};
pub use starting::{StartedWork, WorkOrder};
pub use toolgate_store::WorkState;
pub use waiting::WorkView;
pub use worker::{WorkEnd, WorkItem, WorkProgress, Worker};
