//! `toolgate-bench discovery`: the results of search on labelled catalogues, their cost in tokens, and the
//! time.
//!
//! Lives here: options, the order of steps. Does not live here: the catalogues and queries (`sets`), the
//! measures (`labelled`, `answers`, `speed`), the comparison with targets (`reach`), the layout (`findings`).

mod answers;
mod catalogue;
mod clock;
mod findings;
mod labelled;
mod reach;
mod sets;
mod speed;
mod targets;
mod vectors;
mod way;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use toolgate_search::tokens;

use self::findings::Findings;
use self::reach::{Shelves, reach};
use self::sets::Sets;
use self::vectors::Encoding;
use self::way::Way;
use crate::proc;
use crate::say::say;

const MODEL: &str = ".cache/model/all-MiniLM-L6-v2";

#[derive(clap::Args)]
pub(crate) struct DiscoveryOptions {
    /// The folder with the catalogues
    #[arg(long, value_name = "DIR", default_value = "../shared/data")]
    data: PathBuf,
    /// The folder of a model; by default the one that script/model fetches, if it is there
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Also write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also list each query whose right tools are not among the first five
    #[arg(long)]
    misses: bool,
    /// Exit with 1 when a required target is missed
    #[arg(long)]
    strict: bool,
}

/// On its own thread: nothing in it awaits, so an interruption would not be noticed.
pub(crate) async fn run(options: DiscoveryOptions) -> anyhow::Result<ExitCode> {
    tokio::task::spawn_blocking(move || measure(&options)).await.context("the measuring thread died")?
}

fn measure(options: &DiscoveryOptions) -> anyhow::Result<ExitCode> {
    if !options.data.is_dir() {
        let data = options.data.display();
        say(&format!("skipped: there are no catalogues at {data}; --data DIR says where they are"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let model = model_folder(options)?;
    let sets = Sets::read(&options.data)?;
    let encoding = model.map(|folder| Encoding::open(&folder, &sets.everything())).transpose()?;
    let findings = find(&sets, encoding.as_ref())?;
    if options.misses {
        tell_misses(&sets, encoding.as_ref())?;
    }
    tell(options, &findings)
}

fn model_folder(options: &DiscoveryOptions) -> anyhow::Result<Option<PathBuf>> {
    match &options.model {
        Some(folder) if folder.is_dir() => Ok(Some(folder.clone())),
        Some(folder) => {
            bail!("there is no model at {}\nhint: script/model DIR fetches one", folder.display())
        }
        None if Path::new(MODEL).is_dir() => Ok(Some(PathBuf::from(MODEL))),
        None => {
            say(&format!(
                "skipped: encoder only and fused, for there is no model at {MODEL}; script/model fetches it"
            ))?;
            Ok(None)
        }
    }
}

fn find(sets: &Sets, encoding: Option<&Encoding>) -> anyhow::Result<Findings> {
    let shelves = Shelves::of(sets);
    let sizes = speed::measure(sets, encoding)?;
    let reached = |way: &Way<'_>| reach(way, sets, &shelves, &sizes);
    let listings = [&shelves.live, &shelves.enterprise, &shelves.real];
    Ok(Findings {
        cpu: proc::cpu_model(),
        cores: proc::cores(),
        tokenizer: tokens::TOKENIZER,
        files: sets.sources.clone(),
        model: encoding.map(|encoding| encoding.facts.clone()),
        listings: listings.map(|shelf| shelf.listing.clone()).into(),
        ways: ways(encoding).iter().map(reached).collect::<anyhow::Result<_>>()?,
        sizes,
    })
}

fn ways(encoding: Option<&Encoding>) -> Vec<Way<'_>> {
    let with_model = encoding.map(|one| [Way::Meaning(&one.meaning), Way::Both(&one.meaning)]);
    std::iter::once(Way::Words).chain(with_model.into_iter().flatten()).collect()
}

fn tell_misses(sets: &Sets, encoding: Option<&Encoding>) -> anyhow::Result<()> {
    for way in ways(encoding) {
        for trial in sets.trials() {
            say(&trial.misses(&way)?)?;
        }
    }
    Ok(())
}

fn tell(options: &DiscoveryOptions, findings: &Findings) -> anyhow::Result<ExitCode> {
    say(&findings.text())?;
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(findings).context("write the figures as JSON")?;
        std::fs::write(path, json + "\n").with_context(|| format!("write {}", path.display()))?;
    }
    match findings.misses() {
        0 => Ok(ExitCode::SUCCESS),
        misses => {
            eprintln!("{misses} target(s) missed");
            Ok(if options.strict { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
    }
}
