//! Queries with the tools that are right for them.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use serde_json::Value;
use toolgate_core::CanonicalName;

use crate::catalogue::{self, Catalogue};

/// What is measured: a set of queries against a catalogue.
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) queries: &'a [Labelled],
    pub(crate) right: Right,
}

pub(crate) struct Labelled {
    pub(crate) query: String,
    /// Any member of a group is as right as another.
    groups: Vec<Vec<CanonicalName>>,
}

/// Finds tools for a query, as many as are asked for.
pub(crate) type Find<'a> = &'a dyn Fn(&str, usize) -> Result<Vec<CanonicalName>, Box<dyn Error>>;

/// What counts as found.
#[derive(Clone, Copy)]
pub(crate) enum Right {
    Tool,
    /// A tool of the same name on another server too: with a crowd added, nobody labelled those.
    Name,
}

/// Queries for which something is right.
pub(crate) fn read(path: &Path) -> Result<Vec<Labelled>, Box<dyn Error>> {
    let mut all = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let groups: Vec<Vec<String>> = serde_json::from_value(line["groups"].clone())?;
        let groups = groups.iter().map(|group| group.iter().map(|name| canonical(name)).collect());
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        let query = line["query"].as_str().ok_or("a line without a query")?.to_owned();
        all.extend(Some(Labelled { query, groups }).filter(|labelled| !labelled.groups.is_empty()));
    }
    Ok(all)
}

/// Mean over the queries of the share of groups that have a member among the first k, in per cent.
pub(crate) fn recall(row: &Row<'_>, find: Find<'_>, k: usize) -> Result<f64, Box<dyn Error>> {
    let mut sum = 0.0;
    for labelled in row.queries {
        let hits = find(&labelled.query, k)?;
        let found = labelled.groups.iter().filter(|group| is_found(group, &hits, row.right)).count();
        sum += found as f64 / labelled.groups.len() as f64;
    }
    Ok(100.0 * sum / row.queries.len() as f64)
}

/// Each query with a group that is not among the first five, with what was there instead.
pub(crate) fn misses(row: &Row<'_>, find: Find<'_>, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for labelled in row.queries {
        let hits = find(&labelled.query, 100)?;
        let is_missed = |group: &&Vec<CanonicalName>| !is_found(group, &hits[..hits.len().min(5)], row.right);
        for group in labelled.groups.iter().filter(is_missed) {
            let query: String = labelled.query.chars().take(160).collect();
            let place = (0..hits.len()).find(|at| is_found(group, &hits[*at..=*at], row.right));
            let place = place.map_or("-".into(), |at| (at + 1).to_string());
            writeln!(out, "  {query}\n    {place}: {}", group[0])?;
            for hit in hits.iter().take(5) {
                writeln!(out, "      {hit}")?;
            }
        }
    }
    Ok(())
}

fn is_found(group: &[CanonicalName], hits: &[CanonicalName], right: Right) -> bool {
    hits.iter().any(|hit| {
        group.iter().any(|name| match right {
            Right::Tool => name == hit,
            Right::Name => own(name) == own(hit),
        })
    })
}

fn own(name: &CanonicalName) -> &str {
    name.as_str().split_once(':').map_or(name.as_str(), |(_, own)| own)
}

fn canonical(name: &str) -> Result<CanonicalName, Box<dyn Error>> {
    let (server, own) = name.split_once(':').ok_or("a tool without a server")?;
    Ok(CanonicalName::of(&catalogue::server(server)?, own))
}
