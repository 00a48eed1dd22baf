//! `toolgate serve`: the gateway itself.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use toolgate_core::Role;
use toolgate_edge::{Quotas, serve};
use toolgate_pipeline::Pipeline;
use toolgate_pipeline::filter::Filters;
use toolgate_registry::Registry;
use toolgate_store::{NewToken, OtherUsersAccess};

use super::context::Context;
use crate::claim::{self, StreamClaimGuard};
use crate::cli::ServeArgs;
use crate::config::{CapabilityServers, Config, FilterRule};
use crate::consent;
use crate::environment;
use crate::finding;
use crate::governance::{COMMAND_STREAM, PolicyFollower};
use crate::local::open_store;
use crate::lock::GatewayLock;
use crate::output;
use crate::pages::{LINK_TIME, link_address};
use crate::reload::{ConfigWatch, FileChange};
use crate::sockets::Sockets;
use crate::wiring::{self, AssembledGateway, ServerRecording};

/// More than the gateway can have connections.
const OPEN_FILES_MAX: u64 = 65_536;
/// In the data folder.
const FIRST_TOKENS: &str = "first-tokens.json";

pub(super) async fn run(context: &Context, args: ServeArgs) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    allow_many_files();
    let store = open_store(&config).await?;
    warn_of_others(&config.data);
    let lock = GatewayLock::take(&config.data, config.store.url.as_deref()).await?;
    let wanted = args.listen.unwrap_or(config.listen);
    let listener = TcpListener::bind(wanted).await.with_context(|| {
        format!("could not listen on {wanted}\nhint: choose another address with --listen, port 0 picks a free one")
    })?;
    let address = listener.local_addr().context("could not find the address that was bound")?;
    let endpoint = endpoint(address);
    let claim = StreamClaimGuard::take(&config, &store, &endpoint).await?;
    let written = config.clone();
    let config = with_model(config, args.model);
    let house =
        wiring::start_under(&config, &store, address, ServerRecording::Yes, claim.of_writer()).await?;
    // Made once it is certain that they will be shown: a start that fails must not use them up.
    let first = store.first_start_tokens(&config.store.stream).await?;
    lock.announce(Some(endpoint.clone()))?;
    consent::keep_named(&context.whereabouts());
    // From here on there is something to clean up, and a reader of the ready message may stop it at once.
    let mut signals = StopSignals::listen()?;
    let sockets = Sockets::open(&config.data, &house, &config.limits);
    let news = StartMessages { endpoint: &endpoint, first: &first, audience: OutputAudience::of_stdout() };
    let console = match news.audience {
        OutputAudience::Person if config.console.enabled => {
            Some(link_address(&endpoint, &store.create_login_link(LINK_TIME).await?))
        }
        OutputAudience::Person | OutputAudience::Record => None,
    };
    // A gateway continues to serve if its output has no reader.
    if let Err(error) = announce(context, &config, &news, console.as_deref()) {
        tracing::warn!(%error, "could not tell the address and tokens; `toolgate token create` makes another token");
    }

    let following =
        ConfigWatch::new(&context.whereabouts(), environment::variable, consent::is_agreed, written);
    let live = LiveParts {
        registry: house.registry.clone(),
        pipeline: house.pipeline(),
        quotas: house.quotas.clone(),
        follower: house.follower(),
    };
    house.tasks.spawn(house.shutdown.clone().run_until_cancelled_owned(follow_config(following, live)));
    if let Some(watch) = claim.watch(&config, &endpoint, COMMAND_STREAM)? {
        let closing = claim::close_left_open(watch, store.clone(), house.runs());
        house.tasks.spawn(house.shutdown.clone().run_until_cancelled_owned(closing));
    }
    let mut serving = house.tasks.spawn(serve(listener, house.gateway.clone()));
    tokio::select! {
        () = signals.next() => {}
        failed = &mut serving => return failed?.map(|()| ExitCode::SUCCESS).context("could not start serving"),
    }
    tracing::info!("shutting down; a second signal ends it at once");
    tokio::select! {
        () = finish(house, serving, &sockets) => {}
        () = signals.next() => {}
    }
    sockets.remove();
    claim.release().await;
    store.close().await;
    drop(lock);
    Ok(ExitCode::SUCCESS)
}

/// The model of the command line applies if the file has none.
fn with_model(mut config: Config, model: Option<PathBuf>) -> Config {
    // An empty variable names no model.
    let model = model.filter(|model| !model.as_os_str().is_empty());
    config.search.model = config.search.model.or(model);
    config
}

/// The parts that apply a changed configuration.
struct LiveParts {
    registry: Arc<Registry>,
    pipeline: Arc<Pipeline>,
    quotas: Arc<Quotas>,
    follower: PolicyFollower,
}

/// Applies changes of the configuration file. A file that does not load changes nothing.
async fn follow_config(
    mut watch: ConfigWatch,
    LiveParts { registry, pipeline, quotas, follower }: LiveParts,
) {
    let mut filters = watch.running().filters.clone();
    loop {
        match watch.next().await {
            FileChange::Changed { config, restart } => {
                quotas.set_rules(config.quotas.clone());
                follower.take(&config).await;
                let others = take_filters(&pipeline, &mut filters, config.filters.clone());
                let lines = registry.reload(config.file_state(), others).await;
                if lines.is_empty() {
                    tracing::info!(
                        "configuration: it loads, and no server, tool, alias or filter is different"
                    );
                }
                for line in lines {
                    tracing::info!("configuration: {line}");
                }
                if !restart.is_empty() {
                    tracing::warn!("configuration: {} counts after a restart only", restart.join(", "));
                }
            }
            FileChange::Refused(error) => {
                // Not the lines themselves: they may contain secrets, and logs and ledgers travel.
                let places = error.places();
                tracing::error!(
                    "the configuration file does not load and what it said before stays: {places}; \
                     `toolgate doctor` says what is wrong there"
                );
                registry.config_refused(&places).await;
            }
        }
    }
}

/// Replaces the filters from now on, and reports it.
fn take_filters(pipeline: &Pipeline, known: &mut Vec<FilterRule>, now: Vec<FilterRule>) -> Vec<String> {
    if *known == now {
        return Vec::new();
    }
    let named = |name: &str, among: &[FilterRule]| among.iter().find(|one| one.name == name).cloned();
    let mut lines = Vec::new();
    for rule in &now {
        match named(&rule.name, known) {
            None => lines.push(format!("filter {:?} is new", rule.name)),
            Some(before) if before != *rule => lines.push(format!("filter {:?} is different", rule.name)),
            Some(_) => {}
        }
    }
    let gone = known.iter().filter(|before| named(&before.name, &now).is_none());
    lines.extend(gone.map(|before| format!("filter {:?} is gone", before.name)));
    match Filters::new(&now) {
        Ok(filters) => pipeline.set_filters(filters),
        Err(error) => {
            tracing::error!("the new filters cannot be used and the old ones stay: {error}");
            return Vec::new();
        }
    }
    *known = now;
    lines
}

async fn finish(
    house: AssembledGateway,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
    sockets: &Sockets,
) {
    house.stop().await;
    drop(serving.await);
    sockets.finish().await;
}

/// `SIGXFSZ`, the same number on all systems that the gateway runs on.
const FILE_SIZE_EXCEEDED: i32 = 25;

/// The signals that stop the gateway. One that arrives while nothing waits is not lost.
struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("could not wait for signals");
        // Once it was listened for, it does not end the process: writing beyond a limit fails like writing to a full disk.
        drop(listen(SignalKind::from_raw(FILE_SIZE_EXCEEDED))?);
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// The address that clients on this machine use.
pub(super) fn endpoint(address: SocketAddr) -> String {
    let ip = if address.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { address.ip() };
    format!("http://{}/mcp", SocketAddr::new(ip, address.port()))
}

/// Every connection is an open file, and the usual limit of 1024 is a few hundred servers. The limit is
/// raised as far as it goes without privileges.
fn allow_many_files() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        setrlimit(Resource::RLIMIT_NOFILE, hard.min(OPEN_FILES_MAX).max(soft), hard)
    });
    if let Err(error) = raised {
        tracing::warn!(%error, "the limit of open files stays as it is; `ulimit -n` shows it");
    }
}

/// An existing folder keeps its mode: its owner may have reasons, but should know.
fn warn_of_others(data: &Path) {
    let may = match OtherUsersAccess::of(data) {
        OtherUsersAccess::Nothing => return,
        OtherUsersAccess::Look => "look into",
        OtherUsersAccess::Change => "change",
    };
    tracing::warn!(
        "other users of this machine may {may} the data folder; `chmod 700 {}` keeps them out",
        data.display()
    );
}

/// The audience of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputAudience {
    /// A person at a terminal.
    Person,
    /// A journal, a log file, a program: something that stores text, and shows it to others.
    Record,
}

impl OutputAudience {
    fn of_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Person } else { Self::Record }
    }
}

/// The messages at the start.
struct StartMessages<'a> {
    endpoint: &'a str,
    /// The tokens of the first start; none later.
    first: &'a [NewToken],
    audience: OutputAudience,
}

impl StartMessages<'_> {
    fn secret(&self, role: Role) -> Option<&str> {
        self.first.iter().find(|token| token.role == role).map(|token| token.secret.as_str())
    }

    fn tokens(&self) -> BTreeMap<&str, &str> {
        self.first.iter().map(|token| (token.role.as_str(), token.secret.as_str())).collect()
    }

    /// The file for tokens that are not shown on a terminal. A reader of the data folder could create others
    /// anyway.
    fn keep_tokens(&self, data: &Path) -> io::Result<Option<PathBuf>> {
        if self.first.is_empty() || self.audience == OutputAudience::Person {
            return Ok(None);
        }
        let path = data.join(FIRST_TOKENS);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(format!("{}\n", json!(self.tokens())).as_bytes())?;
        Ok(Some(path))
    }
}

/// The next steps after a start. Secrets are for terminals: journals and log files are read by others, and
/// kept.
fn announce(
    context: &Context,
    config: &Config,
    news: &StartMessages<'_>,
    console: Option<&str>,
) -> io::Result<()> {
    let kept = news.keep_tokens(&config.data)?;
    let StartMessages { endpoint, audience, .. } = news;
    let shown = |role| news.secret(role).filter(|_| *audience == OutputAudience::Person);
    let client = json!({ "mcpServers": { "toolgate": {
        "type": "http",
        "url": endpoint,
        "headers": { "Authorization": format!("Bearer {}", shown(Role::Agent).unwrap_or("<your token>")) },
    } } });
    if context.global.json {
        let tokens = (!news.first.is_empty() && kept.is_none()).then(|| news.tokens());
        let said = json!({
            "endpoint": endpoint, "console": console, "data": config.data, "tokens": tokens, "tokens_file": kept, "client": client,
        });
        return output::try_write(format_args!("{said}\n"));
    }
    let enabled = config.servers.iter().filter(|server| server.enabled).count();
    let source = match &config.source {
        Some(source) => format!("{} ({enabled} servers)", source.display()),
        None => "none yet; `toolgate servers import <file>` takes over what a client has".into(),
    };
    let tokens = match (&kept, shown(Role::Admin)) {
        (Some(path), _) => {
            format!("  tokens         in {}, for you alone: read it, then remove it\n", path.display())
        }
        (None, Some(secret)) => format!("  admin token    {secret}\n"),
        (None, None) => String::new(),
    };
    let next = match (shown(Role::Agent), shown(Role::Admin)) {
        (Some(_), Some(_)) => "Paste this into your MCP client. Both tokens are shown only this once:",
        (Some(_), None) => "Paste this into your MCP client. Its token is shown only this once:",
        (None, Some(_)) => {
            "The admin token is shown only this once. For an MCP client (`toolgate token create --role agent` makes a token):"
        }
        (None, None) => "For an MCP client (`toolgate token create --role agent` makes a token):",
    };
    let capability_servers = capability_servers(&config.capability_servers);
    let console = match (console, config.console.enabled) {
        (Some(link), _) => format!("  console        {link} (logs you in once, within an hour)\n"),
        (None, true) => {
            format!(
                "  console        {} (`toolgate console` prints a link that logs you in)\n",
                origin(endpoint)
            )
        }
        (None, false) => String::new(),
    };
    output::try_write(format_args!(
        "Toolgate {version} is ready.\n  MCP endpoint   {endpoint}\n{console}  data           {data}\n  configuration  {source}\n  search         {search}\n\
         {capability_servers}{tokens}\n{next}\n\n{client:#}\n\n\
         `toolgate connect <client>` writes this for Claude, Cursor and VS Code. Ctrl-C stops the gateway.\n",
        version = env!("CARGO_PKG_VERSION"),
        data = config.data.display(),
        search = finding::mode(config),
    ))
}

fn origin(endpoint: &str) -> &str {
    endpoint.strip_suffix("/mcp").unwrap_or(endpoint)
}

/// The running capability servers, in a line; empty if none are wanted.
fn capability_servers(servers: &CapabilityServers) -> String {
    let Some(folder) = &servers.folder else { return String::new() };
    let names: Vec<String> = servers.programs().into_keys().collect();
    match names.as_slice() {
        [] => {
            format!("  servers        none in {} yet; each is started when it is there\n", folder.display())
        }
        _ => format!("  servers        {}\n", names.join(", ")),
    }
}
