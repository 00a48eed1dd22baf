//! The search before it is sent: the active profile, the sources of the scope, the index of each, and words about what is missing.

use std::sync::Arc;

use engine_protocol::{IndexRef, Search, SearchFilter};
use toolgate_core::moment::rfc3339;
use toolgate_core::{Refusal, RefusalKind};
use toolgate_domain::ToolContext;

use super::found::{IndexQuery, QueriedIndex};
use crate::indexes::Indexes;
use crate::limits::{FILTER_RULES_MAX, QUERY_BYTES_MAX, TOP_K_MAX};
use crate::profiles::KnownProfile;
use crate::refusal::{invalid, no_index};
use crate::versions::{ChosenIndex, IndexedSource, common_version};

/// A search that can be sent. `indexes` are those of the search, in the same order.
pub(crate) struct PreparedSearch {
    pub(crate) search: Search,
    pub(crate) indexes: Vec<QueriedIndex>,
    pub(crate) known: Arc<KnownProfile>,
    pub(crate) warnings: Vec<String>,
}

impl Indexes {
    pub(crate) async fn prepare(
        &self,
        context: &ToolContext,
        query: &IndexQuery,
    ) -> Result<PreparedSearch, Refusal> {
        let (text, cut) = checked_query(&query.query)?;
        check_filter(&query.filter)?;
        let active = self.active_profile(&query.profile).await?;
        let scoped = self.scoped(context, &query.scope, &active).await?;
        let mut warnings: Vec<String> = cut.into_iter().collect();
        if scoped.left_out > 0 {
            warnings.push(format!("{} more pointers were left out; name those to search", scoped.left_out));
        }
        let mut indexed = Vec::with_capacity(scoped.sources.len());
        for source in &scoped.sources {
            indexed.push(self.indexed(source, &active).await?);
        }
        if query.scope.is_empty() && indexed.len() > 1 {
            // Nobody named those that were deleted or emptied since.
            indexed.retain(|one| one.head.is_some());
        }
        let (chosen, known) = self.choose_all(indexed, &active, &mut warnings)?;
        self.assemble(query, text, (chosen, known), warnings).await
    }

    /// An index for each source, all in one version.
    fn choose_all(
        &self,
        indexed: Vec<IndexedSource>,
        active: &Arc<KnownProfile>,
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<ChosenIndex>, Arc<KnownProfile>), Refusal> {
        let name = &active.profile.name;
        let only = match &indexed[..] {
            [only] => Some(only.source.clone()),
            _ => None,
        };
        let (have, have_not): (Vec<IndexedSource>, Vec<IndexedSource>) =
            indexed.into_iter().partition(|one| !one.builds.is_empty());
        let version = common_version(&have, active.profile.version.into());
        let version = version.ok_or_else(|| no_index(only.as_ref(), name))?;
        let known = match u32::try_from(version) {
            Ok(version) => Arc::clone(self.shelf.version(name, version)?),
            Err(_) => Arc::clone(active),
        };
        warnings.extend(have_not.iter().map(|one| format!("{} has no index of {name}", one.source)));
        let mut chosen = Vec::with_capacity(have.len());
        for one in &have {
            match one.choose(version) {
                Some(index) => chosen.push(index),
                None => warnings.push(format!("{} has no index of {} yet", one.source, known.full_name())),
            }
        }
        if known.profile.version != active.profile.version {
            let (used, active) = (known.full_name(), active.full_name());
            warnings.push(format!("searched with {used}: not everything has an index of {active} yet"));
        }
        Ok((chosen, known))
    }

    async fn assemble(
        &self,
        query: &IndexQuery,
        text: String,
        (chosen, known): (Vec<ChosenIndex>, Arc<KnownProfile>),
        mut warnings: Vec<String>,
    ) -> Result<PreparedSearch, Refusal> {
        let (mut refs, mut indexes) = (Vec::new(), Vec::new());
        for ChosenIndex { source, build, is_behind } in chosen {
            let kept = match self.kept_index(build.index_manifest).await {
                Err(refusal) if refusal.kind == RefusalKind::Down => return Err(refusal),
                Err(refusal) => {
                    warnings.push(format!("{source} was left out, index.ingest builds it anew: {refusal}"));
                    continue;
                }
                Ok(kept) => kept,
            };
            if source.is_traces() {
                warnings
                    .push(format!("the index of traces has what happened until {}", rfc3339(build.at_ms)));
            } else if is_behind {
                warnings.push(format!(
                    "the index of {source} is behind: the pointer has moved since it was built"
                ));
            }
            if kept.note.profile_digest != known.digest {
                warnings.push(format!(
                    "{} changed without a new version since {source} was indexed",
                    known.full_name()
                ));
            }
            let listing = kept.listing.clone();
            refs.push(IndexRef { label: source.label(&known.profile.name), listing });
            indexes.push(QueriedIndex {
                source,
                manifest: build.index_manifest,
                source_manifest: build.key.source_manifest,
                is_behind,
            });
        }
        if refs.is_empty() {
            return Err(no_index(None, &known.profile.name));
        }
        let search = Search {
            indexes: refs,
            query: text,
            profile: known.profile.clone(),
            top_k: query.top_k.clamp(1, TOP_K_MAX).into(),
            filter: query.filter.clone(),
        };
        Ok(PreparedSearch { search, indexes, known, warnings })
    }
}

/// The query as it is sent, and words about what was cut off.
fn checked_query(query: &str) -> Result<(String, Option<String>), Refusal> {
    let text = query.trim();
    if text.is_empty() {
        return Err(invalid("the query is empty", "query").hint("say what to look for"));
    }
    if text.len() <= QUERY_BYTES_MAX {
        return Ok((text.to_owned(), None));
    }
    let end = text.floor_char_boundary(QUERY_BYTES_MAX);
    let words = format!("the query has {} bytes; its first {QUERY_BYTES_MAX} were searched", text.len());
    Ok((text[..end].to_owned(), Some(words)))
}

fn check_filter(filter: &SearchFilter) -> Result<(), Refusal> {
    let values = filter.metadata.iter().map(|rule| rule.any_of.len()).max().unwrap_or_default();
    let most = filter.metadata.len().max(filter.media_types.len()).max(values);
    match most > FILTER_RULES_MAX {
        true => Err(invalid(
            format!("a filter has at most {FILTER_RULES_MAX} media types, keys and values of a key"),
            "filters",
        )
        .hint("filter by fewer")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use engine_protocol::FilterRule;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_query_of_nothing_is_refused() {
        for empty in ["", " ", "\n\t"] {
            assert!(checked_query(empty).is_err(), "{empty:?}");
        }
    }

    #[test]
    fn a_long_query_is_cut_at_a_character_and_says_so() {
        let (text, words) = checked_query(&"ä".repeat(50_000)).expect("a query");
        assert!(text.len() <= QUERY_BYTES_MAX && text.chars().all(|one| one == 'ä'));
        assert!(words.expect("words").contains("100000 bytes"));
        assert_eq!(checked_query(" the of and ").expect("a query"), ("the of and".to_owned(), None));
    }

    #[test]
    fn a_filter_has_a_limited_number_of_rules_and_values() {
        let rule = |values: usize| FilterRule { key: "a".to_owned(), any_of: vec![json!(1); values] };
        let filter = |rules| SearchFilter { metadata: rules, ..SearchFilter::default() };
        assert!(check_filter(&filter(vec![rule(1)])).is_ok());
        assert!(check_filter(&filter(vec![rule(FILTER_RULES_MAX + 1)])).is_err());
        assert!(check_filter(&filter(vec![rule(1); FILTER_RULES_MAX + 1])).is_err());
    }
}
