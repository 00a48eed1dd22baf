//! How long indexing and searching take, and what an index weighs.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use toolgate_search::{FUSED_MAX, Subset};

use crate::catalogue::{self, Tools};
use crate::labelled::Labelled;

const SIZES: [usize; 3] = [500, 3_500, 10_000];
const ROUNDS: usize = 20;
const LONG_QUERY_CHARS: usize = 10_000;

pub(crate) fn measure(
    data: &Path,
    queries: &[&[Labelled]],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let queries: Vec<&str> =
        queries.iter().flat_map(|set| set.iter()).map(|one| one.query.as_str()).collect();
    let long: String = queries.join(" ").chars().take(LONG_QUERY_CHARS).collect();
    for size in SIZES {
        let tools = cut(data, size)?;
        let (analysed, mut indexer) = timed(|| catalogue::indexer(&tools));
        let (assembled, index) = timed(|| indexer.index());
        let weight = weight_of(|| (catalogue::indexer(&tools), indexer.index()));
        writeln!(out, "\n{} tools of {} servers", index.len(), tools.len())?;
        writeln!(out, "  analysed {analysed:.1?}, assembled {assembled:.1?}, {:.1} MB", weight as f64 / 1e6)?;
        let (server, documents) = tools.iter().max_by_key(|(_, tools)| tools.len()).ok_or("no tools")?;
        indexer.remove(server);
        let (changed, _) = timed(|| {
            indexer.update(server, documents.clone());
            indexer.index()
        });
        let (scoped, subset) = timed(|| index.all());
        writeln!(out, "  a server of {} tools changed {changed:.1?}, scope {scoped:.1?}", documents.len())?;
        searches(&subset, &queries, &long, out)?;
    }
    Ok(())
}

fn searches(
    subset: &Subset,
    queries: &[&str],
    long: &str,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut times: Vec<Duration> =
        queries.iter().map(|query| median(|| subset.search(query, None, FUSED_MAX))).collect();
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    writeln!(out, "  search p50 {:.1?}, p99 {:.1?}, max {:.1?}", at(0.5), at(0.99), at(1.0))?;
    let long = median(|| subset.search(long, None, FUSED_MAX));
    let near = median(|| subset.nearest("get_curent_wether", 5));
    writeln!(out, "  a query of {LONG_QUERY_CHARS} characters {long:.1?}, nearest names {near:.1?}")?;
    Ok(())
}

/// Of several rounds, so that it is the work that is measured and not what else the machine does.
fn median<T>(work: impl Fn() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| timed(&work).0).collect();
    times.sort();
    times[ROUNDS / 2]
}

/// The first so many tools of all catalogues.
fn cut(data: &Path, size: usize) -> Result<Tools, Box<dyn Error>> {
    let (mut tools, mut few) = (Tools::new(), Tools::new());
    for folder in ["livemcpbench", "real-catalogue", "toucan"] {
        catalogue::tools(&data.join(folder).join("tools.jsonl"), &mut tools)?;
    }
    let mut names = BTreeSet::new();
    let all = tools.iter().flat_map(|(server, tools)| tools.iter().map(move |tool| (server, tool)));
    for (server, tool) in all.filter(|(_, (_, tool))| names.insert(&tool.name)).take(size) {
        few.entry(server.clone()).or_default().push(tool.clone());
    }
    Ok(few)
}

/// What one more of something takes. What is made first goes into memory that was used before.
fn weight_of<T>(make: impl Fn() -> T) -> usize {
    const FIRST: usize = 2;
    const MORE: usize = 4;
    let mut made: Vec<T> = (0..FIRST).map(|_| make()).collect();
    let before = resident_bytes();
    made.extend((0..MORE).map(|_| make()));
    resident_bytes().saturating_sub(before) / MORE
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// Nothing where the system does not say.
fn resident_bytes() -> usize {
    const PAGE_BYTES: usize = 4_096;
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let resident = pages.as_deref().and_then(|line| line.split(' ').nth(1)?.parse::<usize>().ok());
    resident.unwrap_or_default() * PAGE_BYTES
}
