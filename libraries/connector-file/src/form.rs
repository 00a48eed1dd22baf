//! A connector file as it is written. Unknown keys are refused, so that a misspelt rule is not a rule that is missing.

mod action;
mod rules;
mod stream;

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

pub(crate) use action::{ActionForm, ArgumentForm, IdempotencyForm, StepForm, UndoForm, ValueForm};
pub(crate) use rules::{
    AuthForm, AuthWord, ClientAuthWord, ErrorForm, FlowWord, OkForm, PageWord, PaginationForm, RateForm,
    RetryForm,
};
pub(crate) use stream::{CursorForm, StreamForm};

use crate::words::Marked;

/// The number alone, which is read before anything else: a newer file may have keys that are unknown here.
#[derive(Deserialize)]
pub(crate) struct SchemaForm {
    pub(crate) schema: Spanned<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileForm {
    #[serde(rename = "schema")]
    pub(crate) _schema: u64,
    pub(crate) provider: Marked,
    pub(crate) title: String,
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) base_url: Option<Marked>,
    pub(crate) document: Option<String>,
    pub(crate) probe: Option<Marked>,
    #[serde(default)]
    pub(crate) hosts: Vec<Marked>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<Marked, String>,
    pub(crate) auth: Option<AuthForm>,
    #[serde(default)]
    pub(crate) retry: RetryForm,
    #[serde(default)]
    pub(crate) rate: RateForm,
    pub(crate) ok: Option<OkForm>,
    #[serde(default)]
    pub(crate) error: ErrorForm,
    #[serde(default)]
    pub(crate) pagination: BTreeMap<Marked, PaginationForm>,
    #[serde(default)]
    pub(crate) actions: Vec<ActionForm>,
    #[serde(default)]
    pub(crate) streams: Vec<StreamForm>,
}
