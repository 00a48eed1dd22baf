//! The offers of a reading, tool by tool.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_core::registry::{Definition, ToolRow};
use toolgate_core::server::ServerListing;
use toolgate_core::tool::version_of_text;
use toolgate_core::{Digest, RawJson};

use super::rows::ToolRows;

/// A current offer of a tool.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ToolOffer {
    pub(crate) own: Arc<str>,
    /// At least one, each another version; that of the newest instance first.
    versions: Vec<Definition>,
    /// One instance listed several definitions of it in one reading.
    pub(crate) twice: bool,
}

impl ToolOffer {
    pub(super) fn newest(&self) -> &Definition {
        &self.versions[0]
    }

    pub(super) fn has(&self, version: Digest) -> bool {
        self.versions.iter().any(|one| one.version == version)
    }

    pub(super) fn other_than(&self, version: Digest) -> Option<&Definition> {
        self.versions.iter().find(|one| one.version != version)
    }
}

/// The tools of a reading in its order. A tool without a name cannot be called and is left out.
pub(crate) fn offers(listing: &ServerListing, rows: &ToolRows) -> Vec<ToolOffer> {
    let mut offers: Vec<ToolOffer> = Vec::with_capacity(listing.tools.len());
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    for tool in &listing.tools {
        let Some((own, definition)) = definition_of(tool, rows) else { continue };
        let place = *places.entry(Arc::clone(&own)).or_insert_with(|| {
            let twice = listing.conflicts.iter().any(|name| **name == *own);
            offers.push(ToolOffer { own, versions: Vec::new(), twice });
            offers.len() - 1
        });
        let versions = &mut offers[place].versions;
        if !versions.iter().any(|one| one.version == definition.version) {
            versions.push(definition);
        }
    }
    offers
}

#[derive(serde::Deserialize)]
struct NamedTool<'a> {
    #[serde(borrow)]
    name: std::borrow::Cow<'a, str>,
}

fn definition_of(tool: &RawJson, rows: &ToolRows) -> Option<(Arc<str>, Definition)> {
    let named: NamedTool<'_> = tool.decode().ok()?;
    let row = rows.get(&*named.name);
    let own = row.map_or_else(|| named.name.into(), |row| Arc::clone(&row.own));
    if let Some(same) = row.and_then(|row| known_text(row, tool)) {
        return Some((own, same.clone()));
    }
    Some((own, Definition { json: tool.clone(), version: version_of_text(tool) }))
}

/// Most readings repeat known definitions literally: then nothing is parsed or digested.
fn known_text<'r>(row: &'r ToolRow, tool: &RawJson) -> Option<&'r Definition> {
    [Some(&row.pinned), row.candidate.as_ref()].into_iter().flatten().find(|one| one.json == *tool)
}
