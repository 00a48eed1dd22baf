#![doc = include_str!("../README.md")]

mod answer;
mod call;
pub mod canonical;
pub mod desk;
mod envelope;
mod flight;
mod question;
pub mod redact;
pub mod schema;
mod steps;
mod ticket;

pub use answer::{Answer, AnswerBody, Refusal};
pub use call::{
    CallContext, CallRequest, Client, Delivered, Executor, Keep, Labels, Load, Patience, Pipeline, Round,
    Settings, Setup, Undelivered, WhenDown,
};
pub use envelope::{Envelope, META_KEY, OUTPUT_SCHEMA, Warning};
pub use ticket::Received;

#[cfg(test)]
mod tests;
