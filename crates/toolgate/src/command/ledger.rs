//! `toolgate ledger`: the events, the verification, the export, and the archive.

mod archive;
mod export;
mod render;

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;
use toolgate_core::event::{EventFilter, RecordedEvent};
use toolgate_core::id::CallId;
use toolgate_core::{Digest, RawJson};
use toolgate_store::{LedgerOrder, Store, ledger_event_json};

use super::context::Context;
use super::pick::pick;
use super::shown;
use crate::cli::LedgerCommand;
use crate::config::Config;
use crate::local::open_store;
use crate::output::{put, say, talk, write_talk};
use crate::table::json;
use render::StoredBody;

/// The polling interval of `--follow`.
const LOOK: Duration = Duration::from_millis(500);
/// The maximum number of events per poll; the next follows at once.
const LOOK_MAX: usize = 500;
/// Among how many of the last events a part of an id is looked for.
const CALLS_LOOK_MAX: usize = 5_000;

pub(super) async fn run(context: &Context, command: LedgerCommand) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let now_ms = shown::now_ms();
    let outcome = match command {
        LedgerCommand::Tail { follow, limit, filter } => {
            let tail =
                LedgerTail { context, store: &store, filter: filter.resolve(now_ms), limit: limit as usize };
            if follow { tail.follow().await } else { tail.once().await }
        }
        LedgerCommand::Show { call } => show(context, &store, &call).await,
        LedgerCommand::Verify => verify(context, &config, &store).await,
        LedgerCommand::Export { format, output, from_archive, filter } => {
            let target = output.map(|file| context.cwd.join(file));
            let filter = filter.resolve(now_ms);
            match from_archive {
                true => archive::export(context, &store, &filter, format, target.as_deref()).await,
                false => export::run(&store, &filter, format, target.as_deref()).await,
            }
        }
        LedgerCommand::Archive(args) => archive::run(context, &config, &store, &args).await,
    };
    store.close().await;
    outcome
}

struct LedgerTail<'a> {
    context: &'a Context,
    store: &'a Store,
    filter: EventFilter,
    limit: usize,
}

impl LedgerTail<'_> {
    async fn once(&self) -> anyhow::Result<ExitCode> {
        let events = self.last().await?;
        if self.context.global.json {
            self.print(&events);
        } else {
            put!("{}", render::table(&events).render(self.context.reader(), &()));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Ends only when it is interrupted, or when the reader is gone.
    async fn follow(&self) -> anyhow::Result<ExitCode> {
        if !self.context.global.json {
            say!("{}", render::header_line());
        }
        let events = self.last().await?;
        self.print(&events);
        let mut last = match events.last() {
            Some(event) => event.position.clone(),
            None => self.store.ledger_end().await?,
        };
        loop {
            let events =
                self.store.ledger_page(&self.filter, Some(&last), LOOK_MAX, LedgerOrder::OldestFirst).await?;
            self.print(&events);
            last = events.last().map_or(last, |event| event.position.clone());
            if events.len() < LOOK_MAX {
                tokio::time::sleep(LOOK).await;
            }
        }
    }

    /// The last events, oldest of them first.
    async fn last(&self) -> anyhow::Result<Vec<RecordedEvent>> {
        let mut events =
            self.store.ledger_page(&self.filter, None, self.limit, LedgerOrder::NewestFirst).await?;
        events.reverse();
        Ok(events)
    }

    fn print(&self, events: &[RecordedEvent]) {
        for event in events {
            if self.context.global.json {
                say!("{}", ledger_event_json(event));
            } else {
                say!("{}", render::line(event));
            }
        }
    }
}

/// The matching call, by its whole id or by part of the id of a recent one.
async fn named_call(store: &Store, given: &str) -> anyhow::Result<Vec<RecordedEvent>> {
    let events = store.ledger_call(&CallId::new(given)).await?;
    if !events.is_empty() {
        return Ok(events);
    }
    let last =
        store.ledger_page(&EventFilter::default(), None, CALLS_LOOK_MAX, LedgerOrder::NewestFirst).await?;
    let ids = last.iter().filter_map(|one| one.event.about.call.as_ref());
    let ids: BTreeSet<&str> = ids.map(CallId::as_str).collect();
    let id = pick(given, ids, "call", "toolgate ledger tail")?;
    Ok(store.ledger_call(&CallId::new(id)).await?)
}

async fn show(context: &Context, store: &Store, given: &str) -> anyhow::Result<ExitCode> {
    let events = named_call(store, given).await?;
    let bodies = read_bodies(store, &events).await?;
    if context.global.json {
        let events = events.iter().map(ledger_event_json).collect();
        put!("{}", json(&CallOutput { events, bodies: &bodies }));
    } else {
        let body = |digest: &Digest| {
            bodies.get(digest).map_or(StoredBody::Gone, |json| StoredBody::Here(json.clone()))
        };
        put!("{}", render::call(&events, body));
    }
    Ok(ExitCode::SUCCESS)
}

/// A call for programs. Bodies are printed as they were stored, to the last digit.
#[derive(serde::Serialize)]
struct CallOutput<'a> {
    events: Vec<Value>,
    bodies: &'a BTreeMap<Digest, RawJson>,
}

async fn read_bodies(store: &Store, events: &[RecordedEvent]) -> anyhow::Result<BTreeMap<Digest, RawJson>> {
    let mut bodies = BTreeMap::new();
    for digest in events.iter().flat_map(|one| [one.event.input, one.event.output]).flatten() {
        if !bodies.contains_key(&digest)
            && let Some(body) = store.ledger_body(&digest).await?
        {
            bodies.insert(digest, body);
        }
    }
    Ok(bodies)
}

/// The result is a line on standard output; progress goes to standard error. The archive is verified after the
/// database, if there is one.
async fn verify(context: &Context, config: &Config, store: &Store) -> anyhow::Result<ExitCode> {
    let mut progress = ProgressLine::new();
    let verified = store.verify_ledger(|events| progress.tell(events)).await?;
    let archived = match config.ledger.archive.enabled {
        true => Some(archive::verify(context, store, &mut progress).await?),
        false => None,
    };
    progress.clear();
    if context.global.json {
        let (events, streams) = (verified.events, verified.streams);
        let mut said = serde_json::json!({ "events": events, "streams": streams, "fault": verified.fault });
        if let Some(archived) = &archived {
            said["archive"] = archive::verified_json(archived);
        }
        say!("{said}");
    } else {
        say!("{}", render::verified(&verified));
        archived.iter().for_each(archive::say_verified);
    }
    if verified.fault.is_some() {
        talk!("hint: what comes before it is as it was written; compare the rest with an export or a backup");
    }
    let is_sound = verified.fault.is_none() && archived.is_none_or(|archived| archived.faults.is_empty());
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A progress line on the terminal that overwrites itself. Nothing is shown elsewhere: a log is not a
/// terminal.
struct ProgressLine {
    on_terminal: bool,
}

impl ProgressLine {
    fn new() -> Self {
        Self { on_terminal: std::io::stderr().is_terminal() }
    }

    fn tell(&mut self, events: u64) {
        if self.on_terminal {
            write_talk(format_args!("\r{} …", shown::several(events, "event")));
        }
    }

    fn clear(&self) {
        if self.on_terminal {
            write_talk(format_args!("\r\u{1b}[K"));
        }
    }
}
