#![doc = include_str!("../README.md")]

// The entrance, and what sessions need.
mod port;
mod sessions;
mod view;

// Which session, and what it may do.
mod choice;
mod mounts;
mod refusal;
mod rules;
mod versions;

// Sessions in memory.
mod defaults;
mod live;
mod shards;

// Work in the background.
mod desk;
mod follow;
mod keeper;
mod upkeep;
mod usage;

// Events.
mod events;

pub use port::{SessionEnvironment, SessionsSetup};
pub use sessions::Sessions;
pub use toolgate_core::{Refusal, RefusalKind};
pub use view::{
    IDLE_AFTER, NewSession, SessionPage, SessionQuery, SessionState, SessionView, SessionWithToken,
};

pub use toolgate_store::{AgentVersion, SessionEnd, SessionKind};
