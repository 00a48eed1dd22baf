#![doc = include_str!("../README.md")]

mod choice;
mod defaults;
mod desk;
mod events;
mod follow;
mod keeper;
mod live;
mod mounts;
mod port;
mod refusal;
mod rules;
mod sessions;
mod shards;
mod upkeep;
mod usage;
mod versions;
mod view;

pub use port::{Setup, Surroundings};
pub use sessions::Sessions;
pub use toolgate_core::{Refusal, RefusalKind};
pub use view::{IDLE_AFTER, NewSession, Opened, SessionPage, SessionQuery, SessionState, SessionView};

pub use toolgate_store::{AgentVersion, Closing, SessionKind};
