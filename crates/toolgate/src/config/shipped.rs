//! `[capability_servers]`: the servers that come with Toolgate, or were written with its kit. Every program
//! in one folder whose name ends in `-mcp` is started and kept running, under that name. The default folder
//! is `servers` beside the gateway's own program, so that unpacking both is enough, and every command knows
//! of them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_catalog::HintTrust;
use toolgate_core::ServerName;
use toolgate_core::address::Reach;
use toolgate_core::server::{
    Affinity, AskPermissions, EraChoice, Isolation, NetworkAccess, Sandbox, SandboxOpenings, ServerSpec,
    TransportSpec,
};
use toolgate_registry::Drift;

use super::problem::ConfigProblems;
use super::reference::VariableLookup;
use super::section::ConfigSection;
use super::server::{self, env_of};
use super::server_entry::{ServerEntry, ToolFilter};
use super::value::ReadContext;

pub(super) const KEYS: &[&str] = &["folder", "without", "env", "network", "servers"];
pub(super) const ONE_KEYS: &[&str] = &["env", "network"];

/// The suffix of programs of capability servers.
const ENDING: &str = "-mcp";
/// The folder, if the file names none; empty for none at all.
const FOLDER_VARIABLE: &str = "TOOLGATE_SERVERS";
/// Beside the program, where the variable is not set either.
const FOLDER: &str = "servers";
/// The servers whose purpose is the network. The browser's traffic takes a proxy of its own, which refuses private addresses and
/// what its operator does not allow.
const ONLINE: [&str; 1] = ["browser-mcp"];
/// The servers that cannot run by themselves: an operator describes each of their providers in `[[servers]]`.
const DESCRIBED_ONLY: [&str; 1] = ["connectors-mcp"];
/// The variables of the gateway's environment that the servers get by default: the places of models.
const PASSED_ON: [&str; 4] =
    ["TOOLGATE_MODEL", "CAPABILITY_OCR_MODELS", "CAPABILITY_SPEECH_MODELS", "CAPABILITY_FACE_MODELS"];

/// The operator's settings for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CapabilityServers {
    /// Absolute. `None`: there are none.
    pub(crate) folder: Option<PathBuf>,
    /// The excluded ones.
    pub(crate) without: Vec<String>,
    /// The environment for all of them beyond `PATH` and the like. No secrets.
    pub(crate) env: BTreeMap<String, String>,
    /// By default, open if `env` names an address, such as that of a model.
    pub(crate) network: Option<NetworkAccess>,
    /// The individual settings, by name.
    pub(crate) own: BTreeMap<String, ShippedSettings>,
}

/// The individual settings of one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShippedSettings {
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) network: Option<NetworkAccess>,
}

/// Used if the file has no such table.
pub(super) fn usual(cwd: &Path, env: VariableLookup<'_>) -> CapabilityServers {
    CapabilityServers {
        folder: match env(FOLDER_VARIABLE) {
            Some(folder) => (!folder.is_empty()).then(|| cwd.join(folder)),
            None => beside_the_program(),
        },
        without: Vec::new(),
        env: passed_on(env),
        network: None,
        own: BTreeMap::new(),
    }
}

pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    usual: CapabilityServers,
    problems: &mut ConfigProblems,
) -> CapabilityServers {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let values = ctx.values(section);
    let folder = section.string("folder", problems);
    let folder = folder.and_then(|folder| ctx.places(section).path_text("folder", &folder, problems));
    let without = section.strings("without", problems).into_iter().map(|name| name.value.to_owned());
    let mut env = usual.env;
    refuse_secrets_for_all(section, problems);
    env.extend(env_of(section, &values, problems));
    CapabilityServers {
        folder: folder.map(|folder| ctx.folder.join(folder)).or(usual.folder),
        without: without.collect(),
        env,
        network: network(section, problems),
        own: read_own(section, ctx, problems),
    }
}

fn network(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<NetworkAccess> {
    section.boolean("network", problems).map(|network| match network.value {
        true => NetworkAccess::Open,
        false => NetworkAccess::Closed,
    })
}

/// The shared environment must not contain secrets: each of them reads untrusted files.
fn refuse_secrets_for_all(section: &ConfigSection<'_>, problems: &mut ConfigProblems) {
    for (name, value) in section.string_map("env", &mut ConfigProblems::default()) {
        if is_secret_name(name.value) || value.value.contains("${vault:") {
            let what = format!(
                "`env.{}` in {} would be told to every capability server",
                name.value,
                section.title()
            );
            let hint = format!(
                "write it for the one that needs it: `[capability_servers.servers.NAME]`, `env = {{ {} = \"…\" }}`",
                name.value
            );
            problems.add(name.span, what, "only what is no secret, for all of them", hint);
        }
    }
}

/// True if the name of a variable suggests a secret.
fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"].iter().any(|word| upper.contains(word))
}

fn read_own(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> BTreeMap<String, ShippedSettings> {
    let Some(servers) = section.section("servers", "`[capability_servers.servers]`", problems) else {
        return BTreeMap::new();
    };
    let mut own = BTreeMap::new();
    for name in servers.keys() {
        let title = format!("`[capability_servers.servers.{name}]`");
        let Some(one) = servers.section(name, &title, problems) else { continue };
        one.refuse_unknown_keys(ONE_KEYS, &[], problems);
        let env = env_of(&one, &ctx.values(&one), problems);
        own.insert(name.to_owned(), ShippedSettings { env, network: network(&one, problems) });
    }
    own
}

fn beside_the_program() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.with_file_name(FOLDER);
    folder.is_dir().then_some(folder)
}

fn passed_on(env: VariableLookup<'_>) -> BTreeMap<String, String> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value));
    PASSED_ON.into_iter().filter_map(set).collect()
}

impl CapabilityServers {
    /// The existing programs, by name. A missing folder has none.
    pub(crate) fn programs(&self) -> BTreeMap<String, PathBuf> {
        let Some(entries) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else {
            return BTreeMap::new();
        };
        let program = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let runs_by_itself = name.ends_with(ENDING) && !DESCRIBED_ONLY.contains(&name.as_str());
            let wanted = runs_by_itself && !self.without.contains(&name);
            (wanted && is_program(&entry.path())).then(|| (name, entry.path()))
        };
        entries.flatten().filter_map(program).collect()
    }

    /// As servers, except those that the file describes itself.
    pub(super) fn entries(&self, described: &[ServerEntry]) -> Vec<ServerEntry> {
        let is_free = |name: &ServerName| !described.iter().any(|entry| entry.spec.name == *name);
        let named =
            self.programs().into_iter().filter_map(|(name, path)| Some((ServerName::new(&name).ok()?, path)));
        named.filter(|(name, _)| is_free(name)).map(|(name, path)| self.entry(name, &path)).collect()
    }

    /// They read untrusted files, and an attacker who takes one over should find no way out.
    fn network(&self, name: &ServerName, own: &ShippedSettings) -> NetworkAccess {
        let is_address = |value: &String| value.starts_with("http://") || value.starts_with("https://");
        let names_one = self.env.values().chain(own.env.values()).any(is_address);
        let usual = if names_one || ONLINE.contains(&name.as_str()) {
            NetworkAccess::Open
        } else {
            NetworkAccess::Closed
        };
        own.network.or(self.network).unwrap_or(usual)
    }

    fn entry(&self, name: ServerName, path: &Path) -> ServerEntry {
        let own = self.own.get(name.as_str()).cloned().unwrap_or_default();
        let network = self.network(&name, &own);
        let mut env = self.env.clone();
        env.extend(own.env);
        ServerEntry {
            spec: ServerSpec {
                name,
                transport: TransportSpec::Stdio {
                    command: path.display().to_string(),
                    args: Vec::new(),
                    env,
                    cwd: None,
                    sandbox: Sandbox::On(SandboxOpenings { network, ..SandboxOpenings::default() }),
                },
                timeout: server::TIMEOUT,
                connect_timeout: server::CONNECT_TIMEOUT,
                concurrency_max: server::CONCURRENCY_MAX,
                isolation: Isolation::Shared,
                affinity: Affinity::default(),
                era: EraChoice::default(),
                rate: None,
                reach: Reach::Anywhere,
                egress: Arc::default(),
            },
            registered: false,
            oauth: None,
            prefix: true,
            filter: ToolFilter::default(),
            hints: HintTrust::Believed,
            asks: AskPermissions::default(),
            // The person who puts another version of a program into the folder has checked it; and a tool
            // reports what this machine lacks for it, which changes with the installed software.
            drift: Some(Drift::Accept),
            new_tools: None,
            published: None,
            enabled: true,
        }
    }
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
