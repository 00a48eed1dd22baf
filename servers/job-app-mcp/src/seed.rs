//! `job-app-mcp seed`: fills the database from a file or a feed, prints what it stored, and ends.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use capability_kit::{Outgoing, Trouble};
use clap::Parser;
use serde_json::Value;
use url::Url;

use crate::clock::JobClock;
use crate::options::PlaceOptions;
use crate::records::{JobRecords, SeedCounts, SeedData};

const WORD: &str = "seed";
const FILE_BYTES_MAX: u64 = 64 << 20;
const FEED_LIMIT: Duration = Duration::from_secs(30);

/// Fill the database with people, profiles, handles of credentials and jobs.
#[derive(Parser)]
#[command(name = "job-app-mcp seed", max_term_width = 110)]
struct SeedLine {
    #[command(flatten)]
    place: PlaceOptions,
    /// A JSON file with users and jobs, or with JobPostings of schema.org; - reads standard input
    #[arg(long, value_name = "FILE", required_unless_present = "feed")]
    file: Option<PathBuf>,
    /// The address of JobPostings of schema.org as JSON-LD: a list, an ItemList or a graph
    #[arg(long, value_name = "URL")]
    feed: Option<Url>,
    /// Certificates of authorities to trust beside the machine's, in PEM
    #[arg(long, value_name = "FILE", requires = "feed")]
    ca_file: Option<PathBuf>,
    /// A proxy for the feed, such as http://proxy.example:3128
    #[arg(long, value_name = "URL", requires = "feed")]
    proxy: Option<String>,
}

/// True if the command line is about filling the database, not about serving.
pub fn asked_for() -> bool {
    std::env::args_os().nth(1).as_deref() == Some(OsStr::new(WORD))
}

pub fn run() -> ExitCode {
    let line = match SeedLine::try_parse_from(std::env::args_os().skip(1)) {
        Ok(line) => line,
        Err(words) => {
            drop(words.print());
            return ExitCode::from(words.exit_code() as u8);
        }
    };
    match fill(&line) {
        Ok(counts) => {
            // A closed reader has no use for it.
            drop(writeln!(io::stdout(), "{}", said(&counts)));
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            eprintln!("error: {trouble}");
            ExitCode::FAILURE
        }
    }
}

fn said(counts: &SeedCounts) -> String {
    format!(
        "{} users, {} new jobs ({} postings were of jobs that are known), {} new applications",
        counts.users, counts.new_jobs, counts.known_postings, counts.new_applications
    )
}

fn fill(line: &SeedLine) -> Result<SeedCounts, Trouble> {
    let place = line.place.place().ok_or_else(|| {
        Trouble::bad_arguments("there is no database to fill").hint("name it with --data or --database")
    })?;
    // Both are read before anything is stored.
    let file = line.file.as_deref().map(from_file).transpose()?;
    let feed = line.feed.as_ref().map(|feed| from_feed(feed, line)).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Trouble::internal(format!("no runtime: {error}")))?;
    // Nothing is leased here.
    let records = JobRecords::new(Some(place), JobClock::wall(), Duration::ZERO);
    runtime.block_on(async {
        let mut all = SeedCounts::default();
        for data in file.iter().chain(feed.iter()) {
            let counts = records.seed(data).await?;
            all.users += counts.users;
            all.new_jobs += counts.new_jobs;
            all.known_postings += counts.known_postings;
            all.new_applications += counts.new_applications;
        }
        records.close().await;
        Ok(all)
    })
}

fn from_file(path: &Path) -> Result<SeedData, Trouble> {
    let shown = path.display();
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => io::stdin().take(FILE_BYTES_MAX + 1).read_to_string(&mut text),
        false => File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)),
    };
    let bytes = read.map_err(|error| {
        Trouble::unreadable(format!("{shown} cannot be read: {error}")).hint("--file names a JSON file")
    })?;
    if bytes as u64 > FILE_BYTES_MAX {
        return Err(Trouble::unreadable(format!("{shown} has more than {FILE_BYTES_MAX} bytes"))
            .hint("seed it in parts"));
    }
    data(&text, &shown.to_string())
}

fn from_feed(feed: &Url, line: &SeedLine) -> Result<SeedData, Trouble> {
    let away = |why: String| {
        Trouble::unavailable(format!("the feed {}: {why}", feed.host_str().unwrap_or_default()))
            .hint("look whether the address is right and answers with JSON")
    };
    let outgoing = Outgoing::new(feed, line.ca_file.as_deref(), line.proxy.as_deref(), FEED_LIMIT);
    let outgoing = outgoing.map_err(|error| away(error.to_string()))?;
    let answer = outgoing.get_at_once().map_err(|error| away(error.to_string()))?;
    if !answer.status().is_success() {
        return Err(away(format!("it answered {}", answer.status())));
    }
    let body = answer.into_body().map_err(|error| away(error.to_string()))?;
    let text = std::str::from_utf8(&body).map_err(|_| away("it is not UTF-8".to_owned()))?;
    data(text, feed.as_str())
}

fn data(text: &str, place: &str) -> Result<SeedData, Trouble> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        Trouble::unreadable(format!("{place} is not JSON: {error}")).hint("the server's README has the form")
    })?;
    SeedData::read(value)
        .map_err(|trouble| Trouble { message: format!("{place}: {}", trouble.message), ..trouble })
}
