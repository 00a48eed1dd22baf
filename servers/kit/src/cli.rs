//! The command line: its options, and their meaning. Contradictions are refused with a hint.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use url::Url;

use crate::capability::Capability;
use crate::settings::{
    CallerEntry, GatewaySettings, HttpSettings, KitSettings, TokenSource, Transport, WorkerLimits,
};

pub(crate) const TOKEN_VARIABLE: &str = "TOOLGATE_TOKEN";
const MIB: u64 = 1 << 20;

/// The kit's options and a server's own.
#[derive(Parser)]
#[command(disable_version_flag = true, max_term_width = 110)]
pub(crate) struct CommandLine<O: clap::Args> {
    #[command(flatten)]
    pub(crate) own: O,
    #[command(flatten)]
    pub(crate) kit: KitOptions,
    /// Print the version
    #[arg(short = 'V', long, help_heading = "More")]
    version: bool,
}

#[derive(clap::Args)]
pub(crate) struct KitOptions {
    /// Serve MCP over HTTP at ADDR, such as 127.0.0.1:4000, under /mcp; port 0 picks a free port. Without it, serve on
    /// stdin and stdout
    #[arg(long, value_name = "ADDR", env = "CAPABILITY_HTTP", help_heading = "Transport")]
    http: Option<SocketAddr>,
    /// The URL at which others reach this server, if not ADDR, such as http://documents.internal:4000/mcp
    #[arg(long, value_name = "URL", env = "CAPABILITY_PUBLIC_URL", help_heading = "Transport")]
    public_url: Option<Url>,
    /// An additional host name to accept in requests; may be repeated. The server's own addresses and the public URL's
    /// host are always accepted
    #[arg(
        long,
        value_name = "HOST",
        env = "CAPABILITY_ALLOW_HOST",
        value_delimiter = ',',
        help_heading = "Transport"
    )]
    allow_host: Vec<String>,
    /// The token that callers must send; the server passes it to the gateway when it registers. Without one, a loopback
    /// address is open to everyone on this machine, and for any other address the server creates a token at start
    #[arg(
        long,
        value_name = "TOKEN",
        env = "CAPABILITY_HTTP_TOKEN",
        hide_env_values = true,
        conflicts_with = "http_token_file",
        help_heading = "Transport"
    )]
    http_token: Option<String>,
    /// A file with that token
    #[arg(long, value_name = "FILE", env = "CAPABILITY_HTTP_TOKEN_FILE", help_heading = "Transport")]
    http_token_file: Option<PathBuf>,

    /// Register with this Toolgate gateway, such as http://127.0.0.1:8700, and renew the lease until the server stops
    #[arg(long, value_name = "URL", env = "CAPABILITY_GATEWAY", help_heading = "Gateway")]
    gateway: Option<Url>,
    /// The token to register with (`toolgate token create --role server --server NAME`)
    #[arg(
        long,
        value_name = "TOKEN",
        env = TOKEN_VARIABLE,
        hide_env_values = true,
        conflicts_with = "token_file",
        help_heading = "Gateway"
    )]
    token: Option<String>,
    /// A file with the token; the server reads it each time it needs the token
    #[arg(long, value_name = "FILE", env = "TOOLGATE_TOKEN_FILE", help_heading = "Gateway")]
    token_file: Option<PathBuf>,
    /// The id of this instance among the instances of the same server; random by default
    #[arg(long, value_name = "ID", env = "CAPABILITY_INSTANCE", value_parser = instance, help_heading = "Gateway")]
    instance: Option<String>,
    /// The lease: how long the gateway waits for a renewal before it drops this instance
    #[arg(
        long,
        value_name = "SECONDS",
        env = "CAPABILITY_LEASE_SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(5..=600),
        help_heading = "Gateway"
    )]
    lease_seconds: u64,

    #[command(flatten)]
    limits: LimitOptions,

    /// The log filter for stderr: a level, or a filter such as warn,capability_kit=debug
    #[arg(long, value_name = "FILTER", env = "CAPABILITY_LOG", default_value = DEFAULT_LOG, help_heading = "More")]
    pub(crate) log: String,
}

/// rmcp logs every message at `info`.
const DEFAULT_LOG: &str = "info,rmcp=error,hyper_util=warn";

#[derive(clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitOptions {
    /// Calls that run at the same time, each in its own process; by default as many as there are processors
    #[arg(long, value_name = "N", env = "CAPABILITY_WORKERS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// Memory limit of each worker (address space)
    #[arg(long, value_name = "MIB", env = "CAPABILITY_MEMORY_MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(128..=1 << 20))]
    memory_mib: u64,
    /// Time limit of a call, unless the tool has its own limit
    #[arg(long, value_name = "SECONDS", env = "CAPABILITY_TIMEOUT_SECONDS", default_value = "60", value_parser = positive)]
    timeout_seconds: f64,
    /// Size limit of a call's input; files count before Base64
    #[arg(long, value_name = "MIB", env = "CAPABILITY_INPUT_MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1024))]
    input_mib: u64,
    /// Calls that may wait for a worker; further calls are refused
    #[arg(long, value_name = "N", env = "CAPABILITY_QUEUE", default_value_t = 64, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    queue: u16,
    /// Total size of the stored results
    #[arg(long, value_name = "MIB", env = "CAPABILITY_REFS_MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    refs_mib: u64,
    /// Lifetime of a stored result
    #[arg(long, value_name = "MINUTES", env = "CAPABILITY_REFS_MINUTES", default_value = "60", value_parser = positive)]
    refs_minutes: f64,
}

fn positive(written: &str) -> Result<f64, String> {
    const MAX: f64 = 100_000.0;
    match written.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= MAX => Ok(number),
        _ => Err(format!("expected a number above 0 and up to {MAX}")),
    }
}

/// It is part of the path of requests to the gateway.
fn instance(written: &str) -> Result<String, String> {
    const CHARS_MAX: usize = 64;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    match written {
        "" | "." | ".." => Err("expected a name".to_owned()),
        _ if written.len() <= CHARS_MAX && written.chars().all(fits) => Ok(written.to_owned()),
        _ => Err(format!("expected up to {CHARS_MAX} letters, digits, dots, dashes and underscores")),
    }
}

/// The result of the command line.
pub(crate) enum ParsedCommandLine<O: clap::Args> {
    Start(Box<CommandLine<O>>),
    /// A text to print, and nothing else.
    Version(String),
    Words(clap::Error),
}

/// Reads the command line. Help and version need the server's own words, so they are made only when asked for.
pub(crate) fn read<O: clap::Args>(make: &impl Fn(O) -> Capability) -> ParsedCommandLine<O> {
    match CommandLine::<O>::try_parse() {
        Ok(line) if line.version => {
            let capability = make(line.own);
            ParsedCommandLine::Version(format!("{} {}", capability.name, capability.version))
        }
        Ok(line) => ParsedCommandLine::Start(Box::new(line)),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            ParsedCommandLine::Words(with_own_words(make).unwrap_or(error))
        }
        Err(error) => ParsedCommandLine::Words(error),
    }
}

fn with_own_words<O: clap::Args>(make: &impl Fn(O) -> Capability) -> Option<clap::Error> {
    let program = std::env::args_os().next()?;
    let usual = CommandLine::<O>::try_parse_from([program]).ok()?;
    let capability = make(usual.own);
    let about =
        format!("{}\n\nAn MCP server: {}", capability.instructions, capability.tool_names().join(", "));
    let command = CommandLine::<O>::command().name(capability.name).about(about);
    command.try_get_matches().err()
}

/// A contradiction, and the advice.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) struct Contradiction {
    what: &'static str,
    hint: &'static str,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nhint: {}", self.what, self.hint)
    }
}

fn refuse<T>(what: &'static str, hint: &'static str) -> Result<T, Contradiction> {
    Err(Contradiction { what, hint })
}

impl KitOptions {
    pub(crate) fn limits(&self) -> WorkerLimits {
        let said = &self.limits;
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        WorkerLimits {
            workers: said.workers.map_or_else(processors, usize::from),
            memory_bytes: said.memory_mib * MIB,
            time: Duration::from_secs_f64(said.timeout_seconds),
            input_bytes: (said.input_mib * MIB) as usize,
            queue: usize::from(said.queue),
            refs_bytes: said.refs_mib * MIB,
            refs_age: Duration::from_secs_f64(said.refs_minutes * 60.0),
        }
    }

    /// The settings behind all options.
    pub(crate) fn resolve(self) -> Result<KitSettings, Contradiction> {
        let limits = self.limits();
        let transport = match self.http {
            Some(address) => Transport::Http(Box::new(self.http_place(address)?)),
            None => self.stdio()?,
        };
        Ok(KitSettings { transport, limits })
    }

    fn stdio(&self) -> Result<Transport, Contradiction> {
        const HINT: &str = "add --http 127.0.0.1:0, or another address";
        if self.gateway.is_some() {
            return refuse("--gateway needs --http: a gateway reaches a registered server over HTTP", HINT);
        }
        if self.public_url.is_some() {
            return refuse("--public-url needs --http: stdin and stdout have no URL", HINT);
        }
        if self.http_token.is_some() || self.http_token_file.is_some() {
            return refuse(
                "--http-token needs --http: only the program that started this server can use stdin and \
                 stdout",
                HINT,
            );
        }
        Ok(Transport::Stdio)
    }

    fn http_place(self, address: SocketAddr) -> Result<HttpSettings, Contradiction> {
        let public_url = self.public_url.map(at_mcp).transpose()?;
        if self.gateway.is_some() && public_url.is_none() && address.ip().is_unspecified() {
            return refuse(
                "this server listens on every address, so it cannot tell the gateway which one to use",
                "add --public-url http://HOST:PORT/mcp, or listen on one address",
            );
        }
        let token = self.token.map(TokenSource::Given).or(self.token_file.map(TokenSource::File));
        let gateway = match self.gateway {
            Some(url) => Some(gateway_place(url, token, self.instance, self.lease_seconds)?),
            None => None,
        };
        let token = self.http_token.map(TokenSource::Given).or(self.http_token_file.map(TokenSource::File));
        let entry = match token {
            Some(token) => CallerEntry::Token(token),
            None if address.ip().is_loopback() => CallerEntry::Anyone,
            None => CallerEntry::NewToken,
        };
        Ok(HttpSettings { address, public_url, hosts: self.allow_host, entry, gateway })
    }
}

fn gateway_place(
    url: Url,
    token: Option<TokenSource>,
    instance: Option<String>,
    lease_seconds: u64,
) -> Result<GatewaySettings, Contradiction> {
    if !is_http(&url) {
        return refuse("--gateway is not an http or https URL", "write it as http://127.0.0.1:8700");
    }
    let Some(token) = token else {
        return refuse(
            "--gateway needs a token",
            "create one with `toolgate token create --role server --server NAME` and pass it in \
             TOOLGATE_TOKEN or with --token-file",
        );
    };
    let instance = instance.unwrap_or_else(some_name);
    Ok(GatewaySettings { url, token, instance, lease: Duration::from_secs(lease_seconds) })
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// A public URL without a path means the usual one.
fn at_mcp(mut url: Url) -> Result<Url, Contradiction> {
    if !is_http(&url) {
        return refuse("--public-url is not an http or https URL", "write it as http://HOST:PORT/mcp");
    }
    if url.path() == "/" {
        url.set_path("/mcp");
    }
    Ok(url)
}

/// The last characters of a UUID are the random ones.
fn some_name() -> String {
    const CHARS: usize = 12;
    let id = uuid::Uuid::now_v7().simple().to_string();
    id[id.len() - CHARS..].to_owned()
}

#[cfg(test)]
mod tests;
