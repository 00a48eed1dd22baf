//! The thing that an index is about, and the names of indexes and hits.

use std::fmt;

use toolgate_core::pointer::{PointerPath, is_own_namespace};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId, Refusal};

use crate::refusal::{bad_hit, bad_pointer};

/// Pointers to the manifests of indexes.
pub(crate) const INDEXES: &str = "toolgate.index";
/// Manifests that are indexed without a pointer, each named by its digest. There are no such pointers.
const MANIFESTS: &str = "toolgate.manifests";
/// Corpora of the ledger's calls and runs.
const TRACES: &str = "toolgate.traces";
const ALL_TRACES: &str = "calls";

/// A pointer, a manifest without one, or a corpus of traces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IndexSource(PointerPath);

impl IndexSource {
    /// A pointer as a caller names it. One of the gateway's own is refused like one that is not there.
    pub(crate) fn pointer(namespace: &str, name: &str) -> Result<Self, Refusal> {
        if is_own_namespace(namespace) {
            return Err(toolgate_domain::unknown_pointer(namespace, name));
        }
        Self::stored(namespace, name)
    }

    /// A source as a row names it.
    pub(crate) fn stored(namespace: &str, name: &str) -> Result<Self, Refusal> {
        PointerPath::new(namespace, name).map(Self).map_err(|error| bad_pointer(&error))
    }

    pub(crate) fn of_manifest(manifest: ManifestDigest) -> Self {
        Self::own(MANIFESTS, &hex(manifest.digest()))
    }

    pub(crate) fn all_traces() -> Self {
        Self::own(TRACES, ALL_TRACES)
    }

    /// The calls and runs of one principal. Its id may have any letters, so its digest names it.
    pub(crate) fn traces_of(principal: &PrincipalId) -> Self {
        Self::own(TRACES, &format!("of/{}", hex(Digest::of(principal.as_str()))))
    }

    fn own(namespace: &str, name: &str) -> Self {
        Self(PointerPath::new(namespace, name).expect("our own names are plain"))
    }

    pub fn namespace(&self) -> &str {
        self.0.namespace()
    }

    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The manifest of a source that is one.
    pub(crate) fn manifest(&self) -> Option<ManifestDigest> {
        if self.namespace() == MANIFESTS { self.name().parse().ok() } else { None }
    }

    pub(crate) fn is_traces(&self) -> bool {
        self.namespace() == TRACES
    }

    /// The name of its index: `project/a:draft@docs.default`.
    pub(crate) fn label(&self, profile: &str) -> String {
        format!("{self}@{profile}")
    }

    /// The name in the namespace `toolgate.index` of the pointer to its index. Namespaces and names have slashes of their own, so the sign
    /// that they cannot have stands between them.
    pub(crate) fn index_name(&self, profile: &str, version: u32) -> String {
        format!("{}@{}@{profile}@{version}", self.namespace(), self.name())
    }
}

impl fmt::Display for IndexSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A hit as callers name it: `project/a:draft@docs.default#7`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HitName {
    pub(crate) source: IndexSource,
    pub(crate) profile: String,
    pub(crate) chunk: u64,
}

impl HitName {
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let parts = || {
            let (label, chunk) = text.rsplit_once('#')?;
            let (source, profile) = label.rsplit_once('@')?;
            let (namespace, name) = source.split_once(':')?;
            let source = IndexSource::stored(namespace, name).ok()?;
            Some(Self { source, profile: profile.to_owned(), chunk: chunk.parse().ok()? })
        };
        parts().ok_or_else(|| bad_hit(text))
    }
}

/// The 64 digits of a digest.
pub(crate) fn hex(digest: Digest) -> String {
    let written = digest.to_string();
    written.rsplit(':').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(namespace: &str, name: &str) -> IndexSource {
        IndexSource::pointer(namespace, name).expect("a pointer")
    }

    #[test]
    fn a_hit_is_read_as_it_was_written() {
        let source = source("project/a", "draft.v2");
        let text = format!("{}#{}", source.label("docs.default"), 7);
        assert_eq!(text, "project/a:draft.v2@docs.default#7");
        let hit = HitName::read(&text).expect("a hit");
        assert_eq!(hit, HitName { source, profile: "docs.default".to_owned(), chunk: 7 });
        for bad in ["", "a:b@c", "a:b#1", "a@c#1", "a:b@c#x", "a b:c@d#1", "a:b@c#-1"] {
            assert!(HitName::read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn no_two_pointers_share_an_index() {
        let (one, other) = (source("a/b", "c"), source("a", "b/c"));
        assert_ne!(one.index_name("docs.default", 1), other.index_name("docs.default", 1));
        assert_ne!(one.index_name("docs.default", 1), one.index_name("docs.default", 2));
    }

    #[test]
    fn the_longest_names_have_an_index_with_a_legal_name() {
        let long = source(&"n".repeat(PointerPath::BYTES_MAX), &"m".repeat(PointerPath::BYTES_MAX));
        let name = long.index_name(&"p".repeat(64), u32::MAX);
        assert!(PointerPath::new(INDEXES, &name).is_ok(), "{name}");
    }

    #[test]
    fn callers_cannot_name_what_is_the_gateways_own() {
        for own in [INDEXES, MANIFESTS, TRACES] {
            assert!(IndexSource::pointer(own, "calls").is_err(), "{own}");
        }
        assert!(IndexSource::all_traces().0.is_own());
        assert!(IndexSource::traces_of(&PrincipalId::new("ada")).is_traces());
        assert_ne!(IndexSource::traces_of(&PrincipalId::new("ada")), IndexSource::all_traces());
        assert!(!source("toolgate", "docs").0.is_own());
    }

    #[test]
    fn a_manifest_without_a_pointer_is_its_own_source() {
        let manifest = ManifestDigest::new(Digest::of("corpus"));
        let source = IndexSource::of_manifest(manifest);
        assert_eq!(source.manifest(), Some(manifest));
        assert!(source.0.is_own() && !source.is_traces());
    }
}
