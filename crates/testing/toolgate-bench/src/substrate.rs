//! Manifests of many entries, over SQLite and Postgres: building, editing, comparing, with the nodes that are read and the growth of
//! the process; and the same paths in git.
//!
//! Lives here: the rounds, the stated bounds. Does not live here: the entries (`paths`), git (`beside_git`), the place of the store (`shelf`).

mod beside_git;
mod paths;
mod shelf;

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use manifest_tree::TreeEdit;
use toolgate_substrate::{Manifest, ManifestNote, NamedContents};

use crate::proc;
use crate::say::say;
use crate::start::mib;
use shelf::{BenchShelf, told};

const CHANGES: u64 = 10_000;
/// How often short operations are repeated; the median counts.
const REPEATS: u64 = 51;
/// The maximum growth of the process during any operation.
const GROWTH_MIB_MAX: f64 = 64.0;

const BUILD_MAX: Duration = Duration::from_secs(2);
const EDIT_MAX: Duration = Duration::from_millis(10);
const WARM_MAX: Duration = Duration::from_millis(1);
const COLD_MAX: Duration = Duration::from_millis(10);
const CLUSTERED_MAX: Duration = Duration::from_millis(50);
const RANDOM_MAX: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub(crate) struct SubstrateOptions {
    /// Entries of the manifest
    #[arg(long, default_value_t = 1_000_000)]
    entries: u64,
    /// A Postgres server, on which a database is made
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    /// Leave git out
    #[arg(long)]
    no_git: bool,
    /// Fail when a bound is missed
    #[arg(long)]
    strict: bool,
}

/// One measured operation.
struct MeasuredStep {
    time: Duration,
    nodes_read: u64,
    growth_mib: f64,
}

/// The steps of a run, and whether all of them kept their bounds.
struct BenchRun<'a> {
    shelf: &'a BenchShelf,
    is_within_bounds: bool,
}

pub(crate) async fn run(options: SubstrateOptions) -> anyhow::Result<ExitCode> {
    let mut is_within_bounds = true;
    let places = std::iter::once(None).chain(options.postgres.as_deref().map(Some));
    for place in places {
        let shelf = BenchShelf::open(place).await?;
        say(&format!("{}, {} entries", shelf.name, options.entries))?;
        let mut run = BenchRun { shelf: &shelf, is_within_bounds: true };
        run.all(options.entries).await?;
        is_within_bounds &= run.is_within_bounds;
        shelf.close().await;
    }
    if !options.no_git {
        let folder = tempfile::tempdir().context("make a folder for git")?;
        beside_git::run(options.entries, CHANGES, folder.path())?;
    }
    Ok(if options.strict && !is_within_bounds { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl BenchRun<'_> {
    async fn all(&mut self, entries: u64) -> anyhow::Result<()> {
        let base = self.build(entries).await?;
        self.single(entries, &base).await?;
        let clustered = paths::mixed((0..CHANGES.min(entries / 3)).map(|one| entries / 3 + one));
        self.many("10,000 clustered", &base, clustered, CLUSTERED_MAX).await?;
        let random = paths::mixed(paths::random_numbers(entries, CHANGES).into_iter());
        self.many("10,000 random", &base, random, RANDOM_MAX).await
    }

    async fn build(&mut self, entries: u64) -> anyhow::Result<Manifest> {
        let substrate = &self.shelf.substrate;
        let measuring = self.begin()?;
        let all = (0..entries).map(|number| (paths::path(number), paths::entry(number, 0)));
        let tree = substrate.store_tree(all).await.map_err(told)?;
        let note = ManifestNote { message: "base".to_owned(), ..ManifestNote::default() };
        let made = substrate.record_manifest(&shelf::author(), tree, note, &NamedContents::default()).await;
        let manifest = made.map_err(told)?.manifest;
        let step = measuring.end(self.shelf)?;
        self.report("build", &step, BUILD_MAX)?;
        Ok(manifest)
    }

    /// One change at a time: the edit, the comparison with a cache that has the nodes, and with one that has nothing.
    async fn single(&mut self, entries: u64, base: &Manifest) -> anyhow::Result<()> {
        let (mut edits, mut warm, mut cold) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..REPEATS {
            let number = paths::scramble(number + 7) % entries;
            let edit = TreeEdit { path: paths::path(number), entry: Some(paths::entry(number, 2)) };
            let (new, step) = self.edit(base, vec![edit], &format!("one {number}")).await?;
            edits.push(step);
            warm.push(self.compare(base, &new, 1).await?);
            self.shelf.substrate.forget_nodes();
            cold.push(self.compare(base, &new, 1).await?);
        }
        self.report("edit, one", &median(edits), EDIT_MAX)?;
        self.report("difference after it, warm", &median(warm), WARM_MAX)?;
        self.report("difference after it, from the store", &median(cold), COLD_MAX)
    }

    async fn many(
        &mut self,
        name: &str,
        base: &Manifest,
        edits: Vec<TreeEdit>,
        bound: Duration,
    ) -> anyhow::Result<()> {
        let count = edits.len() as u64;
        self.shelf.substrate.forget_nodes();
        let (new, step) = self.edit(base, edits, name).await?;
        // The bound is about comparing; an edit also writes its nodes.
        self.report(&format!("edit, {name}"), &step, RANDOM_MAX * 4)?;
        let warm = self.compare(base, &new, count).await?;
        self.report(&format!("difference, {name}, warm"), &warm, bound)?;
        self.shelf.substrate.forget_nodes();
        let cold = self.compare(base, &new, count).await?;
        self.report(&format!("difference, {name}, from the store"), &cold, bound * 4)
    }

    async fn edit(
        &self,
        base: &Manifest,
        edits: Vec<TreeEdit>,
        message: &str,
    ) -> anyhow::Result<(Manifest, MeasuredStep)> {
        let note = ManifestNote { parents: vec![base.digest], message: message.to_owned(), metadata: None };
        let measuring = self.begin()?;
        let named = NamedContents::default();
        let made = self.shelf.substrate.edit_manifest(&shelf::author(), base, edits, &note, &named).await;
        let step = measuring.end(self.shelf)?;
        Ok((made.map_err(told)?.manifest, step))
    }

    async fn compare(&self, old: &Manifest, new: &Manifest, changes: u64) -> anyhow::Result<MeasuredStep> {
        let measuring = self.begin()?;
        let summary = self.shelf.substrate.summarize_difference(Some(old.digest), new.digest, 0).await;
        let step = measuring.end(self.shelf)?;
        let summary = summary.map_err(told)?;
        let found = summary.added + summary.removed + summary.changed + summary.metadata_changed;
        anyhow::ensure!(found == changes, "{found} changes were found, and {changes} were made");
        Ok(step)
    }

    fn begin(&self) -> anyhow::Result<StepStart> {
        // The highest mark of this process from now on.
        fs::write("/proc/self/clear_refs", "5").context("forget the highest mark of memory")?;
        let resident = proc::memory(std::process::id())?.resident_bytes;
        Ok(StepStart { resident, nodes_read: self.shelf.substrate.nodes_read(), since: Instant::now() })
    }

    fn report(&mut self, name: &str, step: &MeasuredStep, bound: Duration) -> anyhow::Result<()> {
        let is_within = step.time <= bound && step.growth_mib <= GROWTH_MIB_MAX;
        self.is_within_bounds &= is_within;
        let [ms, bound] = [step.time, bound].map(|time| time.as_secs_f64() * 1e3);
        let mark = if is_within { "" } else { "  missed" };
        say(&format!(
            "  {name:<44} {ms:>10.3} ms of {bound:>6} {:>8} nodes read {:>7.1} MiB{mark}",
            step.nodes_read, step.growth_mib
        ))
    }
}

/// The state before a measured operation.
struct StepStart {
    resident: u64,
    nodes_read: u64,
    since: Instant,
}

impl StepStart {
    fn end(self, shelf: &BenchShelf) -> anyhow::Result<MeasuredStep> {
        let time = self.since.elapsed();
        let peak = proc::memory(std::process::id())?.peak_bytes;
        let nodes_read = shelf.substrate.nodes_read() - self.nodes_read;
        Ok(MeasuredStep { time, nodes_read, growth_mib: mib(peak.saturating_sub(self.resident)) })
    }
}

fn median(mut all: Vec<MeasuredStep>) -> MeasuredStep {
    all.sort_by_key(|step| step.time);
    all.swap_remove(all.len() / 2)
}
