//! The streams of a connector, as its server declares them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use toolgate_core::port::{Caller, ServerReply, ServerRequest};
use toolgate_core::server::ServerListing;
use toolgate_core::{RawJson, Refusal};

use crate::connectors::Connectors;
use crate::limits::STREAMS_MAX;
use crate::reach::ConnectorServer;
use crate::refusal::{down, no_streams, unknown_stream};

/// The capability of a server that is a connector.
const CAPABILITY: &str = "dev.toolgate/connector";
const METHOD: &str = "toolgate/stream";

#[derive(Deserialize)]
struct DeclaredCapabilities {
    #[serde(default)]
    experimental: Value,
}

/// The answer to a request for no stream in particular.
#[derive(Deserialize)]
struct DeclaredStreams {
    streams: Vec<Value>,
}

impl Connectors {
    /// The streams that a caller wants of a connector: those that it names, or all.
    pub(crate) async fn wanted_streams(
        &self,
        of: &ConnectorServer,
        caller: &Arc<dyn Caller>,
        named: Vec<String>,
    ) -> Result<Vec<String>, Refusal> {
        let known = self.streams_of(of, caller).await?;
        if known.is_empty() {
            return Err(no_streams(&of.connector));
        }
        if named.is_empty() {
            return Ok(known);
        }
        if let Some(other) = named.iter().find(|one| !known.contains(one)) {
            return Err(unknown_stream(&of.connector, other, &known));
        }
        let wanted: BTreeSet<String> = named.into_iter().collect();
        Ok(wanted.into_iter().collect())
    }

    /// Declared with the server's capabilities, or told when it is asked.
    async fn streams_of(
        &self,
        of: &ConnectorServer,
        caller: &Arc<dyn Caller>,
    ) -> Result<Vec<String>, Refusal> {
        let listings = self.store.read_listings().await.map_err(|error| down(&error))?;
        let listing = listings.into_iter().find(|one| one.name == of.server);
        if let Some(streams) = listing.and_then(|one| declared(&one.listing)) {
            return Ok(streams);
        }
        let asked = ServerRequest::new(METHOD, String::new());
        match self.servers.request(&of.server, asked, Arc::clone(caller)).await {
            Ok(ServerReply::Complete(result) | ServerReply::Cached(result)) => Ok(listed(&result)),
            // A server that knows no streams has none.
            _ => Ok(Vec::new()),
        }
    }
}

/// The streams that a listing declares.
pub(crate) fn declared(listing: &ServerListing) -> Option<Vec<String>> {
    let capabilities: DeclaredCapabilities = listing.capabilities.as_ref()?.decode().ok()?;
    let streams = capabilities.experimental.get(CAPABILITY)?.get("streams")?.as_array()?;
    Some(names(streams))
}

fn listed(result: &RawJson) -> Vec<String> {
    result.decode::<DeclaredStreams>().map(|declared| names(&declared.streams)).unwrap_or_default()
}

fn names(streams: &[Value]) -> Vec<String> {
    let name = |one: &Value| one.as_str().or_else(|| one["name"].as_str()).map(str::to_owned);
    let names: BTreeSet<String> = streams.iter().filter_map(name).collect();
    names.into_iter().take(STREAMS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn streams_are_declared_by_name() {
        let capabilities =
            json!({ "tools": {}, "experimental": { CAPABILITY: { "streams": ["b", { "name": "a" }, 7] } } });
        let listing = ServerListing { capabilities: Some(capabilities.into()), ..ServerListing::default() };
        assert_eq!(declared(&listing), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(declared(&ServerListing::default()), None);
    }
}
