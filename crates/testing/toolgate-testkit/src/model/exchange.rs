//! One exchange in any format: the request as it arrived, the facts of its answer, and the signature that goes out with
//! thoughts and comes back with them.

use http::HeaderMap;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The facts of an answer that are not its content.
pub(super) struct StreamFacts {
    /// Counts answers, for ids.
    pub(super) number: usize,
    pub(super) model: String,
    pub(super) input_tokens: usize,
    /// Those of the input that an earlier request had too.
    pub(super) cached_tokens: usize,
    pub(super) output_tokens: usize,
}

/// A request as it arrived.
pub(super) struct RawAsked<'a> {
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: Value,
}

/// The signature of thoughts: the same for the same thoughts, and worth checking when it comes back.
pub(super) fn signature(thinking: &str) -> String {
    Sha256::digest(thinking.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
