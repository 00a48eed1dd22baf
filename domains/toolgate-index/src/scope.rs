//! The sources that a caller may search: within its mounts, and nothing else. What it may not see does not exist, so it changes no score.

use std::collections::BTreeSet;

use toolgate_core::pointer::PointerPath;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, Role};
use toolgate_domain::{ToolContext, unknown_pointer};

use crate::indexes::Indexes;
use crate::limits::INDEXES_MAX;
use crate::profiles::{KnownProfile, ProfileCorpus};
use crate::refusal::{down, invalid, not_for_traces};
use crate::source::IndexSource;

/// The part of what a caller sees that it wants to search. Nothing named stands for every mounted pointer that has an index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IndexScope {
    pub pointers: Vec<PointerPath>,
    /// Manifests that were indexed without a pointer. Like the substrate's own tools, this needs their digest and nothing else.
    pub manifests: Vec<ManifestDigest>,
}

/// The sources of a search, in a fixed order.
pub(crate) struct ScopedSources {
    pub(crate) sources: Vec<IndexSource>,
    /// Sources past the limit.
    pub(crate) left_out: usize,
}

impl IndexScope {
    pub(crate) fn is_empty(&self) -> bool {
        self.pointers.is_empty() && self.manifests.is_empty()
    }

    /// The sources that are named. One that the session does not see is unknown.
    fn sources(&self, sees: impl Fn(&PointerPath) -> bool) -> Result<BTreeSet<IndexSource>, Refusal> {
        let mut sources = BTreeSet::new();
        for pointer in &self.pointers {
            if !sees(pointer) {
                return Err(unknown_pointer(pointer.namespace(), pointer.name()));
            }
            sources.insert(IndexSource::pointer(pointer.namespace(), pointer.name())?);
        }
        sources.extend(self.manifests.iter().map(|manifest| IndexSource::of_manifest(*manifest)));
        match sources.len() > INDEXES_MAX {
            true => Err(invalid(format!("the scope names more than {INDEXES_MAX} sources"), "scope")
                .hint("search them in several calls")),
            false => Ok(sources),
        }
    }
}

impl Indexes {
    /// The sources that a caller searches with this profile.
    pub(crate) async fn scoped(
        &self,
        context: &ToolContext,
        scope: &IndexScope,
        known: &KnownProfile,
    ) -> Result<ScopedSources, Refusal> {
        if known.corpus == ProfileCorpus::Traces {
            return match scope.is_empty() {
                true => Ok(ScopedSources { sources: vec![traces_of(context)?], left_out: 0 }),
                false => Err(invalid("this profile searches calls and runs, and no pointers", "scope")
                    .hint("leave `scope` out")),
            };
        }
        if !scope.is_empty() {
            let sees = |pointer: &PointerPath| context.sees_pointer(pointer.namespace(), pointer.name());
            let sources = scope.sources(sees)?.into_iter().collect();
            return Ok(ScopedSources { sources, left_out: 0 });
        }
        let mut sources = self.mounted(context, Some(&known.profile.name)).await?;
        let left_out = sources.len().saturating_sub(INDEXES_MAX);
        sources.truncate(INDEXES_MAX);
        Ok(ScopedSources { sources, left_out })
    }

    /// The mounted pointers that have an index, of one profile or of any.
    pub(crate) async fn mounted(
        &self,
        context: &ToolContext,
        profile: Option<&str>,
    ) -> Result<Vec<IndexSource>, Refusal> {
        let indexed = self.store.indexed_pointers().await.map_err(|error| down(&error))?;
        let of_profile = |of: &str| profile.is_none_or(|profile| profile == of);
        let sources: BTreeSet<IndexSource> = indexed
            .into_iter()
            .filter(|(namespace, name, of)| of_profile(of) && context.sees_pointer(namespace, name))
            .filter_map(|(namespace, name, _)| IndexSource::pointer(&namespace, &name).ok())
            .collect();
        Ok(sources.into_iter().collect())
    }
}

/// The corpus of traces that a caller may search. Those whose role reads the ledger have all; everyone else has its own calls and runs. A
/// session within a run, or one that somebody else opened, was made for something else.
pub(crate) fn traces_of(context: &ToolContext) -> Result<IndexSource, Refusal> {
    let holder = &context.holder;
    if holder.run.is_some() {
        return Err(not_for_traces("a session within a run"));
    }
    if holder.opened_by.is_some() {
        return Err(not_for_traces("a session that another principal opened"));
    }
    match holder.principal.role {
        Role::Admin | Role::Operator | Role::Auditor => Ok(IndexSource::all_traces()),
        Role::Approver | Role::Agent | Role::Server => Ok(IndexSource::traces_of(&holder.principal.id)),
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::{Digest, codes};

    use super::*;

    fn pointer(namespace: &str, name: &str) -> PointerPath {
        PointerPath::new(namespace, name).expect("a pointer")
    }

    fn scope(pointers: &[PointerPath]) -> IndexScope {
        IndexScope { pointers: pointers.to_vec(), manifests: Vec::new() }
    }

    #[test]
    fn a_pointer_outside_the_mounts_does_not_exist() {
        let asked = scope(&[pointer("project/a", "draft"), pointer("project/b", "secret")]);
        let refused = asked.sources(|one| one.namespace() == "project/a").expect_err("not mounted");
        assert_eq!(refused.code, &codes::UNKNOWN_POINTER);
        assert_eq!(refused.message, unknown_pointer("project/b", "secret").message);
    }

    #[test]
    fn the_gateways_own_pointers_do_not_exist_even_for_those_who_see_everything() {
        let asked = scope(&[pointer("toolgate.traces", "calls")]);
        assert_eq!(asked.sources(|_| true).expect_err("our own").code, &codes::UNKNOWN_POINTER);
    }

    #[test]
    fn a_source_that_is_named_twice_is_searched_once_and_order_does_not_count() {
        let (a, b) = (pointer("project/a", "draft"), pointer("project/b", "draft"));
        let one = scope(&[b.clone(), a.clone(), b.clone()]).sources(|_| true).expect("sources");
        let other = scope(&[a, b]).sources(|_| true).expect("sources");
        assert_eq!(one, other);
        assert_eq!(one.len(), 2);
    }

    #[test]
    fn too_many_sources_are_refused() {
        let manifest = |number: usize| ManifestDigest::new(Digest::of(number.to_string()));
        let manifests = (0..=INDEXES_MAX).map(manifest).collect();
        let asked = IndexScope { pointers: Vec::new(), manifests };
        assert!(asked.sources(|_| true).is_err());
    }
}
