//! The choice of the index that answers for a source: of the state that it is in now, else of an earlier one.

use std::collections::BTreeSet;

use toolgate_core::Refusal;
use toolgate_core::substrate::ManifestDigest;
use toolgate_store::IndexBuildRow;

use crate::indexes::Indexes;
use crate::profiles::KnownProfile;
use crate::refusal::down;
use crate::source::IndexSource;

/// A source with all indexes that it has of one profile on the configured engine, newest first.
pub(crate) struct IndexedSource {
    pub(crate) source: IndexSource,
    /// The manifest that it leads to now.
    pub(crate) head: Option<ManifestDigest>,
    pub(crate) builds: Vec<IndexBuildRow>,
}

/// The index that answers for a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChosenIndex {
    pub(crate) source: IndexSource,
    pub(crate) build: IndexBuildRow,
    /// True if the source leads to another manifest by now.
    pub(crate) is_behind: bool,
}

impl IndexedSource {
    fn versions(&self) -> BTreeSet<u64> {
        self.builds.iter().map(|build| build.key.profile_version).collect()
    }

    /// The index of this version: of the state of now, or the newest.
    pub(crate) fn choose(&self, version: u64) -> Option<ChosenIndex> {
        let mut of_version = self.builds.iter().filter(|build| build.key.profile_version == version);
        let newest = of_version.clone().next()?;
        let current = of_version.find(|build| Some(build.key.source_manifest) == self.head);
        let build = current.unwrap_or(newest).clone();
        Some(ChosenIndex { source: self.source.clone(), is_behind: current.is_none(), build })
    }
}

/// The version in which to search all sources: scores of different versions cannot be compared. The active one, if all have it; else the
/// newest that most of them have, so that a promotion does not empty searches until everything is built anew.
pub(crate) fn common_version(sources: &[IndexedSource], active: u64) -> Option<u64> {
    let having = |version: u64| sources.iter().filter(|one| one.versions().contains(&version)).count();
    let all: BTreeSet<u64> = sources.iter().flat_map(IndexedSource::versions).collect();
    if !sources.is_empty() && having(active) == sources.len() {
        return Some(active);
    }
    all.into_iter().max_by_key(|version| (having(*version), *version))
}

impl Indexes {
    /// The manifest that a source leads to now.
    pub(crate) async fn head_of(&self, source: &IndexSource) -> Result<Option<ManifestDigest>, Refusal> {
        if let Some(manifest) = source.manifest() {
            return Ok(Some(manifest));
        }
        let head = self.substrate.pointer_head(source.namespace(), source.name()).await?;
        Ok(head.and_then(|head| head.manifest))
    }

    /// A source with its indexes of a profile.
    pub(crate) async fn indexed(
        &self,
        source: &IndexSource,
        known: &KnownProfile,
    ) -> Result<IndexedSource, Refusal> {
        let head = self.head_of(source).await?;
        let builds = self.store.index_builds_of(source.namespace(), source.name()).await;
        let mut builds = builds.map_err(|error| down(&error))?;
        let engine = self.engine_name();
        // What was deleted is not found any more, though its indexes are still there.
        let is_there = head.is_some();
        let profile = &known.profile.name;
        builds.retain(|build| is_there && build.key.profile == *profile && build.key.engine == engine);
        Ok(IndexedSource { source: source.clone(), head, builds })
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;
    use toolgate_store::IndexBuildKey;

    use super::*;

    fn manifest(text: &str) -> ManifestDigest {
        ManifestDigest::new(Digest::of(text))
    }

    fn build(version: u64, state: &str) -> IndexBuildRow {
        IndexBuildRow {
            key: IndexBuildKey {
                namespace: "project/a".to_owned(),
                name: "handbook".to_owned(),
                profile: "docs.default".to_owned(),
                profile_version: version,
                engine: "inside".to_owned(),
                source_manifest: manifest(state),
            },
            index_manifest: manifest(&format!("index of {state} {version}")),
            documents: 1,
            chunks: 1,
            problems: Vec::new(),
            problem_count: 0,
            run: None,
            at_ms: 0,
        }
    }

    fn source(head: &str, builds: &[(u64, &str)]) -> IndexedSource {
        IndexedSource {
            source: IndexSource::pointer("project/a", "handbook").expect("a pointer"),
            head: Some(manifest(head)),
            builds: builds.iter().map(|(version, state)| build(*version, state)).collect(),
        }
    }

    #[test]
    fn a_source_that_was_reverted_finds_its_former_index() {
        let chosen = source("first", &[(1, "second"), (1, "first")]).choose(1).expect("an index");
        assert_eq!(chosen.build.key.source_manifest, manifest("first"));
        assert!(!chosen.is_behind);
    }

    #[test]
    fn a_source_that_moved_on_is_answered_by_the_newest_index_and_said_to_be_behind() {
        let chosen = source("third", &[(1, "second"), (1, "first")]).choose(1).expect("an index");
        assert_eq!(chosen.build.key.source_manifest, manifest("second"));
        assert!(chosen.is_behind);
        assert_eq!(source("third", &[(1, "second")]).choose(2), None);
    }

    #[test]
    fn all_sources_are_searched_in_one_version() {
        let (old, both) = (source("a", &[(1, "a")]), source("b", &[(2, "b"), (1, "b")]));
        assert_eq!(common_version(&[source("b", &[(2, "b"), (1, "b")])], 1), Some(1));
        assert_eq!(common_version(&[old, both], 2), Some(1), "one of them has no index of version 2 yet");
        assert_eq!(common_version(&[source("a", &[(1, "a")]), source("b", &[(2, "b")])], 2), Some(2));
        assert_eq!(common_version(&[source("a", &[])], 1), None);
        assert_eq!(common_version(&[], 1), None);
    }
}
