#![doc = include_str!("../README.md")]

mod again;
mod answer;
mod call;
pub mod canonical;
pub mod desk;
mod difference;
mod envelope;
pub mod filter;
mod flight;
mod held;
mod question;
pub mod redact;
pub mod schema;
mod standing;
mod steps;
mod ticket;
mod words;

pub use again::read_again;
pub use answer::{Answer, AnswerBody, Counsel, Refusal};
pub use call::{
    Account, CallContext, CallRequest, Clean, Client, Delivered, Executor, Keep, Labels, Load, Patience,
    Pipeline, Round, Settings, Setup, Tokens, Undelivered, WhenDown,
};
pub use envelope::{Envelope, META_KEY, OUTPUT_SCHEMA, Warning};
pub use ticket::Received;
pub use words::ended_as;

#[cfg(test)]
mod tests;
