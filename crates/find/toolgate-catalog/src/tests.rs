//! The catalogue as a whole: the view of agents after any sequence of updates.

mod alias;
mod names;
mod own;
mod update;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::{CanonicalName, RawJson, ServerName};

use crate::{Catalog, CatalogUpdate, HintTrust, ServerSettings, Snapshot, ToolNameFilter};

fn server(name: &str) -> ServerName {
    ServerName::new(name).expect("a name")
}

fn settings(name: &str) -> ServerSettings {
    ServerSettings {
        name: server(name),
        prefix: true,
        filter: ToolNameFilter::default(),
        hints: HintTrust::Believed,
        asks: AskPermissions::default(),
    }
}

fn definition(name: &str) -> Value {
    json!({ "name": name, "description": format!("does {name}"), "inputSchema": { "type": "object" } })
}

fn listing(tools: &[&str]) -> ServerListing {
    ServerListing {
        tools: tools.iter().map(|name| RawJson::from(definition(name))).collect(),
        ..ServerListing::default()
    }
}

fn servers(names: &[&str]) -> CatalogUpdate {
    CatalogUpdate {
        servers: Some(names.iter().map(|name| settings(name)).collect()),
        ..CatalogUpdate::default()
    }
}

/// All of these servers with these tools, in one update.
fn world(all: &[(&str, &[&str])]) -> CatalogUpdate {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let listings = all.iter().map(|(name, tools)| (server(name), Some(listing(tools)))).collect();
    CatalogUpdate { listings, ..servers(&names) }
}

fn catalog(all: &[(&str, &[&str])]) -> Catalog {
    let catalog = Catalog::new();
    catalog.update(world(all));
    catalog
}

/// The target of each wire name in the list.
fn names(snapshot: &Snapshot) -> BTreeMap<String, CanonicalName> {
    let pair = |entry: &std::sync::Arc<crate::CatalogEntry>| (entry.wire.clone(), entry.canonical.clone());
    snapshot.tools.entries().iter().map(pair).collect()
}

fn wire_names(snapshot: &Snapshot) -> Vec<String> {
    snapshot.tools.entries().iter().map(|entry| entry.wire.clone()).collect()
}

/// The whole list as agents get it.
fn list(snapshot: &Snapshot) -> String {
    let page = snapshot.tools.page(None, usize::MAX).expect("no cursor");
    let mut text = String::new();
    page.write(&mut text);
    assert!(text.len() <= page.bytes_max());
    text
}
