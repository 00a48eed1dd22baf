//! Events to a file or a pipe, page by page: memory stays the same however many there are.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use tempfile::NamedTempFile;
use toolgate_core::event::{Filter, Recorded};
use toolgate_store::{LEDGER_PAGE_MAX, Order, Store, ledger_event_cloudevent, ledger_event_json};

use crate::cli::ExportFormat;
use crate::command::shown::several;
use crate::output::{put, talk};

pub(super) async fn run(
    store: &Store,
    filter: &Filter,
    format: ExportFormat,
    target: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let mut sink = Sink::open(target)?;
    let mut after = None;
    let mut count = 0;
    loop {
        let page = store.ledger_page(filter, after, LEDGER_PAGE_MAX, Order::OldestFirst).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.seq);
        count += page.len() as u64;
        sink.write(&lines(&page, format))?;
    }
    sink.finish()?;
    if let Some(target) = target {
        talk!("wrote {} to {}", several(count, "event"), target.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(page: &[Recorded], format: ExportFormat) -> String {
    let mut text = String::new();
    for recorded in page {
        let value = match format {
            ExportFormat::Jsonl => ledger_event_json(recorded),
            ExportFormat::Cloudevents => ledger_event_cloudevent(recorded),
        };
        writeln!(text, "{value}").expect("a string takes all that is written to it");
    }
    text
}

/// A file appears only when it is complete, so that half an export is never taken for a whole one.
enum Sink<'p> {
    Stdout,
    File { part: NamedTempFile, target: &'p Path },
}

impl<'p> Sink<'p> {
    fn open(target: Option<&'p Path>) -> anyhow::Result<Self> {
        let Some(target) = target else { return Ok(Sink::Stdout) };
        let folder = target.parent().unwrap_or(target);
        let part = NamedTempFile::new_in(folder);
        let part = part.with_context(|| format!("could not write to {}", folder.display()))?;
        Ok(Sink::File { part, target })
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match self {
            Sink::Stdout => {
                put!("{text}");
                Ok(())
            }
            Sink::File { part, target } => part
                .write_all(text.as_bytes())
                .with_context(|| format!("could not write {}", target.display())),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        let Sink::File { part, target } = self else { return Ok(()) };
        part.persist(target).with_context(|| format!("could not write {}", target.display()))?;
        Ok(())
    }
}
