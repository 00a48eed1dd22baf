//! Requests and answers as stand-ins see them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use url::form_urlencoded;

use super::pages::PageManner;

/// A received request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProviderRequest {
    pub method: String,
    /// `http://127.0.0.1:4711`
    pub origin: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Names in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// What a stand-in answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProviderAnswer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// Credentials that are not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignedOut {
    Unknown,
    Expired,
    Revoked,
}

/// One provider: what it keeps, and what it answers.
pub trait Provider: Send + 'static {
    /// The path under which its API begins.
    const BASE_PATH: &'static str;

    /// Carries a request out. Everything that changes something adds a line to the effects.
    fn answer(
        &mut self,
        request: &ProviderRequest,
        manner: PageManner,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer;

    fn signed_out(&self, how: SignedOut) -> ProviderAnswer;

    /// The body and the headers of a 429, but for the time.
    fn limited(&self) -> ProviderAnswer;

    fn needs_token(&self, _request: &ProviderRequest) -> bool {
        true
    }
}

impl ProviderRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// The body: JSON as it is, a form as an object of texts, otherwise null.
    pub fn content(&self) -> Value {
        let media_type = self.header("content-type").unwrap_or_default();
        if media_type.starts_with("application/x-www-form-urlencoded") {
            let pairs = form_urlencoded::parse(&self.body).into_owned();
            let object: Map<String, Value> = pairs.map(|(name, value)| (name, Value::from(value))).collect();
            return Value::Object(object);
        }
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A parameter of the query, or a member of the body, as text.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        if let Some(value) = self.query.get(name) {
            return Some(value.clone());
        }
        match self.content().get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.parameter(name)?.parse().ok()
    }
}

impl ProviderAnswer {
    pub(super) fn json(status: u16, value: &Value) -> Self {
        let headers = vec![("content-type", "application/json; charset=utf-8".to_owned())];
        Self { status, headers, body: value.to_string().into_bytes() }
    }

    pub(super) fn bytes(status: u16, media_type: &str, body: Vec<u8>) -> Self {
        Self { status, headers: vec![("content-type", media_type.to_owned())], body }
    }

    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }
}
