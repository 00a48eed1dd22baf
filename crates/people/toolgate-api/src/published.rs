//! Servers that an MCP registry publishes, from the view of the API. Nothing is added by looking.

use toolgate_core::Refusal;
use toolgate_core::address::AddressRules;
use toolgate_core::port::BoxFuture;
use toolgate_registry::{PublishedFinds, PublishedName, PublishedServer};

/// The port to the registry of the configuration.
pub trait PublishedPort: Send + Sync {
    fn address(&self) -> &str;

    /// The addresses that servers from it may have.
    fn rules(&self) -> AddressRules;

    /// The servers that have all words in name, title or description.
    fn search(
        &self,
        words: Vec<String>,
        count_max: usize,
    ) -> BoxFuture<'static, Result<PublishedFinds, Refusal>>;

    /// One version of a server; the latest, unless another is named.
    fn entry(
        &self,
        name: PublishedName,
        version: Option<String>,
    ) -> BoxFuture<'static, Result<PublishedServer, Refusal>>;
}
