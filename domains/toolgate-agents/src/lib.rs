#![doc = include_str!("../README.md")]

mod actions;
mod agents;
mod budget;
mod desk;
mod driven;
mod error;
mod folding;
mod framing;
mod held;
mod history;
mod lines;
mod outcome;
mod prompt;
mod repetition;
mod resume;
mod retry;
mod settings;
mod tokens;
mod turn;
mod watch;
mod worker;

pub use agents::{Agents, ChatPage};
pub use desk::AgentsSetup;
pub use settings::AgentsSettings;
pub use watch::LoopPiece;
