//! Events to a file or a pipe.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use tempfile::NamedTempFile;
use toolgate_core::event::EventFilter;
use toolgate_store::Store;

use crate::cli::ExportFormat;
use crate::command::shown::several;
use crate::output::{put, talk};

pub(super) async fn run(
    store: &Store,
    filter: &EventFilter,
    format: ExportFormat,
    target: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let mut sink = ExportSink::open(target)?;
    let mut export = store.export_ledger(filter.clone(), format.into()).await?;
    let mut count = 0;
    while let Some(lines) = export.next().await? {
        count += lines.events as u64;
        sink.write(&lines.text)?;
    }
    sink.finish()?;
    if let Some(target) = target {
        talk!("wrote {} to {}", several(count, "event"), target.display());
    }
    Ok(ExitCode::SUCCESS)
}

impl From<ExportFormat> for toolgate_store::ExportFormat {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Jsonl => toolgate_store::ExportFormat::Jsonl,
            ExportFormat::Cloudevents => toolgate_store::ExportFormat::CloudEvents,
        }
    }
}

/// A file appears only when it is complete, so that half an export is never taken for a whole one.
pub(super) enum ExportSink<'p> {
    Stdout,
    File { part: NamedTempFile, target: &'p Path },
}

impl<'p> ExportSink<'p> {
    /// Writes one text.
    pub(super) fn put(target: Option<&'p Path>, text: &str) -> anyhow::Result<()> {
        let mut sink = Self::open(target)?;
        sink.write(text)?;
        sink.finish()
    }

    pub(super) fn open(target: Option<&'p Path>) -> anyhow::Result<Self> {
        let Some(target) = target else { return Ok(ExportSink::Stdout) };
        let folder = target.parent().unwrap_or(target);
        let part = NamedTempFile::new_in(folder);
        let part = part.with_context(|| format!("could not write to {}", folder.display()))?;
        Ok(ExportSink::File { part, target })
    }

    pub(super) fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match self {
            ExportSink::Stdout => {
                put!("{text}");
                Ok(())
            }
            ExportSink::File { part, target } => part
                .write_all(text.as_bytes())
                .with_context(|| format!("could not write {}", target.display())),
        }
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        let ExportSink::File { part, target } = self else { return Ok(()) };
        part.persist(target).with_context(|| format!("could not write {}", target.display()))?;
        Ok(())
    }
}
