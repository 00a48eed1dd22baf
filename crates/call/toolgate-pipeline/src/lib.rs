#![doc = include_str!("../README.md")]

// The path of a call.
mod call;
mod pipeline;
mod steps;
mod ticket;

// Its input, its output and its two sides.
mod answer;
mod delivery;
mod envelope;
mod ports;
mod request;
mod settings;

// The checks of arguments and results.
pub mod canonical;
pub mod filter;
pub mod redact;
pub mod schema;

// Approvals, while people decide.
pub mod desk;
mod difference;
mod flight;
mod held;
mod standing;

// Texts and records.
mod again;
mod question;
mod words;

#[cfg(test)]
mod tests;

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
