//! One `[[servers]]` table.

mod api;
mod oauth;
mod published;
mod sandbox;
mod transport;

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolgate_catalog::{HintTrust, check_reserved};
use toolgate_core::ServerName;
use toolgate_core::address::Reach;
use toolgate_core::name::BadServerName;
use toolgate_core::server::{
    Affinity, ApiSpec, AskPermissions, EraChoice, Isolation, ServerSpec, TransportSpec,
};
use toolgate_credentials::OAuthSpec;

use super::network::{self, EgressConfig};
use super::problem::ConfigProblems;
use super::reference::ReferenceMode;
use super::registry::{DRIFT, DRIFT_HINT, NEW_TOOLS, NEW_TOOLS_HINT};
use super::section::{ConfigSection, Located, SecondsRange};
use super::server_entry::{ServerEntry, ToolFilter};
use super::value::{ReadContext, TableValues};

#[cfg(test)]
pub(super) use oauth::KEYS as OAUTH_KEYS;
#[cfg(test)]
pub(super) use published::KEYS as PUBLISHED_KEYS;
#[cfg(test)]
pub(super) use sandbox::KEYS as SANDBOX_KEYS;
use transport::TransportAddress;
pub(super) use transport::env_of;
pub(crate) use transport::{OWN_HEADERS, joined};

pub(super) const KEYS: &[&str] = &[
    "name",
    "command",
    "args",
    "env",
    "cwd",
    "sandbox",
    "url",
    "urls",
    "registered",
    "openapi",
    "connector",
    "base_url",
    "query",
    "headers",
    "oauth",
    "network",
    "timeout_seconds",
    "connect_timeout_seconds",
    "concurrency_max",
    "rate",
    "isolation",
    "affinity",
    "era",
    "prefix",
    "tools",
    "trust_annotations",
    "elicitation",
    "sampling",
    "drift",
    "new_tools",
    "published",
    "enabled",
];
pub(super) const TOOLS_KEYS: &[&str] = &["allow", "deny"];

const ISOLATION: [(&str, Isolation); 2] =
    [("shared", Isolation::Shared), ("principal", Isolation::Principal)];
const ISOLATION_HINT: &str = "`shared`: one process for everyone; `principal`: one for each token";

const AFFINITY: [(&str, Affinity); 3] =
    [("run", Affinity::Run), ("principal", Affinity::Principal), ("none", Affinity::None)];
const AFFINITY_HINT: &str =
    "`run`: the calls of a run stay at one instance; `principal`: those of each token; `none`: no calls do";
const ERA: [(&str, EraChoice); 3] =
    [("auto", EraChoice::Auto), ("newer", EraChoice::Newer), ("older", EraChoice::Older)];
const ERA_HINT: &str =
    "`newer`: 2026-07-28 and later; `older`: up to 2025-11-25; `auto`: what the server is best spoken to in";

pub(super) const TIMEOUT: Duration = Duration::from_secs(60);
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
pub(super) const CONCURRENCY_MAX: usize = 64;
pub(super) const CONCURRENCY: RangeInclusive<usize> = 1..=100_000;

/// A server and the positions of its parts, for the checks that compare servers.
pub(super) struct ReadServer {
    pub(super) entry: ServerEntry,
    pub(super) name_span: Range<usize>,
    pub(super) prefix_span: Option<Range<usize>>,
    /// The file of the private key that is this server's alone; absolute.
    pub(super) key_file: Option<PathBuf>,
}

/// Reads one server. `None` after a problem that leaves nothing to run.
pub(super) fn read(
    mut section: ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    usual: &EgressConfig,
    problems: &mut ConfigProblems,
) -> Option<ReadServer> {
    if let Some(name) = section.string("name", &mut ConfigProblems::default()) {
        section.rename(format!("server {:?}", name.value));
    } else {
        section.rename("a server".into());
    }
    section.refuse_unknown_keys(KEYS, &[], problems);
    let enabled = section.boolean("enabled", problems).is_none_or(|enabled| enabled.value);
    // A server that is switched off may name secrets that this machine does not have.
    let references = if enabled { ctx.references } else { ReferenceMode::Keep };
    let values = TableValues { section: &section, source: ctx.source, references };
    let reader = ServerReader { section: &section, folder: ctx.folder, values };
    let name = reader.name(problems);
    let address = reader.address(problems);
    let (address, oauth) = with_oauth(&reader, address, problems);
    let prefix = section.boolean("prefix", problems);
    let timeout = section.seconds("timeout_seconds", SecondsRange::Positive, problems);
    let connect_timeout = section.seconds("connect_timeout_seconds", SecondsRange::Positive, problems);
    let concurrency_max = section.count("concurrency_max", CONCURRENCY, problems);
    let rate = section.rate("rate", problems);
    let isolation = section.word("isolation", &ISOLATION, ISOLATION_HINT, problems);
    let affinity = section.word("affinity", &AFFINITY, AFFINITY_HINT, problems);
    let era = section.word("era", &ERA, ERA_HINT, problems);
    let trust_annotations = section.boolean("trust_annotations", problems);
    let elicitation = section.boolean("elicitation", problems);
    let sampling = section.boolean("sampling", problems);
    let drift = section.word("drift", &DRIFT, DRIFT_HINT, problems);
    let new_tools = section.word("new_tools", &NEW_TOOLS, NEW_TOOLS_HINT, problems);
    let filter = reader.filter(problems);
    let published = reader.published(problems);
    let name = name?;
    let TransportAddress { transport, registered } = address?;
    let trusted = trust_annotations.map(|trust| trust.value);
    let ours = AskPermissions::default();
    let asks = AskPermissions {
        elicitation: elicitation.map_or(ours.elicitation, |may| may.value),
        sampling: sampling.map_or(ours.sampling, |may| may.value),
    };
    // An instance that registers under the name may come from anyone.
    let hints = if registered {
        HintTrust::of_newcomer(trusted)
    } else {
        HintTrust::of_operator(trusted.unwrap_or(true))
    };
    let is_foreign = registered || published.is_some();
    let ways = reader.ways(&usual_of(usual, &transport, is_foreign), problems);
    Some(ReadServer {
        entry: ServerEntry {
            spec: ServerSpec {
                name: name.value,
                transport,
                timeout: timeout.unwrap_or(TIMEOUT),
                connect_timeout: connect_timeout.unwrap_or(CONNECT_TIMEOUT),
                concurrency_max: concurrency_max.unwrap_or(CONCURRENCY_MAX),
                isolation: isolation.unwrap_or(Isolation::Shared),
                affinity: affinity.unwrap_or_default(),
                era: era.unwrap_or_default(),
                rate,
                reach: Reach::Anywhere,
                egress: Arc::new(ways.egress),
            },
            registered,
            oauth,
            prefix: prefix.as_ref().is_none_or(|prefix| prefix.value),
            filter,
            hints,
            asks,
            drift,
            new_tools,
            published,
            enabled,
        },
        name_span: name.span,
        prefix_span: prefix.map(|prefix| prefix.span),
        key_file: ways.key_file.filter(|file| usual.key_file.as_ref() != Some(file)),
    })
}

/// The sign-in of an API belongs to its description, since its calls need it too.
fn with_oauth(
    reader: &ServerReader<'_>,
    address: Option<TransportAddress>,
    problems: &mut ConfigProblems,
) -> (Option<TransportAddress>, Option<OAuthSpec>) {
    match address {
        Some(TransportAddress { transport: TransportSpec::Api(api), registered }) => {
            let (oauth, of_people) = reader.oauth_of_api(problems).unzip();
            let transport = TransportSpec::Api(ApiSpec { oauth: oauth.unwrap_or_default(), ..api });
            (Some(TransportAddress { transport, registered }), of_people)
        }
        address => (address, reader.oauth(problems)),
    }
}

struct ServerReader<'a> {
    section: &'a ConfigSection<'a>,
    folder: &'a Path,
    values: TableValues<'a>,
}

impl ServerReader<'_> {
    fn name(&self, problems: &mut ConfigProblems) -> Option<Located<ServerName>> {
        const EXPECTED: &str = "1 to 64 letters, digits, `-`, `_` and `.`";
        let Some(name) = self.section.string("name", problems) else {
            if self.section.key_span("name").is_none() {
                let hint = "add a line such as `name = \"files\"`";
                problems.add(self.section.span.clone(), "a server has no `name`", EXPECTED, hint);
            }
            return None;
        };
        match ServerName::new(name.value) {
            Ok(value) => match check_reserved(&value) {
                Ok(()) => Some(Located { value, span: name.span }),
                Err(reserved) => {
                    let hint = format!("for example `name = {:?}`", legal_name(name.value));
                    problems.add(name.span, reserved.to_string(), "a name of its own", hint);
                    None
                }
            },
            Err(bad) => {
                problems.add(name.span, bad.to_string(), EXPECTED, name_hint(name.value, &bad));
                None
            }
        }
    }

    fn ways(&self, usual: &EgressConfig, problems: &mut ConfigProblems) -> EgressConfig {
        let title = format!("`network` of {}", self.section.title());
        let Some(section) = self.section.section("network", &title, problems) else { return usual.clone() };
        section.refuse_unknown_keys(network::SERVER_KEYS, &[], problems);
        network::read_ways(&TableValues { section: &section, ..self.values }, self.folder, usual, problems)
    }

    fn filter(&self, problems: &mut ConfigProblems) -> ToolFilter {
        let title = format!("`tools` of {}", self.section.title());
        let Some(tools) = self.section.section("tools", &title, problems) else {
            return ToolFilter::default();
        };
        tools.refuse_unknown_keys(TOOLS_KEYS, &[], problems);
        ToolFilter { allow: globs(&tools, "allow", problems), deny: globs(&tools, "deny", problems) }
    }
}

/// The part of `[network]` that applies to a server: nothing for a process, and no certificate if others
/// decide who sees it.
fn usual_of(usual: &EgressConfig, transport: &TransportSpec, is_foreign: bool) -> EgressConfig {
    match transport {
        TransportSpec::Stdio { .. } => EgressConfig::default(),
        TransportSpec::Http { .. } if is_foreign => {
            EgressConfig { egress: usual.egress.anonymous(), key_file: None }
        }
        TransportSpec::Http { .. } | TransportSpec::Api(_) => usual.clone(),
    }
}

fn name_hint(name: &str, bad: &BadServerName) -> String {
    match bad {
        BadServerName::Empty => "for example `name = \"files\"`".into(),
        BadServerName::TooLong => "agents see the name in front of every tool: make it short".into(),
        BadServerName::Character(_) => format!("for example `name = {:?}`", legal_name(name)),
    }
}

/// The nearest legal server name.
pub(crate) fn legal_name(name: &str) -> String {
    let mut legal = String::with_capacity(name.len());
    for c in name.trim().chars().take(ServerName::CHARS_MAX) {
        match c {
            c if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') => legal.push(c),
            _ if legal.ends_with('-') => {}
            _ => legal.push('-'),
        }
    }
    let legal = legal.trim_matches('-');
    match ServerName::new(legal) {
        Err(_) => "server".into(),
        Ok(name) if check_reserved(&name).is_err() => format!("{legal}-server"),
        Ok(_) => legal.to_owned(),
    }
}

fn globs(tools: &ConfigSection<'_>, key: &str, problems: &mut ConfigProblems) -> Vec<String> {
    let written = tools.strings(key, problems);
    written.into_iter().filter_map(|glob| checked_glob(tools.title(), key, &glob, problems)).collect()
}

fn checked_glob(
    title: &str,
    key: &str,
    glob: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let foreign = glob.value.chars().find(|c| matches!(c, '[' | ']' | '{' | '}' | '\\') || c.is_control());
    let (what, hint) = match foreign {
        Some(c) => {
            (format!("{c:?} in `{key}` has no meaning"), "list several patterns instead of `[…]` or `{…}`")
        }
        None if glob.value.is_empty() => {
            (format!("a pattern in `{key}` is empty"), "`*` stands for every tool")
        }
        None => return Some(glob.value.to_owned()),
    };
    let expected = "the tool's own name, with `*` for any characters and `?` for one";
    problems.add(glob.span.clone(), format!("{what} in {title}"), expected, hint);
    None
}
