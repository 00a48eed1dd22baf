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

pub use port::{SessionEnvironment, SessionsSetup};
pub use sessions::Sessions;
pub use toolgate_core::{Refusal, RefusalKind};
pub use view::{
    IDLE_AFTER, NewSession, SessionPage, SessionQuery, SessionState, SessionView, SessionWithToken,
};

pub use toolgate_store::{AgentVersion, SessionEnd, SessionKind};
