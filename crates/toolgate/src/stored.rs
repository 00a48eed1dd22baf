//! What the store knows of the tools, for commands that start no server.

use std::sync::Arc;

use toolgate_catalog::Catalog;
use toolgate_core::Tool;
use toolgate_store::{Store, StoreError};

use crate::config::Config;
use crate::wiring::{settings, tool_rule};

/// The catalogue as it was when each server listed last.
pub(crate) async fn catalog(config: &Config, store: &Store) -> Result<Arc<Catalog>, StoreError> {
    let enabled = config.servers.iter().filter(|server| server.enabled);
    let catalog = Catalog::new(enabled.map(settings).collect(), config.tools.iter().map(tool_rule).collect());
    for stored in store.read_listings().await? {
        catalog.publish(&stored.name, stored.listing);
    }
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
