//! One kind of thing (tools, prompts, resources, templates) of all servers: sorted, rendered once, found by name.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use toolgate_core::{CanonicalName, RawJson, ServerName, Tool};
use toolgate_wire::param_header::ParamHeader;

/// One thing that one server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub server: ServerName,
    /// The server's own name or URI.
    pub own: String,
    /// What agents call it.
    pub wire: String,
    pub canonical: CanonicalName,
    /// The definition as the server gave it, but for the name.
    pub definition: RawJson,
    /// Arguments that travel as headers too (tools only).
    pub param_headers: Vec<ParamHeader>,
    /// What policy and ledger know it as (tools only).
    pub tool: Option<Arc<Tool>>,
}

#[derive(Debug, Default)]
pub struct Section {
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<String, Arc<Entry>>,
    /// All definitions, joined by commas; `ends[i]` is where the i-th stops.
    rendered: String,
    ends: Vec<usize>,
}

/// A part of a list: the definitions joined by commas, and where to go on.
#[derive(Debug, PartialEq, Eq)]
pub struct Page<'a> {
    pub items: &'a str,
    pub next_cursor: Option<String>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the cursor is not one that this list gave out")]
pub struct BadCursor;

impl Section {
    pub(crate) fn new(mut entries: Vec<Arc<Entry>>) -> Self {
        entries.sort_by(|a, b| a.wire.cmp(&b.wire));
        let mut section = Self::default();
        for entry in &entries {
            if !section.rendered.is_empty() {
                section.rendered.push(',');
            }
            section.rendered.push_str(entry.definition.as_str());
            section.ends.push(section.rendered.len());
            section.by_name.insert(entry.wire.clone(), entry.clone());
        }
        for entry in &entries {
            section.by_name.entry(entry.canonical.as_str().to_owned()).or_insert_with(|| entry.clone());
        }
        section.entries = entries;
        section
    }

    /// Finds an entry by wire name or canonical name.
    pub fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name)
    }

    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    pub(crate) fn rendered(&self) -> &str {
        &self.rendered
    }

    /// One page. A cursor names the last entry of the page before, so a list that changes in between neither
    /// repeats nor skips what stayed.
    pub fn page(&self, cursor: Option<&str>, page_size: usize) -> Result<Page<'_>, BadCursor> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let last = decode_cursor(cursor).ok_or(BadCursor)?;
                self.entries.partition_point(|entry| entry.wire.as_str() <= last.as_str())
            }
        };
        let end = start.saturating_add(page_size).min(self.entries.len());
        let items = if start >= end {
            ""
        } else {
            let from = if start == 0 { 0 } else { self.ends[start - 1] + 1 };
            &self.rendered[from..self.ends[end - 1]]
        };
        let next_cursor = (end < self.entries.len()).then(|| encode_cursor(&self.entries[end - 1].wire));
        Ok(Page { items, next_cursor })
    }
}

const CURSOR_MARK: &str = "after:";

fn encode_cursor(last: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(format!("{CURSOR_MARK}{last}"))
}

fn decode_cursor(cursor: &str) -> Option<String> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    Some(text.strip_prefix(CURSOR_MARK)?.to_owned())
}
