//! What is meant: where the server speaks, where it registers, and what it allows. `cli` makes it of what was said.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

pub(crate) struct Settings {
    pub(crate) transport: Transport,
    pub(crate) limits: Limits,
}

pub(crate) enum Transport {
    /// One client, on stdin and stdout.
    Stdio,
    Http(Box<HttpPlace>),
}

pub(crate) struct HttpPlace {
    pub(crate) address: SocketAddr,
    /// Where others reach it, if that is not the address it listens on.
    pub(crate) public_url: Option<Url>,
    /// Names under which it may be called, beyond its own addresses.
    pub(crate) hosts: Vec<String>,
    pub(crate) entry: Entry,
    pub(crate) gateway: Option<GatewayPlace>,
}

/// Who may call.
pub(crate) enum Entry {
    /// Whoever is on this machine.
    Anybody,
    /// Whoever shows this token.
    Token(Token),
    /// Whoever shows a token that is made at the start.
    NewToken,
}

pub(crate) struct GatewayPlace {
    pub(crate) url: Url,
    pub(crate) token: Token,
    pub(crate) instance: String,
    pub(crate) lease: Duration,
}

pub(crate) enum Token {
    Given(String),
    /// Read each time, so that a new one is taken up.
    File(PathBuf),
}

impl Token {
    pub(crate) fn read(&self) -> io::Result<String> {
        match self {
            Token::Given(token) => Ok(token.clone()),
            Token::File(path) => Ok(fs::read_to_string(path)?.trim().to_owned()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Limits {
    /// Worker processes, each with one call at a time.
    pub(crate) workers: usize,
    /// Address space of each of them.
    pub(crate) memory_bytes: u64,
    /// Time of a call, unless its tool has a limit of its own.
    pub(crate) time: Duration,
    /// What a call may bring, files counted as they are and not as Base64.
    pub(crate) input_bytes: usize,
    /// Calls that wait for a worker.
    pub(crate) queue: usize,
    pub(crate) refs_bytes: u64,
    pub(crate) refs_age: Duration,
}

impl Limits {
    /// What surrounds a file in a request.
    const ENVELOPE_BYTES: usize = 1 << 20;

    /// The same in the characters of a request, where files are Base64.
    pub(crate) fn request_bytes(&self) -> usize {
        self.input_bytes.div_ceil(3) * 4 + Self::ENVELOPE_BYTES
    }

    /// What all calls that wait may hold together.
    pub(crate) fn waiting_bytes(&self) -> usize {
        4 * self.request_bytes()
    }

    /// What is read at all. Whoever brings more than is allowed, but not absurdly more, is told so in words: a connection
    /// that breaks, or a line that is never answered, says nothing.
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
