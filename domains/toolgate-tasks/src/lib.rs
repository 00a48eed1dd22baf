#![doc = include_str!("../README.md")]

mod catch_up;
mod checks;
mod desk;
mod follower;
mod jitter;
mod overlap;
mod refusal;
mod schedule;
mod scheduler;
mod starting;
mod tasks;
mod tools;
mod triggers;
mod unreadable;
mod view;
mod words;

pub use desk::{TasksPace, TasksSetup};
pub use tasks::Tasks;
pub use tools::{
    ActionDesk, ActionVote, ForcedAnswer, ForcedCall, ForcedCalls, TaskFiles, TaskToolParts, TaskTools,
    VoteWord, domain,
};
pub use view::{
    AutomationPage, CATCH_UP_SECONDS_USUAL, FirePage, NewAutomation, TaskSchedule, TaskStart, WebhookKeys,
    WebhookRequest,
};
