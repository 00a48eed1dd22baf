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
pub use answer::{CallAnswer, CallAnswerBody, CallRefusal, RefusalAdvice};
pub use delivery::{CallAccount, CallPayload, DeliveredReply, DeliveryError, TokenCounts};
pub use envelope::{CallWarning, Envelope, META_KEY};
pub use pipeline::{Pipeline, PipelineSetup};
pub use ports::{Confirmer, Executor, WaitMode};
pub use request::{CallContext, CallRequest, CallerLabels, InputRound};
pub use settings::{BodyRetention, PipelineSettings, WhenDown};
pub use steps::clean::CleanResponse;
pub use ticket::Received;
pub use words::ended_as;

#[cfg(test)]
mod tests;
