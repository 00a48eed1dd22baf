//! Events as lines of text, page by page: memory use does not grow with their number.

use std::fmt::Write as _;

use toolgate_core::event::{EventFilter, Position, RecordedEvent};

use super::json::{ledger_event_cloudevent, ledger_event_json};
use super::read::{LEDGER_PAGE_MAX, LedgerOrder};
use super::scan::Horizon;
use crate::error::doing;
use crate::{Store, StoreError};

/// The format of each event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// As the ledger stores it.
    Jsonl,
    /// CloudEvents 1.0.
    CloudEvents,
}

impl ExportFormat {
    pub const ALL: [ExportFormat; 2] = [ExportFormat::Jsonl, ExportFormat::CloudEvents];

    pub fn as_str(self) -> &'static str {
        match self {
            ExportFormat::Jsonl => "jsonl",
            ExportFormat::CloudEvents => "cloudevents",
        }
    }

    pub fn parse(text: &str) -> Option<ExportFormat> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }
}

/// An export in progress. It ends with the last event that existed when it began.
pub struct LedgerExport {
    store: Store,
    filter: EventFilter,
    format: ExportFormat,
    after: Option<Position>,
    /// The heads at the beginning.
    horizon: Vec<Horizon>,
}

/// Some events, a line for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedLines {
    pub text: String,
    pub events: usize,
}

impl Store {
    pub async fn export_ledger(
        &self,
        filter: EventFilter,
        format: ExportFormat,
    ) -> Result<LedgerExport, StoreError> {
        let horizon = self.horizon().await.map_err(doing("find the end of the ledger"))?;
        Ok(LedgerExport { store: self.clone(), filter, format, after: None, horizon })
    }
}

impl LedgerExport {
    /// The next lines, oldest first; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<ExportedLines>, StoreError> {
        let (after, order) = (self.after.as_ref(), LedgerOrder::OldestFirst);
        let page = self.store.page(&self.filter, after, &self.horizon, LEDGER_PAGE_MAX, order).await;
        let page = page.map_err(doing("read the ledger"))?;
        self.after = page.last().map(|event| event.position.clone()).or(self.after.take());
        if page.is_empty() {
            return Ok(None);
        }
        Ok(Some(exported(&page, self.format)))
    }
}

/// Some events in a format, a line for each.
pub fn exported(events: &[RecordedEvent], format: ExportFormat) -> ExportedLines {
    let mut text = String::new();
    for recorded in events {
        let value = match format {
            ExportFormat::Jsonl => ledger_event_json(recorded),
            ExportFormat::CloudEvents => ledger_event_cloudevent(recorded),
        };
        writeln!(text, "{value}").expect("a string takes all that is written to it");
    }
    ExportedLines { text, events: events.len() }
}
