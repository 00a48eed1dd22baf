//! The name of a page of a stream: everything that a round knows between two pages.

use serde::{Deserialize, Serialize};
use serde_json::Value;

const TOKEN_BYTES_MAX: usize = 16 << 10;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamToken {
    /// Pages that were read.
    pub(super) pages: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) high: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<String>,
}

impl StreamToken {
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > TOKEN_BYTES_MAX {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("texts, numbers and JSON can be written")
    }
}
