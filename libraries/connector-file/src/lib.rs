#![doc = include_str!("../README.md")]

mod action;
mod auth;
mod build;
mod bytes;
mod call;
mod check;
mod compile;
mod error;
mod file;
#[cfg(test)]
mod fixture;
mod form;
mod judge;
mod pages;
mod plan;
mod pointer;
mod rules;
mod shipped;
mod sign;
mod step;
mod stream;
mod time;
mod tool;
mod undo;
mod words;

pub use action::ConnectorAction;
pub use auth::{AuthRule, KeyPlace, OAuthFlowRule, OAuthRule};
pub use call::{ActionCall, CallTurn};
pub use error::{BadActionArguments, BadConnectorFile};
pub use file::{ConnectorFile, FILE_BYTES_MAX, SCHEMA};
pub use judge::ProviderVerdict;
pub use pages::{PageRule, PageStep, PageTrouble, Pages, next_link};
pub use plan::PlannedRequest;
pub use rules::{ProviderRules, RateLeft, RetryRule, TRIES_MAX};
pub use shipped::{SHIPPED, shipped};
pub use sign::{BadSigningSecret, sign, signature_headers};
pub use stream::{ConnectorStream, StreamCall, StreamPage, StreamRecord, StreamTurn};
pub use tool::ConnectorTool;
pub use undo::UndoCall;
pub use words::{AnswerKind, HeaderOf};
