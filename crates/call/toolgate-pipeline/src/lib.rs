#![doc = include_str!("../README.md")]

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

pub use answer::{Answer, AnswerBody, CallRefusal, Counsel};
pub use call::{
    Account, CallContext, CallRequest, Clean, Client, Delivered, Executor, Keep, Labels, Load, Patience,
    Pipeline, Round, Settings, Setup, Tokens, Undelivered, WhenDown,
};
pub use envelope::{Envelope, META_KEY, Warning};
pub use ticket::Received;

#[cfg(test)]
mod tests;
