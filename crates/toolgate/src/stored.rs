//! The store's knowledge of the tools, for commands that start no server.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_catalog::{Catalog, CatalogUpdate, HintTrust, ServerSettings, ToolNameFilter};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::{ServerName, Tool};
use toolgate_store::{Store, StoreError};

use crate::config::Config;
use crate::domains;

/// The catalogue from the last listing of each server.
pub(crate) async fn catalog(config: &Config, store: &Store) -> Result<Arc<Catalog>, StoreError> {
    let file = config.file_state();
    let stored = store.read_listings().await?.into_iter();
    let mut servers: Vec<ServerSettings> = file.servers.into_iter().map(|server| server.settings).collect();
    let listings: BTreeMap<ServerName, Option<ServerListing>> =
        stored.map(|stored| (stored.name, Some(stored.listing))).collect();
    // Servers from settings or registration are not in the file; their tools are in the store.
    for name in listings.keys() {
        if !servers.iter().any(|server| server.name == *name) {
            let name = name.clone();
            servers.push(ServerSettings {
                name,
                prefix: true,
                filter: ToolNameFilter::default(),
                hints: HintTrust::of_newcomer(None),
                asks: AskPermissions::default(),
            });
        }
    }
    let catalog = Catalog::new().with_own(&domains::tools());
    let (servers, rules, names) = (Some(servers), Some(file.rules), store.read_wire_names().await?);
    catalog.update(CatalogUpdate { servers, rules, names, listings, ..CatalogUpdate::default() });
    Ok(Arc::new(catalog))
}

/// Every tool of it, by name.
pub(crate) fn tools(catalog: &Catalog) -> Vec<Arc<Tool>> {
    let snapshot = catalog.snapshot();
    let mut tools: Vec<Arc<Tool>> =
        snapshot.tools.entries().iter().filter_map(|entry| entry.tool.clone()).collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}
