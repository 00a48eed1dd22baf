//! A client on this machine, for the CLI: it connects to the running gateway of the data folder, through the
//! sockets there, or to its own that lives as long as the command. MCP is here, the REST API in `api`.

mod api;
mod key;
mod problem;
mod stream;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use toolgate_core::Principal;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_edge::serve_pipe;
use toolgate_store::{Store, StoreError};
use toolgate_wire::{ProtocolVersion, meta};

use crate::config::Config;
use crate::wiring::{self, AssembledGateway, ServerRecording};

pub(crate) use api::{CatalogueNeed, LocalApi, serve};
pub(crate) use key::SocketKey;
pub(crate) use problem::LocalProblem;
pub(crate) use stream::{DownloadBody, UploadBody};

/// A socket of the running gateway for processes of the same user. The socket decides the rights: an agent
/// must not be taken for the person who approves its calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Socket {
    /// The person at the command line.
    Person,
    /// The agent behind `toolgate stdio`.
    Agent,
    /// The person again, speaking to the REST API.
    Api,
}

impl Socket {
    pub(crate) const ALL: [Socket; 3] = [Socket::Person, Socket::Agent, Socket::Api];

    pub(crate) fn path(self, data: &Path) -> PathBuf {
        data.join(match self {
            Socket::Person => "gateway.sock",
            Socket::Agent => "agent.sock",
            Socket::Api => "api.sock",
        })
    }

    pub(crate) fn credential(self) -> Credential {
        Credential::of(match self {
            Socket::Person | Socket::Api => Principal::local(),
            Socket::Agent => Principal::stdio(),
        })
    }

    /// Connects to the running gateway of this data folder, and sends the key that is kept there.
    pub(crate) async fn connect(self, data: &Path) -> Option<UnixStream> {
        let mut stream = UnixStream::connect(self.path(data)).await.ok()?;
        stream.write_all(SocketKey::read(data)?.line()).await.ok()?;
        Some(stream)
    }
}

/// The store that the configuration names.
pub(crate) async fn open_store(config: &Config) -> Result<Store, StoreError> {
    match &config.store.url {
        Some(url) => Store::open_url_with(&config.data, url, config.store.postgres).await,
        None => Store::open(&config.data).await,
    }
}

type SocketReader = Box<dyn AsyncRead + Unpin + Send>;
type SocketWriter = Box<dyn AsyncWrite + Unpin + Send>;

pub(crate) struct LocalClient {
    reader: BufReader<SocketReader>,
    writer: SocketWriter,
    next_id: u64,
    /// Our own gateway, if none was running.
    house: Option<AssembledGateway>,
}

/// An error that the gateway or a server answered with.
#[derive(Debug)]
pub(crate) struct RefusedCall(pub(crate) Value);

impl std::fmt::Display for RefusedCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0["message"].as_str().unwrap_or("the gateway answered with an error"))?;
        match self.0["data"]["hint"].as_str() {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RefusedCall {}

impl LocalClient {
    pub(crate) async fn open(config: &Config) -> anyhow::Result<Self> {
        if let Some(stream) = Socket::Person.connect(&config.data).await {
            let (reader, writer) = stream.into_split();
            return Ok(Self::new(Box::new(reader), Box::new(writer), None));
        }
        let store = open_store(config).await?;
        let house = wiring::start(config, &store, config.listen, ServerRecording::No).await?;
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(theirs);
        house.tasks.spawn(serve_pipe(
            house.gateway.clone(),
            Socket::Person.credential(),
            SessionRoute::Default,
            reader,
            writer,
        ));
        let (reader, writer) = tokio::io::split(ours);
        Ok(Self::new(Box::new(reader), Box::new(writer), Some(house)))
    }

    fn new(reader: SocketReader, writer: SocketWriter, house: Option<AssembledGateway>) -> Self {
        Self { reader: BufReader::new(reader), writer, next_id: 1, house }
    }

    /// One request and its result. `on_progress` gets the server's progress.
    pub(crate) async fn request(
        &mut self,
        method: &str,
        mut params: Value,
        mut on_progress: impl FnMut(&Value),
    ) -> anyhow::Result<Value> {
        let id = self.next_id;
        self.next_id += 1;
        params["_meta"] = json!({
            (meta::PROTOCOL_VERSION): ProtocolVersion::LATEST_MODERN.as_str(),
            (meta::CLIENT_CAPABILITIES): {},
            (meta::CLIENT_INFO): { "name": "toolgate-cli", "version": env!("CARGO_PKG_VERSION") },
            (meta::PROGRESS_TOKEN): id,
        });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.writer.write_all(format!("{request}\n").as_bytes()).await.context("the gateway has gone")?;
        self.writer.flush().await.context("the gateway has gone")?;
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).await.context("could not read from the gateway")? == 0 {
                bail!("the gateway ended the connection");
            }
            let mut message: Value =
                serde_json::from_str(&line).context("the gateway sent something that is not JSON")?;
            if message["id"] != json!(id) {
                on_progress(&message);
            } else if let Some(error) = message.get_mut("error") {
                return Err(RefusedCall(error.take()).into());
            } else {
                return Ok(message["result"].take());
            }
        }
    }

    /// Every entry of a list, all pages.
    pub(crate) async fn list(&mut self, method: &str, key: &str) -> anyhow::Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let mut page = self.request(method, params, |_| ()).await?;
            if let Value::Array(entries) = page[key].take() {
                all.extend(entries);
            }
            cursor = page["nextCursor"].take();
            if cursor.is_null() {
                return Ok(all);
            }
        }
    }

    pub(crate) async fn close(self) {
        if let Some(house) = self.house {
            house.stop().await;
        }
    }
}
