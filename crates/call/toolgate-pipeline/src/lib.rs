#![doc = include_str!("../README.md")]

mod again;
mod answer;
mod call;
pub mod canonical;
mod delivery;
pub mod desk;
mod difference;
mod envelope;
pub mod filter;
mod flight;
mod held;
mod pipeline;
mod ports;
mod question;
pub mod redact;
mod request;
pub mod schema;
mod settings;
mod standing;
mod steps;
mod ticket;
mod words;

pub use again::read_again;
pub use answer::{Answer, AnswerBody, CallRefusal, Counsel};
pub use delivery::{Account, Delivered, Load, Tokens, Undelivered};
pub use envelope::{Envelope, META_KEY, Warning};
pub use pipeline::{Pipeline, Setup};
pub use ports::{Client, Executor, Patience};
pub use request::{CallContext, CallRequest, Labels, Round};
pub use settings::{Keep, Settings, WhenDown};
pub use steps::clean::Clean;
pub use ticket::Received;
pub use words::ended_as;

#[cfg(test)]
mod tests;
