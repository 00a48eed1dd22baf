//! A tool's resources besides its arguments: refs to read and make, and progress reports.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::refs::{RefId, RefStore, StoredResult};
use crate::trouble::{Trouble, TroubleCode};

/// The progress of a piece of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    pub done: f64,
    pub total: f64,
    pub message: String,
}

type ProgressCallback = Arc<dyn Fn(Progress) + Send + Sync>;

/// Given to every call.
#[derive(Clone)]
pub struct Work {
    refs: RefStore,
    tell: ProgressCallback,
}

/// A short text literally, a long one as a ref and its beginning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TextOut {
    /// The text, or its beginning if `ref_id` has all of it.
    pub text: String,
    /// The whole text, if it is longer than `text`. Pass it as `source_ref_id`, or read the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<String>,
    /// The number of characters of the whole text.
    pub chars: usize,
    /// True if `text` is only the beginning.
    pub truncated: bool,
}

impl Work {
    /// Texts of more bytes become refs.
    pub const TEXT_BYTES_MAX: usize = 64 << 10;
    /// The shown part of such a text.
    pub const PREVIEW_CHARS: usize = 2_000;

    pub fn new(refs: RefStore, tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { refs, tell: Arc::new(tell) }
    }

    /// For long work: the caller gets it, if it asked for progress.
    pub fn progress(&self, done: f64, total: f64, message: impl Into<String>) {
        (self.tell)(Progress { done, total, message: message.into() });
    }

    /// Stores `bytes` for a while and returns the id for reading them: by this server's tools, and by any
    /// client through `resources/read`.
    pub fn keep(&self, bytes: &[u8], media_type: &str, name: &str) -> Result<RefId, Trouble> {
        self.refs.put(bytes, media_type, name)
    }

    pub fn find(&self, id: &str) -> Result<StoredResult, Trouble> {
        self.refs.get(id)?.ok_or_else(|| {
            Trouble::new(TroubleCode::UnknownRef, format!("this server has no ref {id:?}")).hint(
                "refs expire after a while; call the tool that returned it again, and use the new ref_id",
            )
        })
    }

    /// `text` itself if it is short, else a ref to it.
    pub fn text(&self, text: String, media_type: &str, name: &str) -> Result<TextOut, Trouble> {
        let chars = text.chars().count();
        if text.len() <= Self::TEXT_BYTES_MAX {
            return Ok(TextOut { text, ref_id: None, chars, truncated: false });
        }
        let id = self.keep(text.as_bytes(), media_type, name)?;
        let beginning = text.chars().take(Self::PREVIEW_CHARS).collect();
        Ok(TextOut { text: beginning, ref_id: Some(id.into_string()), chars, truncated: true })
    }
}
