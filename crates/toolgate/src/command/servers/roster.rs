//! The servers from all sources, as far as the file and the store know.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use toolgate_core::ServerName;
use toolgate_core::server::{ApiSpec, InstanceSpec, TransportSpec};
use toolgate_registry::{PublishedOrigin, ServerSource};
use toolgate_store::{Store, StoreError};

use crate::config::{Config, ServerEntry};
use crate::import::{masked_line, masked_url};

/// A server and its source.
pub(crate) struct RosterServer {
    pub(crate) name: ServerName,
    pub(crate) source: ServerSource,
    pub(crate) enabled: bool,
    /// The reason why somebody disabled it while the gateway ran, if one was given.
    pub(crate) disabled_for: Option<String>,
    /// Its target, with its secrets hidden.
    pub(crate) target: String,
    /// None for a command.
    pub(crate) instances: Vec<RosterInstance>,
    /// For servers that are APIs.
    pub(crate) api: Option<ApiSpec>,
    /// The entry of a registry that it was made from.
    pub(crate) published: Option<PublishedOrigin>,
}

/// One of the processes that make up a server.
pub(crate) struct RosterInstance {
    pub(crate) spec: InstanceSpec,
    /// Its lease, if it registered.
    pub(crate) lease: Option<Duration>,
}

impl RosterInstance {
    fn written(spec: InstanceSpec) -> Self {
        Self { spec, lease: None }
    }
}

/// All servers: those of the file, of the settings, and those that registered. Who is named before keeps the name.
pub(crate) async fn roster(config: &Config, store: &Store) -> Result<Vec<RosterServer>, StoreError> {
    let mut registered: BTreeMap<String, Vec<RosterInstance>> = BTreeMap::new();
    for server in store.read_registered_servers().await? {
        registered.insert(server.name.to_string(), Vec::new());
    }
    for stored in store.read_instances().await? {
        let instance = RosterInstance { spec: stored.spec, lease: Some(stored.lease) };
        registered.entry(stored.server.to_string()).or_default().push(instance);
    }
    let mut roster: Vec<RosterServer> =
        config.servers.iter().map(|entry| of_file(entry, &mut registered)).collect();
    if let Some(setting) = store.read_setting("mcp_servers").await? {
        let value: Value = setting.value.decode().unwrap_or_default();
        add_new(&mut roster, value.as_array().into_iter().flatten().filter_map(of_setting));
    }
    add_new(&mut roster, registered.into_iter().filter_map(of_registration));
    let disabled = disabled(store).await?;
    for server in &mut roster {
        if let Some(reason) = disabled.get(server.name.as_str()) {
            server.enabled = false;
            server.disabled_for.clone_from(reason);
        }
    }
    Ok(roster)
}

/// The servers that somebody disabled while the gateway ran, each with the reason if there is one. The value was checked when it
/// was set.
pub(crate) async fn disabled(store: &Store) -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let setting = store.read_setting("disabled_servers").await?;
    let value: Value = setting.and_then(|setting| setting.value.decode().ok()).unwrap_or_default();
    let part = |entry: &Value, key: &str| entry[key].as_str().map(str::to_owned);
    let entries = value.as_array().into_iter().flatten();
    Ok(entries.filter_map(|entry| Some((part(entry, "name")?, part(entry, "reason")))).collect())
}

fn add_new(roster: &mut Vec<RosterServer>, others: impl Iterator<Item = RosterServer>) {
    for other in others {
        let name = other.name.as_str().to_lowercase();
        if roster.iter().all(|known| known.name.as_str().to_lowercase() != name) {
            roster.push(other);
        }
    }
}

fn of_file(entry: &ServerEntry, registered: &mut BTreeMap<String, Vec<RosterInstance>>) -> RosterServer {
    let instances = match &entry.spec.transport {
        TransportSpec::Http { .. } if entry.registered => {
            registered.remove(entry.spec.name.as_str()).unwrap_or_default()
        }
        TransportSpec::Http { instances, .. } => {
            instances.iter().cloned().map(RosterInstance::written).collect()
        }
        TransportSpec::Stdio { .. } => Vec::new(),
        TransportSpec::Api(api) => api_address(api).map(written).into_iter().collect(),
    };
    let target = if entry.registered { addresses(&instances) } else { target(entry) };
    let (name, source) = (entry.spec.name.clone(), entry.source());
    let api = match &entry.spec.transport {
        TransportSpec::Api(api) => Some(api.clone()),
        TransportSpec::Http { .. } | TransportSpec::Stdio { .. } => None,
    };
    let published = entry.published.clone();
    RosterServer {
        name,
        source,
        enabled: entry.enabled,
        disabled_for: None,
        target,
        instances,
        api,
        published,
    }
}

/// The address of an API, which a sign-in is for: the one of the file, or that of the connector.
fn api_address(api: &ApiSpec) -> Option<String> {
    let configured = api.base_url.clone();
    let of_connector = || {
        let file = connector_file::shipped(api.connector.as_deref()?)?.ok()?;
        file.base_url().map(str::to_owned)
    };
    configured.or_else(of_connector).or_else(|| api.address().map(str::to_owned))
}

fn written(url: String) -> RosterInstance {
    RosterInstance::written(InstanceSpec::only(url))
}

/// It was checked when it was set.
fn of_setting(entry: &Value) -> Option<RosterServer> {
    let part = |key: &str| entry[key].as_str();
    let (target, instances, api) = match part("url") {
        Some(url) => (masked_url(url), vec![written(url.to_owned())], None),
        None => {
            let parts: Vec<String> =
                ["connector", "openapi", "base_url"].into_iter().filter_map(part).map(masked_url).collect();
            let address = part("base_url").or_else(|| part("openapi")).map(str::to_owned);
            let target = Some(parts.join(" ")).filter(|target| !target.is_empty())?;
            let text = |key: &str| part(key).map(str::to_owned);
            let (document, connector, base_url) = (text("openapi"), text("connector"), text("base_url"));
            let api = ApiSpec { document, connector, base_url, ..ApiSpec::default() };
            (target, address.map(written).into_iter().collect(), Some(api))
        }
    };
    Some(RosterServer {
        name: ServerName::new(part("name")?).ok()?,
        source: ServerSource::Settings,
        enabled: entry["enabled"] != false,
        disabled_for: None,
        target,
        instances,
        api,
        published: published(entry),
    })
}

/// Where an entry of the setting `mcp_servers` came from.
pub(super) fn published(entry: &Value) -> Option<PublishedOrigin> {
    serde_json::from_value(entry.get("published")?.clone()).ok()
}

fn of_registration((name, instances): (String, Vec<RosterInstance>)) -> Option<RosterServer> {
    let name = ServerName::new(&name).ok()?;
    let target = addresses(&instances);
    Some(RosterServer {
        name,
        source: ServerSource::Registered,
        enabled: true,
        disabled_for: None,
        target,
        instances,
        api: None,
        published: None,
    })
}

/// The target of a server, with its secrets hidden. References to the environment stay as written.
pub(crate) fn target(entry: &ServerEntry) -> String {
    match &entry.spec.transport {
        TransportSpec::Stdio { command, args, .. } => {
            masked_line(&[std::slice::from_ref(command), args].concat())
        }
        TransportSpec::Http { instances, .. } => {
            let urls: Vec<String> = instances.iter().map(|one| masked_url(&one.url)).collect();
            urls.join(" ")
        }
        TransportSpec::Api(api) => {
            let parts = [&api.connector, &api.document, &api.base_url];
            parts.into_iter().flatten().map(|part| masked_url(part)).collect::<Vec<_>>().join(" ")
        }
    }
}

fn addresses(instances: &[RosterInstance]) -> String {
    match instances {
        [] => "no instance has registered".to_owned(),
        _ => instances.iter().map(|one| masked_url(&one.spec.url)).collect::<Vec<_>>().join(" "),
    }
}

pub(crate) fn unknown_server(roster: &[RosterServer], name: &str) -> String {
    let names: Vec<&str> = roster.iter().map(|known| known.name.as_str()).collect();
    let best =
        names.iter().max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    match best {
        None => format!(
            "there is no server {name:?}: none is configured\nhint: `toolgate servers import <file>` adds some"
        ),
        Some(best) if strsim::jaro_winkler(best, name) > 0.7 => {
            format!("there is no server {name:?}\nhint: did you mean {best:?}?")
        }
        Some(_) => format!("there is no server {name:?}\nhint: there are {}", names.join(", ")),
    }
}
