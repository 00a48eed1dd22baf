//! Actions: what they ask of the agent, and the requests that they are.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use crate::words::{AnswerKind, EffectsWord, Encoding, Marked, MethodWord, RequestPlace};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionForm {
    pub(crate) name: Marked,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) operation: Option<Marked>,
    pub(crate) method: Option<Spanned<MethodWord>>,
    pub(crate) path: Option<Marked>,
    #[serde(default)]
    pub(crate) answer: AnswerKind,
    pub(crate) effects: Option<EffectsWord>,
    pub(crate) idempotency: Option<Spanned<IdempotencyForm>>,
    pub(crate) result: Option<Marked>,
    pub(crate) pagination: Option<Marked>,
    pub(crate) undo: Option<UndoForm>,
    pub(crate) output: Option<Value>,
    #[serde(default)]
    pub(crate) arguments: BTreeMap<Marked, ArgumentForm>,
    #[serde(default)]
    pub(crate) steps: Vec<StepForm>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArgumentForm {
    pub(crate) schema: Option<Value>,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    pub(crate) constant: Option<Value>,
    pub(crate) place: Option<RequestPlace>,
    pub(crate) name: Option<String>,
    pub(crate) pointer: Option<Marked>,
    pub(crate) encode: Option<Encoding>,
    pub(crate) file_name: Option<String>,
}

/// One request of an action that needs several.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepForm {
    pub(crate) method: Spanned<MethodWord>,
    pub(crate) path: Option<Marked>,
    /// The name of something taken before: the whole address of this request.
    pub(crate) address: Option<Marked>,
    #[serde(default)]
    pub(crate) answer: AnswerKind,
    pub(crate) effects: Option<EffectsWord>,
    /// Names for members of the answer, for later steps.
    #[serde(default)]
    pub(crate) take: BTreeMap<String, Marked>,
    #[serde(default)]
    pub(crate) values: BTreeMap<Marked, ValueForm>,
}

/// A value of a step, from exactly one of its four sources.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueForm {
    pub(crate) argument: Option<String>,
    pub(crate) taken: Option<String>,
    pub(crate) constant: Option<Value>,
    pub(crate) length_of: Option<String>,
    pub(crate) place: RequestPlace,
    pub(crate) name: Option<String>,
    pub(crate) pointer: Option<Marked>,
    pub(crate) encode: Option<Encoding>,
    pub(crate) file_name: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoForm {
    pub(crate) action: Marked,
    /// Its arguments, each by a pointer into the result.
    pub(crate) arguments: BTreeMap<String, Marked>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum IdempotencyForm {
    Word(String),
    Table(IdempotencyTable),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IdempotencyTable {
    pub(crate) header: Option<String>,
    #[serde(default)]
    pub(crate) natural: Vec<String>,
}
