//! Connectors: servers with another service behind them, such as a mailbox or a database. A gateway asks them two things beyond
//! MCP: to show the request that a call would send, and for one page of a stream of records. No client may ask that.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resident::ResidentFuture;
use crate::trouble::Trouble;

/// The side of a connector that a gateway talks to.
pub trait Connector: Send + Sync + 'static {
    /// The tools whose requests can be shown before they are sent.
    fn previewed(&self) -> Vec<&'static str>;

    /// The names of the streams.
    fn streams(&self) -> Vec<String>;

    /// The request that this call would send, with every secret masked. Nothing is sent.
    fn preview(&self, asked: PreviewQuestion) -> ResidentFuture<Result<CallPreview, Trouble>>;

    /// One page of a stream.
    fn page(&self, asked: PageQuestion) -> ResidentFuture<Result<StreamPage, Trouble>>;
}

/// The parameters of `toolgate/preview`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct PreviewQuestion {
    /// The tool.
    pub name: String,
    #[serde(default)]
    pub arguments: Value,
}

/// The answer to `toolgate/preview`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CallPreview {
    pub request: ShownRequest,
    /// The same for a person.
    pub text: String,
}

/// A request as it would be sent.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ShownRequest {
    pub method: String,
    pub url: String,
    pub headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes: Option<u64>,
}

/// The parameters of `toolgate/stream`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct PageQuestion {
    pub stream: String,
    /// The place where an earlier reading of the stream ended; nothing for all of it.
    #[serde(default)]
    pub cursor: Option<Value>,
    /// The page within this reading; nothing for the first.
    #[serde(default)]
    pub page: Option<String>,
}

/// The answer to `toolgate/stream`.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct StreamPage {
    pub records: Vec<StreamRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page: Option<String>,
    /// The place from which the next reading goes on, once all pages of this one were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Value>,
    pub done: bool,
}

/// One record of a stream.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StreamRecord {
    pub key: String,
    pub value: Value,
    /// The time of its last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<String>,
}

impl ShownRequest {
    /// The form of secrets that are not shown.
    pub const MASK: &'static str = "••••";
}
