//! Arguments that several tools share, and how they are read.

use engine_protocol::{FilterRule, SearchFilter};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::pointer::PointerPath;
use toolgate_core::substrate::ManifestDigest;

use crate::limits::{TOP_K_MAX, TOP_K_USUAL};
use crate::refusal::{bad_pointer, invalid};
use crate::scope::IndexScope;
use crate::search::IndexQuery;

const PROFILE_USUAL: &str = "docs.default";

pub(super) fn profile_usual() -> String {
    PROFILE_USUAL.to_owned()
}

pub(super) fn top_k_usual() -> u16 {
    TOP_K_USUAL
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PointerArgument {
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Deserialize, JsonSchema, Default)]
pub(super) struct ScopeArgument {
    #[serde(default)]
    pub(super) pointers: Vec<PointerArgument>,
    /// Digests of manifests that were indexed without a pointer
    #[serde(default)]
    pub(super) manifests: Vec<String>,
}

/// All of them hold for every hit.
#[derive(Deserialize, JsonSchema, Default)]
pub(super) struct FiltersArgument {
    /// Paths begin with this
    path_prefix: Option<String>,
    #[serde(default)]
    media_types: Vec<String>,
    /// Of entries of the manifest: a value, or a list of which one has to fit
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl ScopeArgument {
    fn read(self) -> Result<IndexScope, Refusal> {
        let pointer = |one: PointerArgument| {
            PointerPath::new(&one.namespace, &one.name).map_err(|error| bad_pointer(&error))
        };
        let pointers = self.pointers.into_iter().map(pointer).collect::<Result<_, _>>()?;
        let manifests = self.manifests.iter().map(|text| manifest(text)).collect::<Result<_, _>>()?;
        Ok(IndexScope { pointers, manifests })
    }
}

impl FiltersArgument {
    fn read(self) -> SearchFilter {
        let rule = |(key, value): (String, Value)| match value {
            Value::Array(any_of) => FilterRule { key, any_of },
            one => FilterRule { key, any_of: vec![one] },
        };
        SearchFilter {
            path_prefix: self.path_prefix.filter(|prefix| !prefix.is_empty()),
            media_types: self.media_types,
            metadata: self.metadata.into_iter().map(rule).collect(),
        }
    }
}

pub(super) fn query(
    query: String,
    scope: Option<ScopeArgument>,
    profile: String,
    top_k: u16,
    filters: Option<FiltersArgument>,
) -> Result<IndexQuery, Refusal> {
    Ok(IndexQuery {
        query,
        scope: scope.unwrap_or_default().read()?,
        profile,
        top_k: top_k.clamp(1, TOP_K_MAX),
        filter: filters.unwrap_or_default().read(),
    })
}

pub(super) fn manifest(text: &str) -> Result<ManifestDigest, Refusal> {
    text.parse().map_err(|_| {
        invalid("`manifest` is no digest", "manifest").hint("give `sha256:` and 64 hexadecimal digits")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_of_a_filter_is_one_or_any_of_several() {
        let filters: FiltersArgument = serde_json::from_value(
            json!({ "path_prefix": "", "metadata": { "year": 2024, "kind": ["a", "b"] } }),
        )
        .expect("filters");
        let filter = filters.read();
        assert_eq!(filter.path_prefix, None);
        let rule = |key: &str, any_of: Vec<Value>| FilterRule { key: key.to_owned(), any_of };
        let mut rules = filter.metadata;
        rules.sort_by(|one, other| one.key.cmp(&other.key));
        assert_eq!(rules, [rule("kind", vec![json!("a"), json!("b")]), rule("year", vec![json!(2024)])]);
    }

    #[test]
    fn a_scope_names_pointers_and_digests() {
        let scope = json!({ "pointers": [{ "namespace": "project/a", "name": "draft" }], "manifests": [] });
        let scope: ScopeArgument = serde_json::from_value(scope).expect("a scope");
        assert_eq!(scope.read().expect("a scope").pointers[0].to_string(), "project/a:draft");
        let bad = ScopeArgument { pointers: Vec::new(), manifests: vec!["abc".to_owned()] };
        assert!(bad.read().is_err());
    }
}
