#![doc = include_str!("../README.md")]

mod connectors;
mod doubts;
mod limits;
mod opening;
mod pages;
mod rate;
mod reach;
mod refusal;
mod requester;
mod roster;
mod sign_in;
mod states;
mod streams;
mod sync;
mod tools;

pub use connectors::{Connectors, ConnectorsSetup};
pub use doubts::follow;
pub use opening::open;
pub use rate::RateRemainder;
pub use roster::ConnectorRoster;
pub use states::{ConnectorState, LastSync};
pub use tools::domain;
