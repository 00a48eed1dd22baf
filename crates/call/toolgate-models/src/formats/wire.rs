//! A request as it is sent, whatever the format.

use serde_json::{Map, Value};
use toolgate_core::RawJson;
use toolgate_core::model::{ModelDefinition, ModelRequest};

/// A request in the format of its provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WireRequest {
    /// Appended to the address of the definition; begins with `/`.
    pub(crate) path: String,
    /// All headers of the format, with the type of the body and the key.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: RawJson,
}

/// Streams come as server-sent events or as lines of JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Framing {
    Sse,
    Lines,
}

impl WireRequest {
    /// A request without a key.
    pub(super) fn new(path: impl Into<String>, body: Map<String, Value>) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { path: path.into(), headers, body: RawJson::from(Value::Object(body)) }
    }

    pub(super) fn with(mut self, header: &'static str, value: Option<String>) -> Self {
        self.headers.extend(value.map(|value| (header, value)));
        self
    }

    pub(super) fn with_bearer(self, key: Option<&str>) -> Self {
        self.with("authorization", key.map(|key| format!("Bearer {key}")))
    }
}

/// The maximum number of tokens of an answer: that of the request, and never more than that of the model.
pub(super) fn output_tokens_max(definition: &ModelDefinition, request: &ModelRequest) -> u64 {
    let own = definition.limits.output_tokens_max;
    request.output_tokens_max.map_or(own, |asked| asked.min(own))
}

/// The members of an object of ours.
pub(super) fn members<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Map<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
