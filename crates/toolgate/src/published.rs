//! The MCP registry in which servers are searched, asked over HTTP: every request, page and answer within a limit.

mod origin;
mod watch;

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderValue, Request, StatusCode};
use toolgate_api::PublishedPort;
use toolgate_core::address::AddressRules;
use toolgate_core::egress::Egress;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, codes};
use toolgate_outbound::{Client, ConnectTrouble, Scheme, excerpt};
use toolgate_registry::{BadPublication, PublishedFinds, PublishedName, PublishedPage, PublishedServer};
use url::Url;

use crate::config::{Config, RegistryAddress};
pub(crate) use origin::OriginReport;
pub(crate) use watch::RegistryWatch;

/// Pages that one search reads.
const PAGES_MAX: usize = 10;
/// Entries that are asked for at once.
const PAGE_ENTRIES: &str = "100";
const ANSWER_BYTES_MAX: usize = 4 << 20;
const EXCERPT_CHARS_MAX: usize = 120;
/// The stable version of the API, unless the address names another one.
const API_VERSION: &str = "v0.1";
const API_VERSIONS: [&str; 2] = ["v0", "v0.1"];

/// The reason why it is not known what the registry has under a name.
pub(crate) enum EntryFault {
    /// The registry answers, and others of its entries may be read.
    OfEntry(Refusal),
    /// The registry does not answer, or not as one.
    OfRegistry(Refusal),
}

impl From<EntryFault> for Refusal {
    fn from(fault: EntryFault) -> Self {
        match fault {
            EntryFault::OfEntry(refusal) | EntryFault::OfRegistry(refusal) => refusal,
        }
    }
}

/// A client of one registry.
pub(crate) struct RegistryClient {
    base: Url,
    address: RegistryAddress,
    client: Client,
}

impl RegistryClient {
    pub(crate) fn of(address: &RegistryAddress, egress: &Arc<Egress>) -> Result<Self, Refusal> {
        let base = Url::parse(&address.url).map_err(|error| unavailable(&address.url, &error.to_string()))?;
        let scheme = Scheme::of(base.scheme()).unwrap_or(Scheme::Https);
        let client = Client::to(scheme, egress).map_err(|bad| unavailable(&address.url, &bad.to_string()))?;
        Ok(Self { base, address: address.clone(), client })
    }

    /// The latest versions of servers that have all words in name, title or description. A registry looks for one word only, so
    /// it is asked for the longest.
    pub(crate) async fn search(&self, words: &[String], count_max: usize) -> Result<PublishedFinds, Refusal> {
        let longest = words.iter().max_by_key(|word| word.len()).map(String::as_str).unwrap_or_default();
        let mut found = PublishedFinds::default();
        let (mut cursor, mut seen): (Option<String>, BTreeSet<String>) = (None, BTreeSet::new());
        for _ in 0..PAGES_MAX {
            let page = self.page(longest, cursor.as_deref()).await?;
            found.unread += page.unread;
            found.take(page.servers, words, count_max);
            cursor = page.next;
            match &cursor {
                None => return Ok(found),
                Some(next) if found.more || !seen.insert(next.clone()) => break,
                Some(_) => {}
            }
        }
        found.more = true;
        Ok(found)
    }

    async fn page(&self, word: &str, cursor: Option<&str>) -> Result<PublishedPage, Refusal> {
        let mut url = self.url(&["servers"]);
        url.query_pairs_mut()
            .append_pair("search", word)
            .append_pair("version", "latest")
            .append_pair("limit", PAGE_ENTRIES)
            .extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
        let Some(bytes) = self.get(&url).await? else {
            return Err(self.unavailable("it answered HTTP 404, so it is not a registry"));
        };
        PublishedPage::read(&bytes).map_err(|bad| self.nonsense(&bad.to_string(), &bytes))
    }

    /// One version of a server; the latest, unless another is named.
    pub(crate) async fn entry(
        &self,
        name: &PublishedName,
        version: Option<&str>,
    ) -> Result<PublishedServer, Refusal> {
        self.look_up(name, version).await.map_err(Refusal::from)
    }

    /// The same for whoever goes on with other entries.
    async fn look_up(
        &self,
        name: &PublishedName,
        version: Option<&str>,
    ) -> Result<PublishedServer, EntryFault> {
        let url = self.url(&["servers", name.as_str(), "versions", version.unwrap_or("latest")]);
        let bytes = self.get(&url).await.map_err(EntryFault::OfRegistry)?;
        let Some(bytes) = bytes else { return Err(EntryFault::OfEntry(self.unknown(name, version))) };
        let server = PublishedServer::read(&bytes).map_err(|bad| {
            let refusal = self.nonsense(&bad.to_string(), &bytes);
            match bad {
                BadPublication::Entry(_) => EntryFault::OfEntry(refusal),
                BadPublication::Json(_) | BadPublication::List => EntryFault::OfRegistry(refusal),
            }
        })?;
        let is_it = server.name == *name && version.is_none_or(|version| server.version == version);
        if !is_it {
            let says =
                format!("it answered with {} {}, which was not asked for", server.name, server.version);
            return Err(EntryFault::OfEntry(self.unavailable(&says)));
        }
        Ok(server)
    }

    /// `None` if there is nothing.
    async fn get(&self, url: &Url) -> Result<Option<Bytes>, Refusal> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = url.as_str().parse().map_err(|_| self.unavailable("its address is too long"))?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        let answer = self.client.send(request, self.address.timeout, ANSWER_BYTES_MAX).await;
        let (head, body) = answer.map_err(|error| self.unavailable(&error.to_string()))?.into_parts();
        match head.status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => body.map(Some).map_err(|error| {
                let limit = ANSWER_BYTES_MAX >> 20;
                self.unavailable(&format!("its answer was not read to the end, at most {limit} MiB: {error}"))
            }),
            status => {
                Err(self.unavailable(&format!("it answered HTTP {}", status.as_u16())).hint(advice(status)))
            }
        }
    }

    fn url(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        url.set_query(None);
        let has_version = self.base.path_segments().is_some_and(|parts| {
            let last = parts.rev().find(|part| !part.is_empty());
            last.is_some_and(|last| API_VERSIONS.contains(&last))
        });
        // An address with http or https always has a path.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend((!has_version).then_some(API_VERSION)).extend(parts);
        }
        url
    }

    fn unavailable(&self, why: &str) -> Refusal {
        unavailable(&self.address.url, why)
    }

    fn nonsense(&self, why: &str, bytes: &[u8]) -> Refusal {
        let said = excerpt(bytes, EXCERPT_CHARS_MAX);
        self.unavailable(&format!("it did not answer as a registry does, {why}; it said {said:?}"))
    }

    fn unknown(&self, name: &PublishedName, version: Option<&str>) -> Refusal {
        let version = version.map(|version| format!(" {version}")).unwrap_or_default();
        let message = format!("the registry {} has no server {name}{version}", self.address.url);
        Refusal::new(&codes::UNKNOWN_PUBLISHED_SERVER, message)
    }
}

fn unavailable(url: &str, why: &str) -> Refusal {
    let message = format!("the registry {url} cannot be used: {why}");
    let refusal = Refusal::new(&codes::REGISTRY_UNAVAILABLE, message);
    match ConnectTrouble::in_text(why) {
        Some(trouble) => refusal.hint(trouble.advice()),
        None => refusal,
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        300..=399 => "it leads elsewhere: write the address that it leads to into `[registry] url`",
        401 | 403 => "it wants a credential, and Toolgate reads registries without one",
        429 => "it has been asked too often: try again later",
        _ => "try again later, or check `[registry] url` in toolgate.toml",
    }
}

/// The registry behind the API. The client is made when it is needed: most gateways are never asked.
pub(crate) struct ConfiguredRegistry {
    address: RegistryAddress,
    egress: Arc<Egress>,
    rules: AddressRules,
}

impl ConfiguredRegistry {
    pub(crate) fn of(config: &Config) -> Self {
        Self { address: config.registry.clone(), egress: config.egress.clone(), rules: config.network }
    }
}

impl PublishedPort for ConfiguredRegistry {
    fn address(&self) -> &str {
        &self.address.url
    }

    fn rules(&self) -> AddressRules {
        self.rules
    }

    fn search(
        &self,
        words: Vec<String>,
        count_max: usize,
    ) -> BoxFuture<'static, Result<PublishedFinds, Refusal>> {
        let client = RegistryClient::of(&self.address, &self.egress);
        Box::pin(async move { client?.search(&words, count_max).await })
    }

    fn entry(
        &self,
        name: PublishedName,
        version: Option<String>,
    ) -> BoxFuture<'static, Result<PublishedServer, Refusal>> {
        let client = RegistryClient::of(&self.address, &self.egress);
        Box::pin(async move { client?.entry(&name, version.as_deref()).await })
    }
}
