//! All documents of a folder: time, tools, reasons, and whether schemas compile.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use openapi_tools::{ApiTool, ReadLimits};

use crate::say;

/// One document of the corpus has 47 MB. What a gateway reads by default is less.
const LIMITS: ReadLimits =
    ReadLimits { bytes_max: 64 << 20, nodes_max: 4_000_000, depth_max: openapi_tools::DEPTH_MAX };
const THREADS: usize = 2;
const GITHUB_ROUNDS: usize = 5;
const CORPUS_MAX: Duration = Duration::from_secs(90);
const GITHUB_MAX: Duration = Duration::from_millis(400);
/// A document that takes longer than this counts as one that hangs.
const DOCUMENT_MAX: Duration = Duration::from_secs(30);
const COMPILED_MIN: f64 = 99.5;

/// The outcome of one document, or of several together.
#[derive(Default)]
struct CorpusCount {
    documents: usize,
    refused: Vec<String>,
    panics: Vec<String>,
    operations: usize,
    tools: usize,
    compiled: usize,
    input_bytes: usize,
    output_bytes: usize,
    /// Reasons of operations that are no tools or do not compile, and how many there are.
    reasons: BTreeMap<String, usize>,
    slowest: (Duration, String),
}

pub(crate) fn run(folder: &str, github: Option<&str>) -> ExitCode {
    let mut files = Vec::new();
    collect(Path::new(folder), &mut files);
    files.sort_by_key(|file| std::cmp::Reverse(file.metadata().map_or(0, |metadata| metadata.len())));
    let (begun, before) = (Instant::now(), cpu());
    let timed = each(&files, |_| {});
    let took = [begun.elapsed(), cpu().saturating_sub(before)];
    let checked = each(&files, compile);
    let is_met = [tell_corpus(&timed, took), tell_compiled(&checked), github.is_none_or(tell_github)];
    if is_met.into_iter().all(|met| met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "json" || end == "yaml" || end == "yml") {
            files.push(path);
        }
    }
}

/// Every document, on two threads. `judge` sees each tool and says what is wrong with it by a count of its own.
fn each(files: &[PathBuf], judge: impl Fn(&mut Judged<'_>) + Sync) -> CorpusCount {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut count = CorpusCount::default();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            one(file, &judge, &mut count);
        }
        count
    };
    let counts: Vec<CorpusCount> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    counts.into_iter().fold(CorpusCount::default(), CorpusCount::and)
}

/// A tool, and the count that it belongs to.
struct Judged<'a> {
    tool: &'a ApiTool,
    compiled: &'a mut usize,
    reasons: &'a mut BTreeMap<String, usize>,
    sizes: [&'a mut usize; 2],
    file: &'a Path,
}

fn one(file: &Path, judge: &impl Fn(&mut Judged<'_>), count: &mut CorpusCount) {
    let name = file.display().to_string();
    let Ok(bytes) = std::fs::read(file) else { return };
    count.documents += 1;
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let document = openapi_tools::read(&bytes, &LIMITS)?;
        let left_out = document.each_tool(|tool| {
            count.operations += 1;
            count.tools += 1;
            let sizes = [&mut count.input_bytes, &mut count.output_bytes];
            let (compiled, reasons) = (&mut count.compiled, &mut count.reasons);
            judge(&mut Judged { tool: &tool, compiled, reasons, sizes, file });
        });
        count.operations += left_out.len();
        for left_out in left_out {
            *count.reasons.entry(format!("{name}: {}", left_out.reason)).or_default() += 1;
        }
        Ok::<(), openapi_tools::BadDocument>(())
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(bad)) => count.refused.push(format!("{name}: {bad}")),
        Err(_) => count.panics.push(name.clone()),
    }
    count.slowest = std::mem::take(&mut count.slowest).max((begun.elapsed(), name));
}

fn compile(judged: &mut Judged<'_>) {
    *judged.sizes[0] += judged.tool.input_schema.to_string().len();
    *judged.sizes[1] += judged.tool.output_schema.as_ref().map_or(0, |schema| schema.to_string().len());
    let made =
        jsonschema::draft202012::meta::validate(&judged.tool.input_schema).map_err(|error| error.to_string());
    let made = made.and_then(|()| {
        jsonschema::draft202012::new(&judged.tool.input_schema).map(|_| ()).map_err(|error| error.to_string())
    });
    match made {
        Ok(()) => *judged.compiled += 1,
        Err(error) => {
            let error: String = error.chars().take(300).collect();
            *judged
                .reasons
                .entry(format!("{}: {}: {error}", judged.file.display(), judged.tool.name))
                .or_default() += 1;
        }
    }
}

impl CorpusCount {
    fn and(mut self, other: CorpusCount) -> CorpusCount {
        self.documents += other.documents;
        self.refused.extend(other.refused);
        self.panics.extend(other.panics);
        self.operations += other.operations;
        self.tools += other.tools;
        self.compiled += other.compiled;
        self.input_bytes += other.input_bytes;
        self.output_bytes += other.output_bytes;
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.slowest = self.slowest.max(other.slowest);
        self
    }
}

fn mark(met: bool) -> &'static str {
    if met { "reached" } else { "MISSED" }
}

/// The time of the processors that this program has used, by the kernel's count of ticks.
fn cpu() -> Duration {
    let said = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let numbers = said.rsplit(')').next().unwrap_or_default();
    // The twelfth and thirteenth after the name: what it used itself, and what the kernel used for it.
    let ticks: u64 =
        numbers.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn tell_corpus(count: &CorpusCount, [took, used]: [Duration; 2]) -> bool {
    let met = took <= CORPUS_MAX && count.panics.is_empty() && count.slowest.0 <= DOCUMENT_MAX;
    say(&format!(
        "corpus: {} documents, {} operations, {} tools in {:.1} s ({:.1} s of the processors) on {THREADS} threads (at most {} s): {}",
        count.documents,
        count.operations,
        count.tools,
        took.as_secs_f64(),
        used.as_secs_f64(),
        CORPUS_MAX.as_secs(),
        mark(met)
    ));
    say(&format!("  slowest: {:.2} s, {}", count.slowest.0.as_secs_f64(), count.slowest.1));
    say(&format!("  panics: {}; documents refused: {}", count.panics.len(), count.refused.len()));
    for line in count.panics.iter().chain(&count.refused) {
        say(&format!("    {line}"));
    }
    met
}

fn tell_compiled(count: &CorpusCount) -> bool {
    let share = 100.0 * count.compiled as f64 / count.operations.max(1) as f64;
    let met = share >= COMPILED_MIN;
    say(&format!(
        "schemas: {} of {} operations have an input schema that compiles as 2020-12: {share:.3} % (at least {COMPILED_MIN} %): {}",
        count.compiled,
        count.operations,
        mark(met)
    ));
    let kib = |bytes: usize| bytes as f64 / 1024.0 / count.tools.max(1) as f64;
    say(&format!(
        "  a tool has {:.1} KiB of input schema and {:.1} KiB of output schema",
        kib(count.input_bytes),
        kib(count.output_bytes)
    ));
    for (reason, count) in &count.reasons {
        say(&format!("    {count} × {reason}"));
    }
    met
}

fn tell_github(file: &str) -> bool {
    let Ok(bytes) = std::fs::read(file) else {
        say(&format!("github: there is no {file}"));
        return false;
    };
    let mut times = Vec::new();
    let (mut tools, before) = (0, cpu());
    for _ in 0..GITHUB_ROUNDS {
        let begun = Instant::now();
        let Ok(document) = openapi_tools::read(&bytes, &LIMITS) else { return false };
        tools = document.tools().tools.len();
        times.push(begun.elapsed());
    }
    times.sort();
    let median = times[GITHUB_ROUNDS / 2];
    let used = cpu().saturating_sub(before) / GITHUB_ROUNDS as u32;
    let met = median <= GITHUB_MAX;
    say(&format!(
        "github: {tools} tools in {} ms ({} ms of the processors), median of {GITHUB_ROUNDS} (at most {} ms): {}",
        median.as_millis(),
        used.as_millis(),
        GITHUB_MAX.as_millis(),
        mark(met)
    ));
    met
}
