//! The time of indexing and searching, and the memory of an index, by the number of tools.

use anyhow::Context as _;
use serde::Serialize;
use toolgate_search::meaning::MeaningIndex;
use toolgate_search::{FUSED_MAX, Subset};

use super::catalogue::{self, Documents};
use super::clock::{median_ms, megabytes, processor_ms, timed, weight_of};
use super::sets::Sets;
use super::vectors::Encoding;
use super::way::Way;
use crate::report::{median, p99};

const SIZES: [usize; 3] = [500, 3_500, LARGEST];
pub(super) const LARGEST: usize = 10_000;
const LONG_QUERY_CHARS: usize = 10_000;
const ROUNDS: usize = 20;
/// Fewer with a model, since a query takes longer.
const MODEL_ROUNDS: usize = 3;

#[derive(Serialize)]
pub(super) struct Size {
    pub(super) tools: usize,
    pub(super) servers: usize,
    /// Taking the texts of the tools apart, and making an index of them.
    pub(super) analysed_ms: f64,
    pub(super) assembled_ms: f64,
    pub(super) index_mb: f64,
    /// Following a returning server with many tools.
    pub(super) changed_tools: usize,
    pub(super) changed_ms: f64,
    pub(super) scoped_ms: f64,
    pub(super) long_query_ms: f64,
    pub(super) nearest_names_ms: f64,
    pub(super) vectors_mb: Option<f64>,
    pub(super) searches: Vec<Latency>,
}

/// Each query's median over the rounds; of these the middle, and the 99th percentile.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Latency {
    pub(super) way: &'static str,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) processor_p50_ms: f64,
    pub(super) processor_p99_ms: f64,
}

pub(super) fn measure(sets: &Sets, encoding: Option<&Encoding>) -> anyhow::Result<Vec<Size>> {
    let catalogues = [&sets.live, &sets.real, &sets.crowd];
    let queries = sets.queries();
    let size = |count| {
        eprintln!("times at {count} tools");
        Size::of(&catalogue::first_of(&catalogues, count), &queries, encoding)
    };
    SIZES.into_iter().map(size).collect()
}

impl Size {
    fn of(tools: &Documents, queries: &[&str], encoding: Option<&Encoding>) -> anyhow::Result<Self> {
        let index_mb = megabytes(weight_of(|| {
            let indexer = catalogue::indexer(tools);
            let index = indexer.index();
            (indexer, index)
        })?);
        let (analysed_ms, mut indexer) = timed(|| catalogue::indexer(tools));
        let (assembled_ms, index) = timed(|| indexer.index());
        let (server, documents) =
            tools.iter().max_by_key(|(_, tools)| tools.len()).context("there are no tools")?;
        indexer.remove(server);
        let (changed_ms, _) = timed(|| {
            indexer.update(server, documents.clone());
            indexer.index()
        });
        let (scoped_ms, subset) = timed(|| index.all());
        let long: String = queries.join(" ").chars().take(LONG_QUERY_CHARS).collect();
        Ok(Self {
            tools: index.len(),
            servers: tools.len(),
            analysed_ms,
            assembled_ms,
            index_mb,
            changed_tools: documents.len(),
            changed_ms,
            scoped_ms,
            long_query_ms: median_ms(ROUNDS, || subset.search(&long, None, FUSED_MAX)),
            nearest_names_ms: median_ms(ROUNDS, || subset.nearest("get_curent_wether", 5)),
            vectors_mb: vectors_mb(&subset, encoding),
            searches: searches(&subset, queries, encoding)?,
        })
    }

    pub(super) fn latency(&self, way: &Way<'_>) -> Option<&Latency> {
        self.searches.iter().find(|latency| latency.way == way.name())
    }
}

/// Each number of a vector takes two bytes.
fn vectors_mb(subset: &Subset, encoding: Option<&Encoding>) -> Option<f64> {
    const NUMBER_BYTES: usize = 2;
    let encoding = encoding?;
    let texts = encoding.afresh(subset).ok()?.progress().texts;
    Some(megabytes((texts * encoding.facts.dimensions * NUMBER_BYTES) as u64))
}

/// The wall-clock time and the CPU time of a query.
type Took = [f64; 2];

fn searches(subset: &Subset, queries: &[&str], encoding: Option<&Encoding>) -> anyhow::Result<Vec<Latency>> {
    let by_words = || round(subset, queries, &Way::Words);
    let mut all = vec![latency(&Way::Words, &rounds(ROUNDS, by_words)?)];
    let Some(encoding) = encoding else { return Ok(all) };
    let ways: [fn(&MeaningIndex) -> Way<'_>; 2] =
        [|meaning| Way::Meaning(meaning), |meaning| Way::Both(meaning)];
    for way in ways {
        let with_model = || round(subset, queries, &way(&encoding.afresh(subset)?));
        all.push(latency(&way(&encoding.meaning), &rounds(MODEL_ROUNDS, with_model)?));
    }
    Ok(all)
}

fn rounds(count: usize, round: impl Fn() -> anyhow::Result<Vec<Took>>) -> anyhow::Result<Vec<Vec<Took>>> {
    (0..count).map(|_| round()).collect()
}

fn round(subset: &Subset, queries: &[&str], way: &Way<'_>) -> anyhow::Result<Vec<Took>> {
    let took = |query: &&str| {
        let before = processor_ms();
        let (clock, found) = timed(|| way.search(subset, query, FUSED_MAX));
        found.map(|_| [clock, processor_ms() - before])
    };
    queries.iter().map(took).collect()
}

fn latency(way: &Way<'_>, rounds: &[Vec<Took>]) -> Latency {
    let queries = 0..rounds[0].len();
    let medians = |which: usize| {
        queries.clone().map(move |query| median(rounds.iter().map(|round| round[query][which])))
    };
    Latency {
        way: way.name(),
        p50_ms: median(medians(0)),
        p99_ms: p99(medians(0)),
        processor_p50_ms: median(medians(1)),
        processor_p99_ms: p99(medians(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disturbed_round_does_not_count_and_a_slow_query_does() {
        let (calm, disturbed) = (vec![[1.0, 1.0], [9.0, 8.0]], vec![[50.0, 1.0], [60.0, 8.0]]);
        let latency = latency(&Way::Words, &[calm.clone(), disturbed, calm]);
        assert_eq!((latency.p50_ms, latency.p99_ms), (5.0, 9.0));
        assert_eq!(latency.processor_p99_ms, 8.0);
    }
}
