//! `toolgate ledger archive`, and the archive's part in verification and export.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use serde_json::{Value, json};
use toolgate_archive::{Archive, ArchiveError, ArchiveVerification, SegmentEntry, closed_until, day_text};
use toolgate_core::event::{EventFilter, RecordedEvent};
use toolgate_core::id::CallId;
use toolgate_store::{LedgerOrder, Store};

use super::export::ExportSink;
use super::progress::ProgressLine;
use crate::archiving;
use crate::cli::{ArchiveArgs, ArchiveCommand, ExportFormat};
use crate::command::context::Context;
use crate::command::shown::{self, several};
use crate::config::Config;
use crate::output::{printable, put, say, talk};
use crate::table::{self, TextTable};

/// The least time since the end of a day that is archived by hand: events may still be on their way.
const GRACE: Duration = Duration::from_secs(60 * 60);

pub(super) async fn run(
    context: &Context,
    config: &Config,
    store: &Store,
    args: &ArchiveArgs,
) -> anyhow::Result<ExitCode> {
    let archive = open(context, store)?;
    match args.command {
        Some(ArchiveCommand::List) => list(context, &archive).await,
        Some(ArchiveCommand::Repair) => repair(context, &archive).await,
        Some(ArchiveCommand::Reindex) => reindex(context, &archive).await,
        None => {
            let until = last_day(config, args.day)?;
            match args.dry_run {
                true => plan(context, &archive, until).await,
                false => pass(context, &archive, until).await,
            }
        }
    }
}

/// The keys of a bucket may be in the environment.
fn open(context: &Context, store: &Store) -> anyhow::Result<Archive> {
    archiving::open(&context.config()?, store)
}

fn last_day(config: &Config, wanted: Option<i64>) -> anyhow::Result<i64> {
    let now = shown::now_ms();
    let Some(wanted) = wanted else { return Ok(closed_until(now, config.ledger.archive.after.max(GRACE))) };
    let last = closed_until(now, GRACE);
    if wanted > last {
        bail!(
            "{} is not over, or has been for less than an hour\nhint: the last day that can be archived is {}",
            day_text(wanted),
            day_text(last)
        );
    }
    Ok(wanted)
}

async fn pass(context: &Context, archive: &Archive, until: i64) -> anyhow::Result<ExitCode> {
    let mut written = Vec::new();
    let on_segment = |entry: &SegmentEntry| {
        talk!("{}", shown_segment(entry));
        written.push(entry.clone());
    };
    let report = archive.run(until, on_segment).await.map_err(told)?;
    if context.global.json {
        put!(
            "{}",
            table::json(
                &json!({ "until": day_text(until), "report": report, "segments": written.iter().map(segment_json).collect::<Vec<_>>() })
            )
        );
    } else {
        let (segments, events) = (several(report.segments, "segment"), several(report.events, "event"));
        say!("archived {events} in {segments}, up to the end of {}", day_text(until));
    }
    Ok(ExitCode::SUCCESS)
}

async fn plan(context: &Context, archive: &Archive, until: i64) -> anyhow::Result<ExitCode> {
    let plan = archive.plan(until).await.map_err(told)?;
    let mut table = TextTable::new(["STREAM", "DAY", "EVENTS", "FIRST", "LAST"]);
    for day in &plan.days {
        let (first, last) = (day.first.to_string(), day.last.to_string());
        table.row([day.stream.clone(), day.day.clone(), day.events.to_string(), first, last]);
    }
    put!("{}", table.render(context.reader(), &plan.days));
    Ok(ExitCode::SUCCESS)
}

async fn list(context: &Context, archive: &Archive) -> anyhow::Result<ExitCode> {
    let segments = archive.segments().await.map_err(told)?;
    let mut table = TextTable::new(["STREAM", "DAY", "EVENTS", "FIRST", "LAST", "BYTES", "FILE"]);
    for entry in &segments {
        let facts = &entry.facts;
        table.row([
            facts.stream.clone(),
            day_text(facts.day),
            facts.lines.to_string(),
            facts.first.to_string(),
            facts.last.to_string(),
            entry.bytes.to_string(),
            entry.name(),
        ]);
    }
    put!("{}", table.render(context.reader(), &segments.iter().map(segment_json).collect::<Vec<_>>()));
    Ok(ExitCode::SUCCESS)
}

async fn repair(context: &Context, archive: &Archive) -> anyhow::Result<ExitCode> {
    let repaired = archive.repair().await.map_err(told)?;
    if context.global.json {
        put!("{}", table::json(&repaired.iter().map(segment_json).collect::<Vec<_>>()));
        return Ok(ExitCode::SUCCESS);
    }
    repaired.iter().for_each(|entry| talk!("{}", shown_segment(entry)));
    say!(
        "{} written again; `toolgate ledger verify` says what is left",
        several(repaired.len() as u64, "segment")
    );
    Ok(ExitCode::SUCCESS)
}

async fn reindex(context: &Context, archive: &Archive) -> anyhow::Result<ExitCode> {
    let segments = archive.reindex().await.map_err(told)? as u64;
    if context.global.json {
        put!("{}", table::json(&json!({ "segments": segments })));
    } else {
        say!("the index has {}", several(segments, "segment"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Events of the archive to a file or a pipe.
pub(super) async fn export(
    context: &Context,
    store: &Store,
    filter: &EventFilter,
    format: ExportFormat,
    target: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let archive = open(context, store)?;
    let mut sink = ExportSink::open(target)?;
    let mut export = archive.export(filter, format.into()).await.map_err(told)?;
    let mut count = 0;
    while let Some(lines) = export.next().await.map_err(told)? {
        count += lines.events as u64;
        sink.write(&lines.text)?;
    }
    sink.finish()?;
    if let Some(target) = target {
        talk!("wrote {} to {}", several(count, "event"), target.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The last archived events that pass a filter, oldest of them first.
pub(super) async fn tail(
    context: &Context,
    store: &Store,
    filter: &EventFilter,
    limit: usize,
) -> anyhow::Result<Vec<RecordedEvent>> {
    let archive = open(context, store)?;
    let (mut events, mut after) = (Vec::new(), None);
    loop {
        let left = limit - events.len();
        let page =
            archive.page(filter, after.as_ref(), left, LedgerOrder::NewestFirst).await.map_err(told)?;
        events.extend(page.events);
        after = page.next;
        if after.is_none() || events.len() >= limit {
            break;
        }
    }
    events.reverse();
    Ok(events)
}

/// The events of a call in the archive.
pub(super) async fn call(context: &Context, store: &Store, id: &str) -> anyhow::Result<Vec<RecordedEvent>> {
    open(context, store)?.call(&CallId::new(id)).await.map_err(told)
}

pub(super) async fn verify(
    context: &Context,
    store: &Store,
    progress: &mut ProgressLine,
) -> anyhow::Result<ArchiveVerification> {
    let archive = open(context, store)?;
    archive.verify(|events| progress.tell(events)).await.map_err(told)
}

pub(super) fn verified_json(verified: &ArchiveVerification) -> Value {
    json!({ "segments": verified.segments, "events": verified.events, "faults": verified.faults })
}

/// The result of a verification in one line, or a line for each fault.
pub(super) fn say_verified(verified: &ArchiveVerification) {
    if verified.faults.is_empty() {
        let (events, segments) = (verified.events, verified.segments);
        say!("archive ok: {} in {}", several(events, "event"), several(segments, "segment"));
    }
    for fault in &verified.faults {
        say!("archive not intact: {}", printable(&fault.to_string()));
        talk!("hint: {}", fault.what.hint());
    }
}

fn shown_segment(entry: &SegmentEntry) -> String {
    let (facts, events) = (&entry.facts, several(entry.facts.lines, "event"));
    printable(&format!("{} of stream {}: {events}, {}", day_text(facts.day), facts.stream, entry.name()))
}

fn segment_json(entry: &SegmentEntry) -> Value {
    let mut value = json!(entry);
    value["name"] = entry.name().into();
    value["day"] = day_text(entry.facts.day).into();
    value
}

fn told(error: ArchiveError) -> anyhow::Error {
    archiving::told(&error)
}
