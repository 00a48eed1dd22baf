//! Queries with the tools that are right for them.

use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;
use serde_json::Value;
use toolgate_core::CanonicalName;
use toolgate_search::Subset;

use super::catalogue::{self, Source};
use super::way::Way;

/// The number of places of a list that are checked.
const PLACES: usize = 10;
const MISSES_PLACES: usize = 100;
const MISSES_QUERY_CHARS: usize = 160;

pub(super) struct Labelled {
    pub(super) query: String,
    pub(super) groups: Vec<Group>,
}

/// Any member is as right as another.
pub(super) type Group = Vec<CanonicalName>;

/// The criterion of a right result.
#[derive(Clone, Copy)]
pub(super) enum Right {
    Tool,
    /// Also a tool of the same name on another server: with a crowd added, those are not labelled.
    Name,
}

/// A set of queries against a catalogue.
pub(super) struct Trial<'a> {
    pub(super) name: &'static str,
    pub(super) subset: &'a Subset,
    pub(super) queries: &'a [Labelled],
    pub(super) right: Right,
}

/// Shares of right tools among the first few, in per cent, as a mean over the queries.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Recall {
    pub(super) queries: &'static str,
    pub(super) tools: usize,
    pub(super) n: usize,
    pub(super) at_1: f64,
    pub(super) at_5: f64,
    pub(super) at_10: f64,
}

/// Queries with at least one right tool.
pub(super) fn read(data: &Path, file: &str) -> anyhow::Result<(Source, Vec<Labelled>)> {
    let (source, lines) = catalogue::read_lines(data, file)?;
    let all = lines.into_iter().map(labelled).collect::<anyhow::Result<Vec<_>>>();
    let all = all.with_context(|| format!("read the queries of {file}"))?;
    Ok((source, all.into_iter().filter(|one| !one.groups.is_empty()).collect()))
}

fn labelled(line: Value) -> anyhow::Result<Labelled> {
    let groups: Vec<Vec<String>> = serde_json::from_value(line["groups"].clone())?;
    let groups = groups.iter().map(|group| group.iter().map(|name| canonical(name)).collect());
    let query = line["query"].as_str().context("a line without a query")?.to_owned();
    Ok(Labelled { query, groups: groups.collect::<anyhow::Result<_>>()? })
}

fn canonical(name: &str) -> anyhow::Result<CanonicalName> {
    let (server, own) = name.split_once(':').with_context(|| format!("{name} names no server"))?;
    Ok(CanonicalName::of(&catalogue::server(server)?, own))
}

impl Labelled {
    /// The share of groups that have a member among these.
    pub(super) fn share_found(&self, names: &[CanonicalName], right: Right) -> f64 {
        let found = self.groups.iter().filter(|group| is_found(group, names, right)).count();
        found as f64 / self.groups.len() as f64
    }
}

impl Trial<'_> {
    pub(super) fn recall(&self, way: &Way<'_>) -> anyhow::Result<Recall> {
        let mut sums = [0.0; 3];
        for labelled in self.queries {
            let names = way.find(self.subset, &labelled.query, PLACES)?;
            for (sum, k) in sums.iter_mut().zip([1, 5, 10]) {
                *sum += labelled.share_found(&names[..names.len().min(k)], self.right);
            }
        }
        let n = self.queries.len();
        let [at_1, at_5, at_10] = sums.map(|sum| 100.0 * sum / n as f64);
        Ok(Recall { queries: self.name, tools: self.subset.len(), n, at_1, at_5, at_10 })
    }

    /// Each query with a group that is not among the first five, with its place and the results instead.
    pub(super) fn misses(&self, way: &Way<'_>) -> anyhow::Result<String> {
        let mut text = format!("\n{} of {} tools, missed by {}:\n", self.name, self.subset.len(), way.name());
        for labelled in self.queries {
            let names = way.find(self.subset, &labelled.query, MISSES_PLACES)?;
            let first = &names[..names.len().min(5)];
            for group in labelled.groups.iter().filter(|group| !is_found(group, first, self.right)) {
                let query: String = labelled.query.chars().take(MISSES_QUERY_CHARS).collect();
                let place = (0..names.len()).find(|at| is_found(group, &names[*at..=*at], self.right));
                let place = place.map_or("-".to_owned(), |at| (at + 1).to_string());
                text.push_str(&format!("  {query}\n    {place}: {}\n", group[0]));
                first.iter().for_each(|name| text.push_str(&format!("      {name}\n")));
            }
        }
        Ok(text)
    }
}

fn is_found(group: &[CanonicalName], names: &[CanonicalName], right: Right) -> bool {
    names.iter().any(|found| {
        group.iter().any(|name| match right {
            Right::Tool => name == found,
            Right::Name => own(name) == own(found),
        })
    })
}

fn own(name: &CanonicalName) -> &str {
    name.as_str().split_once(':').map_or(name.as_str(), |(_, own)| own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<CanonicalName> {
        names.iter().map(|name| CanonicalName::recorded(name)).collect()
    }

    #[test]
    fn a_group_is_found_by_any_member_and_a_query_counts_by_its_groups() {
        let groups = vec![names(&["a:one", "b:two"]), names(&["c:three"])];
        let labelled = Labelled { query: String::new(), groups };
        assert_eq!(labelled.share_found(&names(&["x:y", "b:two"]), Right::Tool), 0.5);
        assert_eq!(labelled.share_found(&names(&["a:one", "b:two", "c:three"]), Right::Tool), 1.0);
        assert_eq!(labelled.share_found(&names(&[]), Right::Tool), 0.0);
    }

    #[test]
    fn the_same_name_elsewhere_is_right_only_in_a_crowd() {
        let labelled = Labelled { query: String::new(), groups: vec![names(&["a:one"])] };
        assert_eq!(labelled.share_found(&names(&["z:one"]), Right::Tool), 0.0);
        assert_eq!(labelled.share_found(&names(&["z:one"]), Right::Name), 1.0);
    }
}
