//! `toolgate.toml`: its location, its content, and every way in which it can be wrong.
//!
//! Lives here: reading and checking the file, the `Config` it becomes, and the one way in which the
//! operator's files are replaced. Does not live here: command line flags, and anything that acts on a
//! configuration.

mod access;
mod address;
mod agent_loop;
mod agents;
mod changes;
mod checkpoints;
mod console;
mod engine;
mod files;
mod filters;
mod index;
#[cfg(test)]
pub(crate) mod keys;
mod knowledge;
mod ledger;
mod limits;
mod mail;
mod models;
mod network;
mod outbound;
mod policy;
mod problem;
mod quotas;
pub(crate) mod reference;
mod registry;
pub(crate) mod replace;
mod runs;
mod sandbox;
mod search;
mod secrets;
mod section;
pub(crate) mod server;
mod server_entry;
mod shipped;
mod state;
mod substrate;
#[cfg(test)]
mod tests;
mod tools;
mod value;
mod whereabouts;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::DeTable;
use toolgate_agents::AgentsSettings;
use toolgate_core::address::AddressRules;
use toolgate_core::egress::Egress;
use toolgate_core::model::ModelDefinition;
use toolgate_core::scope::{AgentDefinition, Capability};
use toolgate_core::{MessageLimits, OutputCheck};
use toolgate_credentials::{BearerSettings, OutsideSecret};
use toolgate_edge::QuotaRule;
use toolgate_engine::EngineSettings;
use toolgate_index::IndexSettings;
use toolgate_registry::{AliasSpec, ReviewRules};
use toolgate_sandbox::ConfinementDemand;

pub(crate) use access::VaultSettings;
pub(crate) use address::{LISTEN_EXPECTED, parse_listen};
use address::{checked_data, checked_host, checked_list, checked_listen, checked_origin};
pub(crate) use checkpoints::{CheckpointKeySource, CheckpointSettings};
pub(crate) use console::ConsoleSettings;
pub(crate) use knowledge::KnowledgeSettings;
pub(crate) use ledger::{ArchiveSettings, LedgerSettings, ReadsWhenDown, StoreSettings};
pub(crate) use mail::MailSettings;
use network::EgressConfig;
pub(crate) use outbound::{MeteringSettings, OtlpSettings, WebhookConfig};
pub(crate) use policy::{ApprovalSettings, PolicySettings};
pub(crate) use problem::ConfigError;
use problem::ConfigProblems;
pub(crate) use reference::ReferenceMode;
pub(crate) use registry::RegistryAddress;
pub(crate) use runs::RunSettings;
pub(crate) use search::SearchSettings;
pub(crate) use secrets::{CredentialSource, OpenBao, OpenBaoBy};
use section::ConfigSection;
pub(crate) use server_entry::ServerEntry;
pub(crate) use shipped::CapabilityServers;
pub(crate) use substrate::SubstrateSettings;
#[cfg(test)]
pub(crate) use tests::accepted;
pub(crate) use toolgate_pipeline::filter::FilterRule;
pub(crate) use toolgate_pipeline::redact::RedactRule;
pub(crate) use tools::ToolRule;
use value::ReadContext;
pub(crate) use whereabouts::{ConfigHints, FILE_NAME};

pub(crate) const DEFAULT_LISTEN: &str = "127.0.0.1:8700";

/// The operator's whole configuration, checked, with defaults for missing keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    /// Absolute.
    pub(crate) data: PathBuf,
    /// Empty: derived from `listen`.
    pub(crate) allowed_hosts: Vec<String>,
    /// Empty: derived from `listen`.
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) limits: MessageLimits,
    /// In the order of the file; then those of the folder of capability servers.
    pub(crate) servers: Vec<ServerEntry>,
    pub(crate) capability_servers: Box<CapabilityServers>,
    /// The treatment of servers that this machine cannot confine.
    pub(crate) sandbox: ConfinementDemand,
    pub(crate) store: StoreSettings,
    pub(crate) policy: PolicySettings,
    pub(crate) approvals: ApprovalSettings,
    /// The treatment of results that break their tool's schema, unless a tool has its own rule.
    pub(crate) output_check: OutputCheck,
    pub(crate) ledger: LedgerSettings,
    pub(crate) checkpoints: Option<CheckpointSettings>,
    pub(crate) redact: Vec<RedactRule>,
    pub(crate) quotas: Vec<QuotaRule>,
    /// In the order of the file.
    pub(crate) filters: Vec<FilterRule>,
    /// In the order of the file: of those that match a tool, the last one with a value counts.
    pub(crate) tools: Vec<ToolRule>,
    pub(crate) webhooks: Vec<WebhookConfig>,
    pub(crate) metering: Option<MeteringSettings>,
    pub(crate) otlp: Option<OtlpSettings>,
    pub(crate) mail: Option<Box<MailSettings>>,
    /// The allowed addresses of servers that were named over the network.
    pub(crate) network: AddressRules,
    /// The default connection settings.
    pub(crate) egress: Arc<Egress>,
    /// Files with private keys that connections show certificates of; absolute.
    pub(crate) key_files: Vec<PathBuf>,
    /// The treatment of changes to tools, unless a setting overrides it.
    pub(crate) review: ReviewRules,
    /// The MCP registry in which servers are searched.
    pub(crate) registry: RegistryAddress,
    /// In the order of the file.
    pub(crate) aliases: Vec<AliasSpec>,
    /// In the order of the file.
    pub(crate) agents: Vec<AgentDefinition>,
    pub(crate) capabilities: Vec<Capability>,
    /// In the order of the file.
    pub(crate) models: Vec<ModelDefinition>,
    pub(crate) search: SearchSettings,
    /// As in the file; models that others name are added where it is started.
    pub(crate) engine: Box<EngineSettings>,
    /// With an absolute folder, and with where others reach the gateway. Apart, for it is large and configurations are moved.
    pub(crate) files: Box<toolgate_files::FilesSettings>,
    pub(crate) runs: RunSettings,
    pub(crate) agent_loop: AgentsSettings,
    pub(crate) substrate: SubstrateSettings,
    pub(crate) index: IndexSettings,
    pub(crate) knowledge: KnowledgeSettings,
    pub(crate) console: ConsoleSettings,
    pub(crate) vault: VaultSettings,
    /// In the order of the file.
    pub(crate) secrets: Vec<OutsideSecret>,
    pub(crate) openbao: Option<OpenBao>,
    /// The issuer of accepted access tokens besides the gateway's own.
    pub(crate) oauth: Option<BearerSettings>,
    /// The file all this was read from; absolute.
    pub(crate) source: Option<PathBuf>,
}

impl Config {
    /// Finds and reads the configuration: `--config`, else `./toolgate.toml`, else `<data>/toolgate.toml`, else
    /// the defaults.
    pub(crate) fn load(at: &ConfigHints<'_>, references: ReferenceMode<'_>) -> Result<Config, ConfigError> {
        let Some(shown) = at.find() else { return Ok(Config::without_file(at).with_capability_servers()) };
        let path = at.cwd.join(&shown);
        let shown = shown.display().to_string();
        let bytes = std::fs::read(&path).map_err(|error| unreadable(&shown, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(&shown, &error))?;
        Config::parse(&text, &shown, &path, at, references).map(Config::with_capability_servers)
    }

    fn with_capability_servers(mut self) -> Config {
        self.servers.extend(self.capability_servers.entries(&self.servers));
        self
    }

    fn without_file(at: &ConfigHints<'_>) -> Config {
        let data = at.data_folder();
        Config {
            listen: DEFAULT_LISTEN.parse().expect("the default address is well formed"),
            files: Box::new(files::usual(&data)),
            engine: Box::new(engine::usual(&data)),
            data,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: MessageLimits::default(),
            servers: Vec::new(),
            capability_servers: Box::new(shipped::usual(at.cwd, at.env)),
            sandbox: ConfinementDemand::Wanted,
            store: StoreSettings::default(),
            policy: PolicySettings::default(),
            approvals: ApprovalSettings::default(),
            output_check: OutputCheck::default(),
            ledger: LedgerSettings::default(),
            checkpoints: None,
            redact: Vec::new(),
            quotas: Vec::new(),
            filters: Vec::new(),
            tools: Vec::new(),
            webhooks: Vec::new(),
            metering: None,
            otlp: None,
            mail: None,
            network: AddressRules::default(),
            egress: Arc::default(),
            key_files: Vec::new(),
            review: ReviewRules::default(),
            registry: RegistryAddress::default(),
            aliases: Vec::new(),
            agents: Vec::new(),
            capabilities: Vec::new(),
            models: Vec::new(),
            search: SearchSettings::default(),
            runs: RunSettings::default(),
            agent_loop: AgentsSettings::default(),
            substrate: SubstrateSettings::default(),
            index: IndexSettings::default(),
            knowledge: KnowledgeSettings::default(),
            console: ConsoleSettings::default(),
            vault: VaultSettings::default(),
            secrets: Vec::new(),
            openbao: None,
            oauth: None,
            source: None,
        }
    }

    /// Reads `text` as the file at `path`, which messages call `shown`.
    pub(crate) fn parse(
        text: &str,
        shown: &str,
        path: &Path,
        at: &ConfigHints<'_>,
        references: ReferenceMode<'_>,
    ) -> Result<Config, ConfigError> {
        let (document, errors) = DeTable::parse_recoverable(text);
        let mut problems = ConfigProblems::default();
        // If the file is JSON instead of TOML, every line is wrong: one message is enough.
        let told = if text.trim_start().starts_with('{') { 1 } else { errors.len() };
        for error in errors.iter().take(told) {
            syntax_problem(text, error, &mut problems);
        }
        // After a syntax error the rest is guesswork: its problems would be noise.
        if !problems.is_empty() {
            return Err(problems.into_error(shown, text));
        }
        let top = ConfigSection::new("the file", document.get_ref(), document.span());
        let config = read_top(&top, text, path, at, references, &mut problems);
        if problems.is_empty() { Ok(config) } else { Err(problems.into_error(shown, text)) }
    }
}

const KEYS: &[&str] = &[
    "listen",
    "public_url",
    "data",
    "allowed_hosts",
    "allowed_origins",
    "limits",
    "servers",
    "capability_servers",
    "sandbox",
    "store",
    "policy",
    "approvals",
    "validation",
    "ledger",
    "checkpoints",
    "redact",
    "quotas",
    "filters",
    "tools",
    "webhooks",
    "metering",
    "otlp",
    "mail",
    "network",
    "registry",
    "aliases",
    "vault",
    "secrets",
    "openbao",
    "oauth",
    "agents",
    "capabilities",
    "models",
    "search",
    "engine",
    "files",
    "results",
    "runs",
    "agent_loop",
    "substrate",
    "index",
    "knowledge",
    "console",
];

/// The keys of each table, for the hint about a misplaced one.
const TABLES: &[(&str, &[&str])] = &[
    ("[limits]", limits::KEYS),
    ("[[servers]]", server::KEYS),
    ("[capability_servers]", shipped::KEYS),
    ("[sandbox]", sandbox::KEYS),
    ("[store]", ledger::STORE_KEYS),
    ("[policy]", policy::POLICY_KEYS),
    ("[approvals]", policy::APPROVALS_KEYS),
    ("[validation]", tools::VALIDATION_KEYS),
    ("[ledger]", ledger::LEDGER_KEYS),
    ("[ledger.archive]", ledger::ARCHIVE_KEYS),
    ("[checkpoints]", checkpoints::KEYS),
    ("[[redact]]", ledger::REDACT_KEYS),
    ("[[quotas]]", quotas::KEYS),
    ("[[filters]]", filters::KEYS),
    ("[[tools]]", tools::TOOLS_KEYS),
    ("[[tools.files]]", tools::FILE_KEYS),
    ("[[webhooks]]", outbound::WEBHOOKS_KEYS),
    ("[metering]", outbound::METERING_KEYS),
    ("[otlp]", outbound::OTLP_KEYS),
    ("[mail]", mail::KEYS),
    ("[network]", network::KEYS),
    ("[registry]", registry::REGISTRY_KEYS),
    ("[[aliases]]", registry::ALIASES_KEYS),
    ("[vault]", access::VAULT_KEYS),
    ("[[secrets]]", secrets::SECRETS_KEYS),
    ("[openbao]", secrets::OPENBAO_KEYS),
    ("[oauth]", access::OAUTH_KEYS),
    ("[[agents]]", AgentDefinition::KEYS),
    ("[[capabilities]]", Capability::KEYS),
    ("[[models]]", ModelDefinition::KEYS),
    ("[search]", search::KEYS),
    ("[engine]", engine::KEYS),
    ("[files]", files::FILES_KEYS),
    ("[results]", files::RESULTS_KEYS),
    ("[runs]", runs::KEYS),
    ("[agent_loop]", agent_loop::KEYS),
    ("[substrate]", substrate::KEYS),
    ("[index]", index::KEYS),
    ("[knowledge]", knowledge::KEYS),
    ("[console]", console::KEYS),
    ("[console.oidc]", console::OIDC_KEYS),
];

fn read_top(
    top: &ConfigSection<'_>,
    text: &str,
    path: &Path,
    at: &ConfigHints<'_>,
    references: ReferenceMode<'_>,
    problems: &mut ConfigProblems,
) -> Config {
    let folder = path.parent().unwrap_or(at.cwd);
    top.refuse_unknown_keys(KEYS, TABLES, problems);
    let fallback = Config::without_file(at);
    let listen = top.string("listen", problems).and_then(|listen| checked_listen(&listen, problems));
    let data = top.string("data", problems).and_then(|data| checked_data(&data, at, problems));
    let limits = top.section("limits", "`[limits]`", problems);
    let shipped = top.section("capability_servers", "`[capability_servers]`", problems);
    let sandbox = top.section("sandbox", "`[sandbox]`", problems);
    let ctx = ReadContext { source: text, folder, references, env: at.env };
    let network = top.section("network", "`[network]`", problems);
    let network = network.map(|section| network::read(&section, &ctx, problems)).unwrap_or_default();
    let (servers, mut key_files) = read_servers(top, &ctx, &network.ways, problems);
    key_files.extend(network.ways.key_file);
    let config = Config {
        listen: listen.unwrap_or(fallback.listen),
        // A flag is nearer to the operator than the file.
        data: match (at.data, data) {
            (None, Some(data)) => folder.join(data),
            _ => fallback.data,
        },
        allowed_hosts: checked_list(top, "allowed_hosts", checked_host, problems),
        allowed_origins: checked_list(top, "allowed_origins", checked_origin, problems),
        limits: limits.map_or(fallback.limits, |section| limits::read(&section, problems)),
        servers,
        network: network.rules,
        egress: Arc::new(network.ways.egress),
        key_files,
        capability_servers: match shipped {
            Some(section) => Box::new(shipped::read(&section, &ctx, *fallback.capability_servers, problems)),
            None => fallback.capability_servers,
        },
        sandbox: sandbox.map_or(fallback.sandbox, |section| sandbox::read(&section, problems)),
        source: Some(path.to_owned()),
        ..fallback
    };
    let config = with_governance(config, top, &ctx, problems);
    let config = with_registry(config, top, &ctx, problems);
    let config = with_bytes(config, top, &ctx, problems);
    checkpoints::refuse_without_bucket(top, config.checkpoints.as_ref(), &config.files.place, problems);
    checkpoints::refuse_without_openbao(top, config.checkpoints.as_ref(), problems);
    config
}

/// Reads the tables about files, results, the engine, runs, agents that run here, the substrate,
/// indexes, knowledge, and the console.
fn with_bytes(
    config: Config,
    top: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Config {
    let mut table = |key: &str| top.section(key, &format!("`[{key}]`"), problems);
    let (files, results, runs) = (table("files"), table("results"), table("runs"));
    let (substrate, console) = (table("substrate"), table("console"));
    let (agent_loop, engine) = (table("agent_loop"), table("engine"));
    let (index, knowledge) = (table("index"), table("knowledge"));
    // The folder that files are kept in lies in the data folder, wherever that is by now.
    let mut settings = files::usual(&config.data);
    if let Some(section) = files {
        settings = files::read_files(&section, ctx, settings, problems);
    }
    if let Some(section) = results {
        settings = files::read_results(&section, settings, problems);
    }
    settings.public_url = files::public_url(top, ctx, problems);
    settings.egress = config.egress.clone();
    let engine = match engine {
        Some(section) => engine::read(&section, ctx, &config.data, problems),
        None => engine::usual(&config.data),
    };
    let runs = runs.map(|section| runs::read(&section, problems)).unwrap_or_default();
    let agent_loop = agent_loop.map(|section| agent_loop::read(&section, problems)).unwrap_or_default();
    let substrate = substrate.map(|section| substrate::read(&section, problems)).unwrap_or_default();
    let index = index.map(|section| index::read(&section, ctx, problems)).unwrap_or_default();
    let knowledge = knowledge.map(|section| knowledge::read(&section, problems)).unwrap_or_default();
    let console = console.map(|section| console::read(&section, ctx, problems)).unwrap_or_default();
    let (files, engine) = (Box::new(settings), Box::new(engine));
    Config { files, engine, runs, agent_loop, substrate, index, knowledge, console, ..config }
}

/// Reads the tables about registration, aliases, agents, models, and credentials.
fn with_registry(
    config: Config,
    top: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Config {
    let table = |key: &str, problems: &mut ConfigProblems| top.section(key, &format!("`[{key}]`"), problems);
    let review = table("registry", problems).map(|section| {
        (registry::read_registry(&section, problems), registry::read_address(&section, ctx, problems))
    });
    let (review, registry) = review.unwrap_or_default();
    let vault = table("vault", problems).map(|section| access::read_vault(&section, ctx, problems));
    let openbao =
        table("openbao", problems).and_then(|section| secrets::read_openbao(&section, ctx, problems));
    let outside = secrets::read_secrets(top.sections("secrets", problems), ctx, problems);
    secrets::refuse_without_openbao(top, &outside, problems);
    let aliases = top.sections("aliases", problems);
    let (agents, capabilities) = (top.sections("agents", problems), top.sections("capabilities", problems));
    let models = top.sections("models", problems);
    let search = table("search", problems).map(|section| search::read(&section, ctx, problems));
    Config {
        review,
        registry,
        aliases: registry::read_aliases(aliases, problems),
        agents: agents::read_agents(agents, problems),
        capabilities: agents::read_capabilities(capabilities, problems),
        models: models::read(models, ctx, problems),
        search: search.unwrap_or_default(),
        vault: vault.unwrap_or_default(),
        secrets: outside,
        openbao,
        oauth: table("oauth", problems).and_then(|section| access::read_oauth(&section, ctx, problems)),
        ..config
    }
}

/// Reads the tables that say how calls are judged and recorded.
fn with_governance(
    config: Config,
    top: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Config {
    let table = |key: &str, problems: &mut ConfigProblems| top.section(key, &format!("`[{key}]`"), problems);
    let store = table("store", problems).map(|section| ledger::read_store(&section, ctx, problems));
    let policy = table("policy", problems).map(|section| policy::read_policy(&section, ctx, problems));
    let approvals = table("approvals", problems).map(|section| policy::read_approvals(&section, problems));
    let validation = table("validation", problems).map(|section| tools::read_validation(&section, problems));
    let kept = table("ledger", problems).map(|section| ledger::read_ledger(&section, problems));
    let redact = top.sections("redact", problems).into_iter();
    let redact = redact.filter_map(|section| ledger::read_redact(section, problems)).collect();
    let quotas = top.sections("quotas", problems).into_iter();
    let quotas = quotas.filter_map(|section| quotas::read(section, problems)).collect();
    let filters = top.sections("filters", problems);
    let rules = top.sections("tools", problems).into_iter();
    let rules = rules.filter_map(|section| tools::read_tool(section, problems)).collect();
    let webhooks = top.sections("webhooks", problems);
    Config {
        store: store.unwrap_or_default(),
        policy: policy.unwrap_or_default(),
        approvals: approvals.unwrap_or_default(),
        output_check: validation.unwrap_or_default(),
        ledger: kept.unwrap_or_default(),
        checkpoints: table("checkpoints", problems)
            .and_then(|section| checkpoints::read(&section, ctx, problems)),
        redact,
        quotas,
        filters: filters::read(filters, problems),
        tools: rules,
        webhooks: outbound::read_webhooks(webhooks, ctx, problems),
        metering: table("metering", problems)
            .and_then(|section| outbound::read_metering(&section, ctx, problems)),
        otlp: table("otlp", problems).and_then(|section| outbound::read_otlp(&section, ctx, problems)),
        mail: table("mail", problems).and_then(|section| mail::read(&section, ctx, problems)).map(Box::new),
        ..config
    }
}

/// The servers, and the files of their private keys.
fn read_servers(
    top: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    usual: &EgressConfig,
    problems: &mut ConfigProblems,
) -> (Vec<ServerEntry>, Vec<PathBuf>) {
    let sections = top.sections("servers", problems);
    let read: Vec<_> =
        sections.into_iter().filter_map(|section| server::read(section, ctx, usual, problems)).collect();
    refuse_equal_names(&read, problems);
    refuse_unprefixed_among_several(&read, problems);
    let key_files = read.iter().filter_map(|read| read.key_file.clone()).collect();
    (read.into_iter().map(|read| read.entry).collect(), key_files)
}

fn refuse_equal_names(read: &[server::ReadServer], problems: &mut ConfigProblems) {
    for (index, server) in read.iter().enumerate() {
        let name = server.entry.spec.name.as_str();
        let same = |other: &&server::ReadServer| {
            other.entry.spec.name.as_str().to_lowercase() == name.to_lowercase()
        };
        let Some(first) = read[..index].iter().find(same) else { continue };
        let first = first.entry.spec.name.as_str();
        let what = match first == name {
            true => format!("two servers are named {name:?}"),
            false => format!("the server names {first:?} and {name:?} differ only by case"),
        };
        let hint = format!("rename one of them, for example to {:?}", format!("{name}-2"));
        problems.add(server.name_span.clone(), what, "a name that no other server has", hint);
    }
}

fn refuse_unprefixed_among_several(read: &[server::ReadServer], problems: &mut ConfigProblems) {
    let enabled = read.iter().filter(|server| server.entry.enabled).count();
    for server in read.iter().filter(|server| server.entry.enabled && !server.entry.prefix) {
        if enabled > 1 {
            let name = server.entry.spec.name.as_str();
            let what = format!("`prefix = false` in server {name:?}, which is not the only server");
            let hint = "remove the line, or set `enabled = false` in the other servers";
            let span = server.prefix_span.clone().expect("a prefix that is false was written");
            problems.add(span, what, "`prefix = false` only where there is one enabled server", hint);
        }
    }
}

fn syntax_problem(text: &str, error: &toml::de::Error, problems: &mut ConfigProblems) {
    let span = error.span().unwrap_or(0..0);
    let (what, expected) = match error.message().split_once(", expected ") {
        Some((what, "nothing")) => {
            (what, "text in quotes, a number, `true` or `false`, a list or a table".into())
        }
        Some((what, expected)) => (what, expected.to_owned()),
        None => (error.message(), "TOML: `key = value` lines under `[table]` headers".into()),
    };
    let hint = syntax_hint(text, &span, what);
    problems.add(span, what, expected, hint);
}

fn syntax_hint(text: &str, span: &std::ops::Range<usize>, what: &str) -> &'static str {
    let rest = text.get(span.start..).unwrap_or_default();
    if what.contains("duplicate key") {
        return "each key may stand once in a table; a second server starts with its own `[[servers]]`";
    }
    if rest.starts_with('{') || rest.starts_with('}') || rest.starts_with(':') {
        return "this is TOML, not JSON; `toolgate servers import FILE` reads a client's JSON";
    }
    "text stands in quotes: `name = \"files\"`; `toolgate.example.toml` shows every key"
}

fn unreadable(shown: &str, error: &std::io::Error) -> ConfigError {
    let hint = match error.kind() {
        std::io::ErrorKind::NotFound => "check the path given with `--config`",
        std::io::ErrorKind::PermissionDenied => "make the file readable for the user that runs Toolgate",
        _ => "check what the path points to",
    };
    ConfigError::of_file(shown, format!("cannot be read: {error}"), "a readable TOML file", hint)
}

fn not_utf8(shown: &str, error: &std::string::FromUtf8Error) -> ConfigError {
    let valid = error.utf8_error().valid_up_to();
    let source = String::from_utf8_lossy(error.as_bytes());
    let mut problems = ConfigProblems::default();
    let hint = "save the file as UTF-8; older editors on Windows save UTF-16 or Latin-1";
    problems.add(valid..valid + 1, "the file is not UTF-8", "UTF-8 text, as TOML demands", hint);
    problems.into_error(shown, &source)
}
