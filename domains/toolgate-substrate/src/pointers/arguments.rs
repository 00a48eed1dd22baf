//! The arguments of the tools over pointers, and how they are read.

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::pointer::{PointerKind, PointerPath};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes};

use super::refusal::{bad_path, of_gateway};
use crate::digests::read_manifest;

pub(super) const PAGE_MAX: u16 = 500;
const PAGE_USUAL: u16 = 100;
const REASON_CHARS_MAX: usize = 500;
const DESCRIPTION_CHARS_MAX: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListPointersArguments {
    /// A namespace, or a pattern over namespaces such as project/*. Usually all that you see
    pub(super) namespace: Option<String>,
    #[schemars(extend("enum" = ["bundle", "corpus", "snapshot"]))]
    pub(super) pointer_type: Option<String>,
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    pub(super) limit: u16,
    /// next_cursor of the page before
    pub(super) cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ResolvePointerArguments {
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreatePointerArguments {
    pub(super) namespace: String,
    /// Letters, digits, -, _, . and /
    pub(super) name: String,
    /// bundle moves freely, corpus when people agree, snapshot never
    #[serde(default = "usual_kind")]
    #[schemars(extend("enum" = ["bundle", "corpus", "snapshot"]))]
    pub(super) pointer_type: String,
    /// The manifest that it leads to. A corpus begins without one
    pub(super) manifest_sha256: Option<String>,
    pub(super) description: Option<String>,
    pub(super) reason: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AdvancePointerArguments {
    pub(super) namespace: String,
    pub(super) name: String,
    /// The manifest to move to
    pub(super) manifest_sha256: String,
    /// The manifest that it leads to now; the move is refused if it leads elsewhere
    pub(super) expected_sha256: Option<String>,
    /// Kept in its history
    pub(super) reason: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PromotePointerArguments {
    /// The namespace of the corpus
    pub(super) namespace: String,
    /// The name of the corpus
    pub(super) name: String,
    /// The manifest to move to; or name a source
    pub(super) manifest_sha256: Option<String>,
    /// The pointer whose manifest is promoted, usually a bundle
    pub(super) source_name: Option<String>,
    /// Its namespace, if it is another one
    pub(super) source_namespace: Option<String>,
    /// The manifest that the corpus leads to now. Leave it out while the corpus is empty
    pub(super) expected_sha256: Option<String>,
    /// Kept in its history
    pub(super) reason: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RevertPointerArguments {
    pub(super) namespace: String,
    pub(super) name: String,
    /// A manifest of its history; usually the one before
    pub(super) manifest_sha256: Option<String>,
    /// The manifest that it leads to now; the move is refused if it leads elsewhere
    pub(super) expected_sha256: Option<String>,
    /// Kept in its history
    pub(super) reason: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PointerHistoryArguments {
    pub(super) namespace: String,
    pub(super) name: String,
    /// An earlier pointer of this name, by its id
    pub(super) pointer_id: Option<String>,
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    pub(super) limit: u16,
    /// next_cursor of the page before
    pub(super) cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DeletePointerArguments {
    pub(super) namespace: String,
    pub(super) name: String,
    /// The manifest that it leads to now; it stays if it leads elsewhere
    pub(super) expected_sha256: Option<String>,
    /// Kept in its history
    pub(super) reason: Option<String>,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

fn usual_kind() -> String {
    PointerKind::Bundle.as_str().to_owned()
}

pub(super) fn path(namespace: &str, name: &str) -> Result<PointerPath, Refusal> {
    PointerPath::new(namespace, name).map_err(|error| bad_path(&error))
}

/// The path of a pointer that a tool changes. Those of the gateway's own change by themselves.
pub(super) fn changeable_path(namespace: &str, name: &str) -> Result<PointerPath, Refusal> {
    match path(namespace, name)? {
        own if own.is_own() => Err(of_gateway(&own)),
        path => Ok(path),
    }
}

pub(super) fn kind(text: &str) -> Result<PointerKind, Refusal> {
    PointerKind::parse(text).ok_or_else(|| {
        Refusal::new(&codes::INVALID_ARGUMENTS, format!("{text:?} is no kind of a pointer"))
            .hint("bundle, corpus or snapshot")
            .field("pointer_type")
    })
}

pub(super) fn expected(text: Option<&str>) -> Result<Option<ManifestDigest>, Refusal> {
    text.map(|text| read_manifest(text, "expected_sha256")).transpose()
}

pub(super) fn reason(text: Option<String>) -> Result<String, Refusal> {
    at_most(text, REASON_CHARS_MAX, "reason")
}

pub(super) fn description(text: Option<String>) -> Result<String, Refusal> {
    at_most(text, DESCRIPTION_CHARS_MAX, "description")
}

fn at_most(text: Option<String>, max: usize, argument: &'static str) -> Result<String, Refusal> {
    let text = text.unwrap_or_default();
    match text.chars().count() <= max {
        true => Ok(text),
        false => {
            let message = format!("the {argument} of a pointer has at most {max} characters");
            let hint = "shorten it, or put it into the manifest as an entry";
            Err(Refusal::new(&codes::BAD_POINTER, message).hint(hint).field(argument))
        }
    }
}
