//! Servers of an MCP registry: searching, and what one would become here. They are added in the setting `mcp_servers`, or with
//! `toolgate servers add`.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_registry::{
    AddWishes, PublishedEntry, PublishedName, PublishedServer, PublishedTransport, PublishedWay,
};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use crate::ApiContext;
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter, limit};

const FOUND: usize = 30;
const FOUND_MAX: usize = 100;
const SEARCH_CHARS_MAX: usize = 200;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedQuery {
    /// Words that name, title or description have, all of them
    search: String,
    /// Maximum number of servers in the answer
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    limit: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedVersionQuery {
    /// A version; by default the latest
    #[serde(default)]
    version: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PublishedServersPage {
    /// The address of the registry.
    registry: String,
    servers: Vec<PublishedServerView>,
    /// The number of entries that could not be read.
    unread: usize,
    /// True if there may be more.
    more: bool,
}

/// A server as its publisher describes it
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PublishedServer)]
pub(crate) struct PublishedServerView {
    #[schema(example = "io.github.owner/weather")]
    name: String,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    description: String,
    /// The namespace that the registry has verified.
    #[schema(example = "io.github.owner")]
    publisher: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    website: Option<String>,
    /// active, deprecated or deleted.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_at: Option<String>,
    /// Of the entry.
    digest: String,
    /// npm, pypi, nuget, oci, remote and others, each once.
    kinds: Vec<&'static str>,
}

/// A published server, and what it would become here
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PublishedServerDetail {
    #[serde(flatten)]
    server: PublishedServerView,
    registry: String,
    /// Its packages and remotes, in the order of the entry.
    ways: Vec<PublishedWayView>,
}

/// One package or remote of a published server
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PublishedWayView {
    /// npm, pypi, nuget, oci, mcpb, cargo, go, other or remote.
    kind: &'static str,
    /// The package with its version, or the address.
    target: String,
    /// The command that `toolgate servers add` would write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    command: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Secrets that it does not work without, by their names in the vault.
    secrets: Vec<PublishedSecretView>,
    /// The digest of the package, if the registry names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    package_digest: Option<String>,
    /// Facts to know before it is added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The entry of the setting `mcp_servers` that adds it, under review; absent if it is a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    setting: Option<Value>,
    /// The reason why the server cannot be had in this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// A secret that a published server wants
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PublishedSecret)]
pub(crate) struct PublishedSecretView {
    name: String,
    /// The publisher's words.
    description: String,
}

/// Search servers in the registry
///
/// Asks the MCP registry that `[registry] url` names. Nothing is added.
#[utoipa::path(get, path = "/published-servers", tag = "servers", params(PublishedQuery),
    responses((status = 200, description = "The latest versions of servers that fit", body = PublishedServersPage),
        (status = 503, description = "The registry does not answer as it should")))]
pub(crate) async fn search(
    State(context): State<ApiContext>,
    Query(query): Query<PublishedQuery>,
) -> ApiResult<Response> {
    let count_max = limit(query.limit.as_deref(), FOUND, FOUND_MAX)?;
    let words: Vec<String> = query.search.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() || query.search.chars().count() > SEARCH_CHARS_MAX {
        let expected = format!("one word or several, at most {SEARCH_CHARS_MAX} characters");
        return Err(bad_parameter("search", &query.search, &expected));
    }
    let found = context.published.search(words, count_max).await?;
    let page = PublishedServersPage {
        registry: context.published.address().to_owned(),
        servers: found.servers.iter().map(PublishedServerView::from).collect(),
        unread: found.unread,
        more: found.more,
    };
    Ok(json(StatusCode::OK, &page))
}

/// Show a server of the registry
///
/// Says what it would become here. Nothing is added: `PATCH /settings/mcp_servers` adds an address, and `toolgate servers add` a command.
#[utoipa::path(get, path = "/published-servers/{name}", tag = "servers",
    params(("name" = String, Path, description = "The server's name in the registry, with the slash escaped: `io.github.owner%2Fweather`"), PublishedVersionQuery),
    responses((status = 200, description = "The server", body = PublishedServerDetail), (status = 404, description = "Not found"),
        (status = 503, description = "The registry does not answer as it should")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
    Query(query): Query<PublishedVersionQuery>,
) -> ApiResult<Response> {
    let read = PublishedName::new(&name);
    let read =
        read.map_err(|bad| bad_parameter("name", &name, "a published server").hint(bad.to_string()))?;
    let server = context.published.entry(read, query.version).await?;
    let registry = context.published.address().to_owned();
    let ways = server.ways(&AddWishes::default(), context.published.rules());
    let ways = ways.into_iter().map(|way| PublishedWayView::of(way, &server, &registry)).collect();
    let detail = PublishedServerDetail { server: PublishedServerView::from(&server), registry, ways };
    Ok(json(StatusCode::OK, &detail))
}

impl From<&PublishedServer> for PublishedServerView {
    fn from(server: &PublishedServer) -> Self {
        let server = server.clone();
        Self {
            kinds: server.kinds(),
            publisher: server.name.namespace().to_owned(),
            name: server.name.to_string(),
            version: server.version,
            title: server.title,
            description: server.description,
            repository: server.repository,
            website: server.website,
            status: server.status.as_str(),
            status_message: server.status_message,
            published_at: server.published_at,
            digest: server.digest.to_string(),
        }
    }
}

impl PublishedWayView {
    fn of(way: PublishedWay, server: &PublishedServer, registry: &str) -> Self {
        let bare = Self {
            kind: way.kind,
            target: way.target,
            command: Vec::new(),
            url: None,
            secrets: Vec::new(),
            package_digest: None,
            notes: Vec::new(),
            setting: None,
            refused: None,
            hint: None,
        };
        match way.entry {
            Ok(entry) => bare.with(entry, server, registry),
            Err(refusal) => Self { refused: Some(refusal.says), hint: Some(refusal.hint), ..bare },
        }
    }

    fn with(self, entry: PublishedEntry, server: &PublishedServer, registry: &str) -> Self {
        let setting = entry.setting(&server.name.own_name(), &server.origin(registry));
        let (command, url) = match entry.transport {
            PublishedTransport::Command { command, args, .. } => {
                (std::iter::once(command).chain(args).collect(), None)
            }
            PublishedTransport::Url { url, .. } => (Vec::new(), Some(url)),
        };
        let secrets = entry.secrets.into_iter();
        Self {
            command,
            url,
            secrets: secrets
                .map(|secret| PublishedSecretView { name: secret.name, description: secret.description })
                .collect(),
            package_digest: entry.digest,
            notes: entry.notes,
            setting,
            ..self
        }
    }
}
