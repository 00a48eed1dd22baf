//! `toolgate ledger`: the events, the verification, the export, the erasure, and the archive.

mod archive;
mod check;
mod checkpoint;
mod erase;
mod export;
mod found;
mod key;
mod progress;
mod prove;
mod render;
mod verify;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;
use toolgate_core::event::{EventFilter, RecordedEvent};
use toolgate_core::{Digest, RawJson};
use toolgate_store::{BodyCheck, LedgerOrder, Store, ledger_event_json};

use super::context::Context;
use super::shown;
use crate::cli::LedgerCommand;
use crate::config::Config;
use crate::local::open_store;
use crate::output::{put, say, talk};
use crate::table::json;
use found::{ReadBodies, named_call, read_bodies};
use render::StoredBody;

/// The polling interval of `--follow`.
const LOOK: Duration = Duration::from_millis(500);
/// The maximum number of events per poll; the next follows at once.
const LOOK_MAX: usize = 500;

pub(super) async fn run(context: &Context, command: LedgerCommand) -> anyhow::Result<ExitCode> {
    let command = match command {
        LedgerCommand::Check { proof, keys } => return check::run(context, &proof, &keys.keys),
        LedgerCommand::Key { new, name } => return key::run(context, new.as_deref(), &name).await,
        command => command,
    };
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let now_ms = shown::now_ms();
    let outcome = match command {
        LedgerCommand::Tail { follow, limit, from_archive, filter } => {
            let (filter, limit) = (filter.resolve(now_ms), limit as usize);
            let tail = LedgerTail { context, store: &store, filter, limit };
            match from_archive {
                true => {
                    archive::tail(context, &store, &tail.filter, limit).await.map(|last| tail.show(&last))
                }
                false if follow => tail.follow().await,
                false => tail.once().await,
            }
        }
        LedgerCommand::Show { call } => show(context, &config, &store, &call).await,
        LedgerCommand::Verify { against, keys, no_bodies } => {
            let bodies = if no_bodies { BodyCheck::Skip } else { BodyCheck::Rehash };
            verify::run(context, &config, &store, &against, keys.keys, bodies).await
        }
        LedgerCommand::Erase(args) => erase::run(context, &store, args).await,
        LedgerCommand::Checkpoint { output } => {
            checkpoint::run(context, &config, &store, output.as_deref()).await
        }
        LedgerCommand::Prove { call, checkpoint, disclose, output } => {
            let wanted = prove::ProofRequest { call, checkpoint, disclose, output };
            prove::run(context, &config, &store, wanted).await
        }
        // They need no store.
        LedgerCommand::Check { .. } | LedgerCommand::Key { .. } => Ok(ExitCode::SUCCESS),
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
        Ok(self.show(&events))
    }

    fn show(&self, events: &[RecordedEvent]) -> ExitCode {
        if self.context.global.json {
            self.print(events);
        } else {
            put!("{}", render::table(events).render(self.context.reader(), &()));
        }
        ExitCode::SUCCESS
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

async fn show(context: &Context, config: &Config, store: &Store, given: &str) -> anyhow::Result<ExitCode> {
    let NamedCall { events, archived } = shown_call(context, config, store, given).await?;
    let bodies = if archived { ReadBodies::new() } else { read_bodies(store, &events).await? };
    if context.global.json {
        let events = events.iter().map(ledger_event_json).collect();
        let shown = bodies.iter().map(|(digest, kept)| (digest, kept.as_ref().map(|kept| &kept.json)));
        put!("{}", json(&CallOutput { events, bodies: shown.collect(), archived }));
    } else {
        let body = |digest: &Digest| match bodies.get(digest) {
            Some(Some(kept)) => StoredBody::Here(kept.json.clone()),
            Some(None) => StoredBody::Changed,
            None => StoredBody::Gone,
        };
        put!("{}", render::call(&events, body));
    }
    if archived {
        talk!("this call is from the archive; its arguments and results are no longer kept in the database");
    }
    let is_changed = bodies.values().any(Option::is_none);
    if is_changed {
        talk!("hint: `toolgate ledger verify` names the first call whose arguments or result were changed");
    }
    Ok(if is_changed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A call for programs. Bodies are printed as they were stored, to the last digit; null is one that was changed.
#[derive(serde::Serialize)]
struct CallOutput<'a> {
    events: Vec<Value>,
    bodies: BTreeMap<&'a Digest, Option<&'a RawJson>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    archived: bool,
}

/// The events of a call, and where they were found.
struct NamedCall {
    events: Vec<RecordedEvent>,
    archived: bool,
}

/// The call in the database or else, by its whole id, in the archive.
async fn shown_call(
    context: &Context,
    config: &Config,
    store: &Store,
    given: &str,
) -> anyhow::Result<NamedCall> {
    let unknown = match named_call(store, given).await {
        Ok(events) => return Ok(NamedCall { events, archived: false }),
        Err(error) if !config.ledger.archive.enabled => return Err(error),
        Err(error) => error,
    };
    match archive::call(context, store, given).await? {
        events if events.is_empty() => Err(unknown),
        events => Ok(NamedCall { events, archived: true }),
    }
}
