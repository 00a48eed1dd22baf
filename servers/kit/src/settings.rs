//! The settings: transport, registration, and limits. `cli` derives them from the command line.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

pub(crate) struct KitSettings {
    pub(crate) transport: Transport,
    pub(crate) limits: WorkerLimits,
}

pub(crate) enum Transport {
    /// One client, on stdin and stdout.
    Stdio,
    Http(Box<HttpSettings>),
}

pub(crate) struct HttpSettings {
    pub(crate) address: SocketAddr,
    /// The public address, if it differs from the one it listens on.
    pub(crate) public_url: Option<Url>,
    /// Names under which it may be called, beyond its own addresses.
    pub(crate) hosts: Vec<String>,
    pub(crate) entry: CallerEntry,
    pub(crate) gateway: Option<GatewaySettings>,
}

/// The permission to call.
pub(crate) enum CallerEntry {
    /// Everyone on this machine.
    Anyone,
    /// Callers with this token.
    Token(TokenSource),
    /// Callers with a token that is created at the start.
    NewToken,
}

pub(crate) struct GatewaySettings {
    pub(crate) url: Url,
    pub(crate) token: TokenSource,
    pub(crate) instance: String,
    pub(crate) lease: Duration,
}

pub(crate) enum TokenSource {
    Given(String),
    /// Read each time, so that a new one is taken up.
    File(PathBuf),
}

impl TokenSource {
    pub(crate) fn read(&self) -> io::Result<String> {
        match self {
            TokenSource::Given(token) => Ok(token.clone()),
            TokenSource::File(path) => Ok(fs::read_to_string(path)?.trim().to_owned()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct WorkerLimits {
    /// Worker processes, each with one call at a time.
    pub(crate) workers: usize,
    /// Address space of each of them.
    pub(crate) memory_bytes: u64,
    /// Time limit of a call, unless its tool has its own.
    pub(crate) time: Duration,
    /// The maximum input of a call, with files counted before Base64.
    pub(crate) input_bytes: usize,
    /// Calls that wait for a worker.
    pub(crate) queue: usize,
    pub(crate) refs_bytes: u64,
    pub(crate) refs_age: Duration,
}

impl WorkerLimits {
    /// The size of a request besides its file.
    const ENVELOPE_BYTES: usize = 1 << 20;

    /// The same in the characters of a request, where files are Base64.
    pub(crate) fn request_bytes(&self) -> usize {
        self.input_bytes.div_ceil(3) * 4 + Self::ENVELOPE_BYTES
    }

    /// The maximum total size of all waiting calls.
    pub(crate) fn waiting_bytes(&self) -> usize {
        4 * self.request_bytes()
    }

    /// The maximum size that is read at all. A caller somewhat over the limit gets a message: a broken
    /// connection, or a line without an answer, would say nothing.
    pub(crate) fn read_bytes(&self) -> usize {
        2 * self.request_bytes()
    }

    pub(crate) fn memory_mib(&self) -> u64 {
        self.memory_bytes >> 20
    }

    pub(crate) fn input_mib(&self) -> usize {
        self.input_bytes >> 20
    }
}
