//! One kind of thing (tools, prompts, resources, templates) of all servers: sorted, and found by name. Lists
//! are written from the definitions themselves, which are stored once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use toolgate_core::{CanonicalName, RawJson, ServerName, Tool};
use toolgate_wire::param_header::ParamHeader;

use crate::kind::OfferKind;
use crate::offer::{Offer, Wording};

/// One thing that one server offers.
#[derive(Debug, Clone)]
pub struct CatalogEntry {
    pub server: ServerName,
    /// The server's own name or URI.
    pub own: String,
    /// The name for agents.
    pub wire: String,
    pub canonical: CanonicalName,
    /// Arguments that travel as headers too (tools only).
    pub param_headers: Vec<ParamHeader>,
    /// The tool as policy and ledger know it (tools only).
    pub tool: Option<Arc<Tool>>,
    pub(crate) offer: Arc<Offer>,
    /// The definition for agents, where it is another one than the server's own.
    pub(crate) exposed: Option<Arc<Wording>>,
}

/// The additional room of a name beyond its characters: quotes and the comma.
const NAME_BYTES_MORE: usize = 3;

impl CatalogEntry {
    /// A tool that the gateway has itself. `definition` is one of ours: an object with a name and a schema.
    pub fn built_in(tool: Arc<Tool>, wire: &str, definition: RawJson) -> Self {
        let offer = Offer::read(OfferKind::Tool, &definition).expect("the gateway's own tools have names");
        Self {
            server: tool.server.clone(),
            own: tool.own.to_string(),
            wire: wire.to_owned(),
            canonical: tool.name.clone(),
            param_headers: Vec::new(),
            tool: Some(tool),
            offer: Arc::new(offer),
            exposed: None,
        }
    }

    /// The definition for agents: the server's own, except for the name and the arguments that take files.
    pub fn definition(&self) -> RawJson {
        let mut text = String::with_capacity(self.bytes());
        self.write(&mut text);
        RawJson::from_composed(text)
    }

    /// The same with the server's own name.
    pub fn exposed(&self) -> &RawJson {
        &self.wording().item
    }

    /// The definition exactly as the server gave it, with its own name.
    pub fn offered(&self) -> &RawJson {
        &self.offer.wording.item
    }

    /// Appends the definition as agents read it.
    pub fn write(&self, text: &mut String) {
        self.wording().write(&self.wire, text);
    }

    /// At most how many bytes [`CatalogEntry::write`] appends.
    pub fn bytes(&self) -> usize {
        self.exposed().as_str().len() + self.wire.len() + NAME_BYTES_MORE
    }

    /// True if agents see the same.
    pub fn reads_like(&self, other: &CatalogEntry) -> bool {
        self.wire == other.wire
            && (std::ptr::eq(self.wording(), other.wording()) || self.wording() == other.wording())
    }

    fn wording(&self) -> &Wording {
        self.exposed.as_deref().unwrap_or(&self.offer.wording)
    }
}

#[derive(Debug, Default)]
pub struct CatalogSection {
    entries: Vec<Arc<CatalogEntry>>,
    by_name: HashMap<String, Arc<CatalogEntry>>,
    /// Wire names that are not the entries' own.
    given: HashSet<String>,
}

/// A part of a list, and the position of the next one.
#[derive(Debug)]
pub struct ListPage<'a> {
    /// The number of entries before it.
    pub start: usize,
    pub entries: &'a [Arc<CatalogEntry>],
    pub next_cursor: Option<String>,
}

impl<'a> ListPage<'a> {
    /// One page of entries, sorted by wire name. A cursor names the last entry of the page before, so a list
    /// that changes in between neither repeats nor skips the remaining entries.
    pub fn of(
        entries: &'a [Arc<CatalogEntry>],
        cursor: Option<&str>,
        page_size: usize,
    ) -> Result<ListPage<'a>, BadCursor> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let last = decode_cursor(cursor).ok_or(BadCursor)?;
                entries.partition_point(|entry| entry.wire.as_str() <= last.as_str())
            }
        };
        let end = start.saturating_add(page_size).min(entries.len()).max(start);
        let shown = &entries[start..end];
        let more = end < entries.len();
        let next_cursor = shown.last().filter(|_| more).map(|last| encode_cursor(&last.wire));
        Ok(ListPage { start, entries: shown, next_cursor })
    }

    /// At most how many bytes [`ListPage::write`] appends.
    pub fn bytes_max(&self) -> usize {
        self.entries.iter().map(|entry| entry.bytes()).sum()
    }

    /// Appends the definitions, joined by commas.
    pub fn write(&self, text: &mut String) {
        for (at, entry) in self.entries.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            entry.write(text);
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the cursor is not one that this list gave out")]
pub struct BadCursor;

impl CatalogSection {
    pub(crate) fn new(mut entries: Vec<Arc<CatalogEntry>>) -> Self {
        entries.sort_by(|a, b| a.wire.cmp(&b.wire));
        let mut by_name = HashMap::with_capacity(entries.len() * 2);
        for entry in &entries {
            by_name.insert(entry.wire.clone(), entry.clone());
        }
        for entry in &entries {
            by_name.entry(entry.canonical.as_str().to_owned()).or_insert_with(|| entry.clone());
        }
        Self { entries, by_name, given: HashSet::new() }
    }

    /// Gives entries other wire names, by the ones they have. Their former names still find them.
    pub(crate) fn rename(&mut self, names: &HashMap<String, String>) {
        for entry in &mut self.entries {
            let Some(name) = names.get(&entry.wire) else { continue };
            let former = entry.wire.clone();
            *entry = Arc::new(CatalogEntry { wire: name.clone(), ..CatalogEntry::clone(entry) });
            for name in [former.as_str(), entry.canonical.as_str(), name] {
                self.by_name.insert(name.to_owned(), entry.clone());
            }
            self.given.insert(name.clone());
        }
        self.entries.sort_by(|a, b| a.wire.cmp(&b.wire));
    }

    /// Finds an entry by wire name or canonical name.
    pub fn find(&self, name: &str) -> Option<&Arc<CatalogEntry>> {
        self.by_name.get(name)
    }

    /// The same, without assigned names.
    pub(crate) fn find_real(&self, name: &str) -> Option<&Arc<CatalogEntry>> {
        self.find(name).filter(|_| !self.is_given(name))
    }

    pub(crate) fn is_given(&self, wire: &str) -> bool {
        self.given.contains(wire)
    }

    /// Sorted by wire name.
    pub fn entries(&self) -> &[Arc<CatalogEntry>] {
        &self.entries
    }

    pub(crate) fn reads_like(&self, other: &CatalogSection) -> bool {
        let same = |(one, other): (&Arc<CatalogEntry>, &Arc<CatalogEntry>)| {
            Arc::ptr_eq(one, other) || one.reads_like(other)
        };
        self.entries.len() == other.entries.len() && self.entries.iter().zip(&other.entries).all(same)
    }

    pub fn page(&self, cursor: Option<&str>, page_size: usize) -> Result<ListPage<'_>, BadCursor> {
        ListPage::of(&self.entries, cursor, page_size)
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
