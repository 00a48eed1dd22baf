#![doc = include_str!("../README.md")]

mod confiner;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(not(target_os = "linux"))]
#[path = "launch_elsewhere.rs"]
mod launch;
mod means;
mod places;
mod plan;
mod program;
mod words;

pub use confiner::{ConfineError, ConfinementDemand, Confiner, GatewayPaths, ProcessSpec, StartCommand};
pub use launch::{launch, probe};
pub use means::SandboxSupport;
pub use places::hidden_in_home;
