//! The setting `mcp_servers`: servers that operators add while the gateway runs. Only addresses: a command
//! would let any holder of a token run anything on this machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use toolgate_catalog::{HintTrust, ServerSettings, ToolNameFilter, check_reserved, check_server_name};
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::codes;
use toolgate_core::server::{ApiOAuth, ApiSpec, AskPermissions, Isolation, ServerSpec, TransportSpec};
use toolgate_core::tool::CallRate;
use toolgate_core::{Refusal, ServerName};

use super::address;
use super::fields::{JsonFields, elements};
use super::invalid::{invalid, read_server_name};
use super::review::NEW_TOOLS_WORDS;
use crate::known::SettingContext;
use crate::published::PublishedOrigin;
use crate::roster::{CONCURRENCY_MAX, CONNECT_TIMEOUT, TIMEOUT};
use crate::source::{ServerEntry, ServerSource};

const SERVERS_MAX: usize = 1000;
const HEADERS_MAX: usize = 32;
const HEADER_BYTES_MAX: usize = 4096;
const PATTERNS_MAX: usize = 500;

const KEYS: &[&str] = &[
    "name",
    "url",
    "openapi",
    "connector",
    "base_url",
    "query",
    "headers",
    "timeout_seconds",
    "connect_timeout_seconds",
    "concurrency_max",
    "rate",
    "isolation",
    "affinity",
    "era",
    "tools",
    "trust_annotations",
    "elicitation",
    "sampling",
    "enabled",
    "drift",
    "new_tools",
    "published",
];
/// The keys that would run something here.
const COMMAND_KEYS: &[&str] = &["command", "args", "env", "cwd"];
/// Headers that only the gateway can set correctly.
const OWN_HEADERS: [&str; 12] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
    "upgrade",
];
const VAULT: &str = "${vault:";
/// The origin of a server that came from a registry.
const PUBLISHED_FORM: &str = "an object with `registry`, `name`, `version` and `digest`";

/// Checks that the value may be set beside the existing servers.
pub(super) fn check(value: &Value, context: &SettingContext) -> Result<(), Refusal> {
    let mut seen: Vec<ServerName> = Vec::new();
    for (at, entry) in read_all(value, context.file.addresses)?.iter().enumerate() {
        let name = &entry.spec.name;
        let place = format!("value[{at}].name");
        if seen.contains(name) {
            return Err(invalid(&place, format!("the server {name:?} stands twice in the value")));
        }
        check_against(name, &place, &seen, context)?;
        seen.push(name.clone());
    }
    Ok(())
}

fn check_against(
    name: &ServerName,
    place: &str,
    seen: &[ServerName],
    context: &SettingContext,
) -> Result<(), Refusal> {
    check_reserved(name)
        .map_err(|reserved| taken(reserved.to_string(), place).hint("choose another name"))?;
    let of_file = || context.file.servers.iter().map(|entry| &entry.spec.name);
    if of_file().any(|one| one == name) {
        let message = format!("the server {name:?} is configured in toolgate.toml");
        return Err(taken(message, place).hint("change it there, or choose another name"));
    }
    let others = of_file().chain(seen).chain(&context.registered);
    check_server_name(others, name).map_err(|collision| {
        taken(collision.to_string(), place).hint("choose a name that differs in more than its spelling")
    })
}

fn taken(message: String, place: &str) -> Refusal {
    Refusal::new(&codes::NAME_TAKEN, message).field(place)
}

/// The servers that are enabled.
pub(super) fn read(value: &Value, rules: AddressRules) -> Result<Vec<ServerEntry>, Refusal> {
    let mut entries = read_all(value, rules)?;
    let disabled: Vec<bool> = elements(value, "value", SERVERS_MAX)?
        .iter()
        .map(|(_, entry)| entry.get("enabled") == Some(&Value::Bool(false)))
        .collect();
    let mut disabled = disabled.into_iter();
    entries.retain(|_| disabled.next() != Some(true));
    Ok(entries)
}

fn read_all(value: &Value, rules: AddressRules) -> Result<Vec<ServerEntry>, Refusal> {
    let elements = elements(value, "value", SERVERS_MAX)?;
    elements.into_iter().map(|(place, entry)| read_entry(&JsonFields::of(entry, place)?, rules)).collect()
}

fn read_entry(fields: &JsonFields<'_>, rules: AddressRules) -> Result<ServerEntry, Refusal> {
    refuse_commands(fields)?;
    fields.only(KEYS)?;
    let name = read_server_name(fields.required_text("name")?, &fields.place("name"))?;
    let transport = read_transport(fields, rules)?;
    let hints = read_hints(fields, &transport)?;
    fields.flag("enabled")?;
    let published = fields.word::<PublishedOrigin>("published", PUBLISHED_FORM)?;
    let spec = ServerSpec {
        name: name.clone(),
        transport,
        timeout: fields.seconds("timeout_seconds")?.unwrap_or(TIMEOUT),
        connect_timeout: fields.seconds("connect_timeout_seconds")?.unwrap_or(CONNECT_TIMEOUT),
        concurrency_max: fields.count("concurrency_max")?.unwrap_or(CONCURRENCY_MAX),
        rate: read_rate(fields)?,
        isolation: fields.word("isolation", "`shared` or `principal`")?.unwrap_or(Isolation::Shared),
        affinity: fields.word("affinity", "`run`, `principal` or `none`")?.unwrap_or_default(),
        era: fields.word("era", "`auto`, `newer` or `older`")?.unwrap_or_default(),
        reach: Reach::Within(rules),
        egress: Arc::default(),
    };
    let usual = AskPermissions::default();
    let asks = AskPermissions {
        elicitation: fields.flag("elicitation")?.unwrap_or(usual.elicitation),
        sampling: fields.flag("sampling")?.unwrap_or(usual.sampling),
    };
    Ok(ServerEntry {
        spec,
        settings: ServerSettings { name, prefix: true, filter: read_filter(fields)?, hints, asks },
        drift: fields.word("drift", "`quarantine` or `accept`")?,
        new_tools: fields.word("new_tools", NEW_TOOLS_WORDS)?,
        source: ServerSource::Settings,
        published,
    })
}

/// The tools of an API are the gateway's own work: their effects follow the method of the request, and nobody else says them.
fn read_hints(fields: &JsonFields<'_>, transport: &TransportSpec) -> Result<HintTrust, Refusal> {
    Ok(match (fields.flag("trust_annotations")?, transport) {
        (None, TransportSpec::Api(_)) => HintTrust::Believed,
        (said, _) => HintTrust::of_newcomer(said),
    })
}

fn refuse_commands(fields: &JsonFields<'_>) -> Result<(), Refusal> {
    match fields.keys().find(|key| COMMAND_KEYS.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(invalid(fields.place(key), "a command can only be set in the operator's file")
            .hint("add the server to toolgate.toml, or give its `url`")),
    }
}

fn read_transport(fields: &JsonFields<'_>, rules: AddressRules) -> Result<TransportSpec, Refusal> {
    let is_api = ["openapi", "connector", "base_url", "query"].iter().any(|key| fields.get(key).is_some());
    match (is_api, fields.get("url")) {
        (false, _) => {
            let url = checked_url(fields, "url", fields.required_text("url")?, rules)?;
            Ok(TransportSpec::http(url, read_headers(fields)?))
        }
        (true, Some(_)) => Err(invalid(fields.place("url"), "a server has a `url`, or it is an API")
            .hint("leave out `url`, or `openapi`, `connector`, `base_url` and `query`")),
        (true, None) => read_api(fields, rules).map(TransportSpec::Api),
    }
}

/// Descriptions are addresses or ship with the gateway: a path would let any holder of a token have files read here.
fn read_api(fields: &JsonFields<'_>, rules: AddressRules) -> Result<ApiSpec, Refusal> {
    let url = |key: &'static str| match fields.text(key)? {
        Some(text) => checked_url(fields, key, text, rules).map(Some),
        None => Ok(None),
    };
    let (document, base_url) = (url("openapi")?, url("base_url")?);
    let connector = fields.text("connector")?.map(str::to_owned);
    if let Some(name) = &connector {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_word) {
            let message = format!("{name:?} is not the name of a connector that ships");
            return Err(invalid(fields.place("connector"), message)
                .hint("a connector file can only be set in the operator's file"));
        }
        if base_url.is_none() {
            return Err(invalid(
                fields.place("base_url"),
                "a connector needs the address of its provider here",
            )
            .hint("credentials are bound to it: give `base_url`, such as \"https://slack.com/api\""));
        }
    }
    if document.is_none() && connector.is_none() {
        return Err(invalid(fields.place("openapi"), "an API needs `openapi` or `connector`")
            .hint("give the address of its OpenAPI document"));
    }
    let query = read_map(fields, "query", check_parameter)?;
    let oauth = ApiOAuth::default();
    Ok(ApiSpec { document, connector, base_url, headers: read_headers(fields)?, query, oauth })
}

fn checked_url(
    fields: &JsonFields<'_>,
    key: &str,
    text: &str,
    rules: AddressRules,
) -> Result<String, Refusal> {
    address::check(text, rules).map_err(|bad| invalid(fields.place(key), bad.message).hint(bad.hint))
}

fn read_rate(fields: &JsonFields<'_>) -> Result<Option<CallRate>, Refusal> {
    let Some(text) = fields.text("rate")? else { return Ok(None) };
    let rate = text.parse::<CallRate>();
    rate.map(Some).map_err(|error| invalid(fields.place("rate"), error.to_string()))
}

fn read_filter(fields: &JsonFields<'_>) -> Result<ToolNameFilter, Refusal> {
    let Some(tools) = fields.get("tools") else { return Ok(ToolNameFilter::default()) };
    let tools = JsonFields::of(tools, fields.place("tools"))?;
    tools.only(&["allow", "deny"])?;
    Ok(ToolNameFilter::new(tools.texts("allow", PATTERNS_MAX)?, tools.texts("deny", PATTERNS_MAX)?))
}

fn read_headers(fields: &JsonFields<'_>) -> Result<BTreeMap<String, String>, Refusal> {
    read_map(fields, "headers", check_header)
}

fn read_map(
    fields: &JsonFields<'_>,
    key: &str,
    check: impl Fn(&str, &str) -> Result<(), Refusal>,
) -> Result<BTreeMap<String, String>, Refusal> {
    let Some(map) = fields.get(key) else { return Ok(BTreeMap::new()) };
    let map = JsonFields::of(map, fields.place(key))?;
    if map.keys().count() > HEADERS_MAX {
        return Err(invalid(fields.place(key), format!("more than {HEADERS_MAX} {key}")));
    }
    let read = |name: &String| {
        let value = map.required_text(name)?;
        check(name, value).map_err(|refusal| refusal.field(map.place(name)))?;
        Ok((name.clone(), value.to_owned()))
    };
    map.keys().map(read).collect()
}

fn check_parameter(name: &str, value: &str) -> Result<(), Refusal> {
    if name.is_empty() || value.len() > HEADER_BYTES_MAX {
        return Err(invalid(
            "",
            format!("a parameter has a name and a value of at most {HEADER_BYTES_MAX} bytes"),
        ));
    }
    refuse_open_secret(name, value)
}

fn check_header(name: &str, value: &str) -> Result<(), Refusal> {
    let is_name = !name.is_empty() && name.bytes().all(is_header_byte);
    if !is_name {
        return Err(invalid("", format!("{name:?} is not the name of a header")));
    }
    let lower = name.to_ascii_lowercase();
    if OWN_HEADERS.contains(&lower.as_str()) {
        return Err(invalid("", format!("the header {name:?} belongs to the connection")));
    }
    let is_value = value.len() <= HEADER_BYTES_MAX && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if !is_value {
        let message =
            format!("the value of a header has at most {HEADER_BYTES_MAX} printable ASCII characters");
        return Err(invalid("", message));
    }
    refuse_open_secret(name, value)
}

fn refuse_open_secret(name: &str, value: &str) -> Result<(), Refusal> {
    if is_secret_header(&name.to_ascii_lowercase()) && !value.contains(VAULT) {
        return Err(invalid(
            "",
            format!("the value of {name:?} is a secret, and settings are no place for one"),
        )
        .hint("store it with `toolgate secrets set SERVER NAME` and write `${vault:NAME}` here"));
    }
    Ok(())
}

fn is_header_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_secret_header(lower: &str) -> bool {
    matches!(lower, "authorization" | "proxy-authorization" | "cookie")
        || ["key", "token", "secret", "password"].iter().any(|word| lower.contains(word))
}
