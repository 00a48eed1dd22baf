//! How long a search takes with a model, on a clock and in processor time: other work on the machine shows in the first only.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use toolgate_core::{CanonicalName, Digest, ServerName};
use toolgate_search::meaning::Meaning;
use toolgate_search::{Document, Indexer, Subset};

use crate::sets::Sets;

const TOOLS: usize = 10_000;
const HITS: usize = 20;

pub(crate) fn measure(meaning: &Meaning, sets: &Sets, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let subset = repeated(sets)?;
    let (started, progress) = (Instant::now(), meaning.follow(subset.index()));
    writeln!(out, "\n{} tools followed in {:.1?}, {progress:?}", subset.len(), started.elapsed())?;
    let queries = [&sets.steps, &sets.wants].into_iter().flatten().map(|one| one.query.as_str());
    tell("steps and wants", queries.collect(), meaning, &subset, out)?;
    let queries = sets.tasks.iter().map(|one| one.query.as_str());
    tell("tasks", queries.collect(), meaning, &subset, out)?;
    let queries = sets.tasks.iter().map(|one| one.query.as_str());
    tell("tasks again", queries.collect(), meaning, &subset, out)?;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM")) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The largest catalogue, filled up with tools of other names whose texts are embedded already.
fn repeated(sets: &Sets) -> Result<Subset, Box<dyn Error>> {
    let rows = sets.rows();
    let largest = rows.iter().max_by_key(|row| row.catalogue.index.len()).ok_or("no catalogue")?;
    let documents: Vec<&Arc<Document>> = largest.catalogue.index.documents().collect();
    let copies = TOOLS.saturating_sub(documents.len());
    let mut servers: BTreeMap<&ServerName, Vec<(Digest, Arc<Document>)>> = BTreeMap::new();
    for (number, document) in documents.iter().cycle().take(documents.len() + copies).enumerate() {
        let name =
            CanonicalName::recorded(&format!("{}{}", document.name, "~".repeat(number / documents.len())));
        let copy = Document { name, ..Document::clone(document) };
        servers.entry(&document.server).or_default().push((Digest::of(copy.name.as_str()), Arc::new(copy)));
    }
    let mut indexer = Indexer::new();
    servers.into_iter().for_each(|(server, documents)| indexer.update(server, documents));
    Ok(indexer.index().all())
}

fn tell(
    what: &str,
    queries: Vec<&str>,
    meaning: &Meaning,
    subset: &Subset,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let (mut clock, mut processor) = (Vec::new(), Vec::new());
    for query in queries {
        let (started, before) = (Instant::now(), processor_ms());
        meaning.search(subset, query, None, HITS)?;
        clock.push(started.elapsed().as_secs_f64() * 1e3);
        processor.push(processor_ms() - before);
    }
    let [clock, processor] = [clock, processor].map(|mut times| {
        times.sort_by(f64::total_cmp);
        format!("{:.1} / {:.1}", times[times.len() / 2], times[times.len() * 99 / 100])
    });
    writeln!(out, "{what}: {clock} ms (p50 / p99), {processor} ms of processor time")?;
    Ok(())
}

/// Time on a processor, of all threads together.
fn processor_ms() -> f64 {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return 0.0 };
    let spent = |thread: fs::DirEntry| {
        let line = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        line.split(' ').next()?.parse::<f64>().ok()
    };
    threads.flatten().filter_map(spent).sum::<f64>() / 1e6
}
