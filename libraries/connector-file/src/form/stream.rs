//! Streams: lists that are read whole, or from a cursor on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use super::ArgumentForm;
use crate::words::{CursorFormat, Marked, MethodWord, RequestPlace};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamForm {
    pub(crate) name: Marked,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) operation: Option<Marked>,
    pub(crate) method: Option<Spanned<MethodWord>>,
    pub(crate) path: Option<Marked>,
    pub(crate) records: Marked,
    pub(crate) key: Marked,
    pub(crate) pagination: Option<Marked>,
    pub(crate) cursor: Option<CursorForm>,
    /// Constants alone, since nobody is asked.
    #[serde(default)]
    pub(crate) arguments: BTreeMap<Marked, ArgumentForm>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CursorForm {
    pub(crate) pointer: Marked,
    pub(crate) parameter: String,
    pub(crate) place: Option<RequestPlace>,
    /// Sent while there is no cursor yet; left out, nothing is sent.
    pub(crate) start: Option<Value>,
    #[serde(default)]
    pub(crate) format: CursorFormat,
    /// Records come in the order of the cursor, oldest first.
    #[serde(default)]
    pub(crate) ascending: bool,
}
