//! A server's introduction when a connection opens, in either era, and the reasons why opening can fail.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::port::{NoKey, ServerError, ServerRequest};
use toolgate_core::server::{Era, EraChoice};
use toolgate_core::{Fault, FaultKind, PrincipalId, RawJson, RpcError, ServerName};
use toolgate_wire::{ObjectMembers, ProtocolVersion, meta};

use crate::callers::{CONNECTOR, CallerNaming, WISH};
use crate::client::SendError;
use crate::context::ServerContext;
use crate::deadline::Deadline;
use crate::envelope;
use crate::pipe::{CancelNotice, Pipe, PipeExchange};
use crate::stdio::ServerProcess;

/// The time that a process may take to answer the question about its era. One that does not know the question
/// may stay silent.
pub(crate) const DISCOVER_PATIENCE: Duration = Duration::from_secs(5);

/// The reason why a server could not be reached, in words for the person who configured it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("could not start \"{command}\": {}; {}", plain(source), start_hint(source))]
    Spawn { command: String, source: std::io::Error },
    #[error("could not start \"{command}\": its folder {} does not exist", cwd.display())]
    Folder { command: String, cwd: PathBuf },
    #[error("could not start \"{command}\": {refused}")]
    Confine { command: String, refused: toolgate_sandbox::ConfineError },
    #[error("it is not configured as a process")]
    NotAProcess,
    #[error("{reason}")]
    Ended { reason: String },
    #[error("{0}")]
    Address(#[from] crate::client::BadAddress),
    #[error("{0}")]
    Connect(String),
    #[error(
        "it answered HTTP {status}: {}. Sign in with `toolgate servers login {server}`, or set the credential it \
         wants in its `headers`, for example Authorization = \"Bearer ${{TOKEN}}\"{}",
        if *status == 401 { "it does not know who is asking" } else { "what was sent does not allow access" },
        challenge.as_ref().map(|text| format!(" (it asks for: {text})")).unwrap_or_default()
    )]
    Credential { server: ServerName, status: u16, challenge: Option<String> },
    #[error("{0}")]
    NoKey(String),
    #[error(
        "it answered HTTP {status} with a redirect to {location}; redirects are not followed: set `url` to where it really is"
    )]
    Redirect { status: u16, location: String },
    #[error("it speaks protocol version \"{0}\", which this gateway does not know")]
    Version(String),
    #[error("it does not speak MCP here: {0}")]
    NotMcp(String),
    #[error("it does not speak MCP here: GET answered HTTP {status}")]
    NoStream { status: u16 },
    #[error("it refused to open: {0}")]
    Refused(RpcError),
    #[error("{0}")]
    Fault(String),
}

fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn start_hint(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "is it installed and on PATH?",
        std::io::ErrorKind::PermissionDenied => "is it executable?",
        _ => "check `command` and `args` of this server",
    }
}

impl OpenError {
    /// True if another credential would help.
    pub(crate) fn wants_credential(&self) -> bool {
        matches!(self, OpenError::Credential { .. } | OpenError::NoKey(_))
    }

    /// The fault for a request that needed the connection. Nothing was sent.
    pub(crate) fn fault(&self, ctx: &ServerContext) -> ServerError {
        let reason = self.to_string();
        if self.wants_credential() {
            return ctx.fault(FaultKind::Unauthorized { reason });
        }
        ctx.down(reason)
    }
}

impl From<SendError> for OpenError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::NoKey(NoKey(reason)) => OpenError::NoKey(reason),
            error => OpenError::Connect(error.to_string()),
        }
    }
}

impl From<NoKey> for OpenError {
    fn from(NoKey(reason): NoKey) -> Self {
        OpenError::NoKey(reason)
    }
}

impl From<ServerError> for OpenError {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Rpc(error) => OpenError::Refused(error),
            ServerError::Fault(Fault {
                kind: FaultKind::Lost { reason } | FaultKind::Down { reason },
                ..
            }) => OpenError::Ended { reason },
            ServerError::Fault(Fault { kind: FaultKind::TimedOut { after }, .. }) => {
                OpenError::Fault(format!("did not answer `initialize` within {} s", after.as_secs_f32()))
            }
            ServerError::Fault(Fault { kind: FaultKind::Garbled { what }, .. }) => OpenError::NotMcp(what),
            ServerError::Fault(Fault { kind: FaultKind::Unauthorized { reason }, .. }) => {
                OpenError::NoKey(reason)
            }
            ServerError::Fault(fault) => OpenError::Fault(fault.to_string()),
        }
    }
}

/// A server's introduction.
#[derive(Clone, Debug)]
pub(crate) struct ServerIntroduction {
    pub(crate) version: ProtocolVersion,
    pub(crate) capabilities: Option<RawJson>,
    pub(crate) server_info: Option<RawJson>,
    pub(crate) instructions: Option<String>,
}

impl ServerIntroduction {
    pub(crate) fn era(&self) -> Era {
        self.version.era()
    }

    /// Reads the result of `server/discover`. `None` if it is not one: an older server may answer anything.
    pub(crate) fn of_discover(result: &RawJson) -> Option<Self> {
        let members = ObjectMembers::of_str(result.as_str()).ok()?;
        let supported: Vec<String> = serde_json::from_str(members.get("supportedVersions")?.get()).ok()?;
        let version = newest_modern(&supported)?;
        let meta_members = members.get("_meta").and_then(|value| ObjectMembers::parse(value).ok());
        let server_info = meta_members.and_then(|meta_members| meta_members.get(meta::SERVER_INFO));
        Some(Self {
            version,
            capabilities: members.get("capabilities").map(RawJson::from),
            server_info: server_info.or_else(|| members.get("serverInfo")).map(RawJson::from),
            instructions: members.get_str("instructions").map(String::from),
        })
    }

    /// Reads the result of `initialize`.
    pub(crate) fn of_initialize(result: &RawJson) -> Result<Self, OpenError> {
        let not_mcp = || OpenError::NotMcp("its answer to `initialize` has no protocolVersion".into());
        let members = ObjectMembers::of_str(result.as_str()).map_err(|_| not_mcp())?;
        let named = members.get_str("protocolVersion").ok_or_else(not_mcp)?;
        let version = ProtocolVersion::parse(&named).filter(|version| version.era() == Era::Legacy);
        Ok(Self {
            version: version.ok_or_else(|| OpenError::Version(named.into_owned()))?,
            capabilities: members.get("capabilities").map(RawJson::from),
            server_info: members.get("serverInfo").map(RawJson::from),
            instructions: members.get_str("instructions").map(String::from),
        })
    }

    /// Tells whether the server keeps a state for its callers and wants to know them.
    pub(crate) fn caller_naming(&self) -> CallerNaming {
        match self.declares(&WISH) || self.declares(&CONNECTOR) {
            true => CallerNaming::Named,
            false => CallerNaming::Unnamed,
        }
    }

    /// True if `capabilities` has `path`, and its value is not `false`.
    pub(crate) fn declares(&self, path: &[&str]) -> bool {
        let Some(capabilities) = &self.capabilities else { return false };
        let mut text = capabilities.as_str();
        for key in path {
            let Some(value) = ObjectMembers::of_str(text).ok().and_then(|members| members.get(key)) else {
                return false;
            };
            text = value.get();
        }
        !matches!(text, "false" | "null")
    }
}

fn newest_modern(supported: &[String]) -> Option<ProtocolVersion> {
    supported
        .iter()
        .filter_map(|text| ProtocolVersion::parse(text))
        .filter(|version| version.era() == Era::Modern)
        .max()
}

/// The version that we share according to an error answer to `server/discover`, if it is that kind of error.
pub(crate) fn shared_modern_version(error: &RpcError) -> Option<ProtocolVersion> {
    if error.code != RpcError::UNSUPPORTED_VERSION {
        return None;
    }
    let data = error.data.as_ref()?;
    let supported = ObjectMembers::of_str(data.as_str()).ok()?.get("supported")?;
    newest_modern(&serde_json::from_str::<Vec<String>>(supported.get()).ok()?)
}

pub(crate) fn discover_request() -> ServerRequest {
    ServerRequest::new("server/discover", String::new())
}

/// Starts the process and determines its era; the era of the last time is tried first.
pub(crate) async fn open_process(
    ctx: &Arc<ServerContext>,
    remembered: Option<Era>,
) -> Result<(ServerProcess, ServerIntroduction), OpenError> {
    let mut process = ServerProcess::start(ctx, None).await?;
    match ctx.spec.era {
        EraChoice::Auto => {}
        EraChoice::Older => {
            let opening = initialize(ctx, &process.pipe).await?;
            return Ok((process, opening));
        }
        EraChoice::Newer => {
            let opening = discover(ctx, &process.pipe).await.ok_or_else(not_newer)?;
            return Ok((process, opening));
        }
    }
    if remembered != Some(Era::Legacy)
        && let Some(opening) = discover(ctx, &process.pipe).await
    {
        return Ok((process, opening));
    }
    // Some servers die of an unknown question; the next process is not asked it.
    process = alive(ctx, process).await?;
    let error = match initialize(ctx, &process.pipe).await {
        Ok(opening) => return Ok((process, opening)),
        Err(error) => error,
    };
    // A newer-era server that was slow to start, or that was an older one when it was last seen.
    if remembered == Some(Era::Legacy) || matches!(error, OpenError::Refused(_)) {
        process = alive(ctx, process).await?;
        if let Some(opening) = discover(ctx, &process.pipe).await {
            return Ok((process, opening));
        }
    }
    Err(match error {
        OpenError::Ended { .. } => error,
        error => OpenError::Fault(ctx.last_words.after(error.to_string())),
    })
}

/// The operator requires the newer era, and the server does not speak it.
pub(crate) fn not_newer() -> OpenError {
    OpenError::NotMcp("it does not answer `server/discover`, and `era` wants the newer era".into())
}

/// The same process if it still runs, otherwise a new one.
async fn alive(ctx: &Arc<ServerContext>, process: ServerProcess) -> Result<ServerProcess, OpenError> {
    if process.pipe.is_closed() { ServerProcess::start(ctx, None).await } else { Ok(process) }
}

/// Opens one more process of a server with a known era, for one principal alone.
pub(crate) async fn open_another(
    ctx: &Arc<ServerContext>,
    era: Era,
    owner: PrincipalId,
) -> Result<(ServerProcess, ServerIntroduction), OpenError> {
    let process = ServerProcess::start(ctx, Some(owner)).await?;
    let opening = match era {
        Era::Legacy => initialize(ctx, &process.pipe).await?,
        Era::Modern => discover(ctx, &process.pipe)
            .await
            .ok_or_else(|| OpenError::NotMcp("it no longer answers `server/discover`".into()))?,
    };
    Ok((process, opening))
}

async fn discover(ctx: &ServerContext, pipe: &Pipe) -> Option<ServerIntroduction> {
    let deadline = Deadline::after(ctx.spec.connect_timeout.min(DISCOVER_PATIENCE));
    let mut version = ProtocolVersion::LATEST_MODERN;
    for _ in 0..2 {
        let id = pipe.pending.next_id();
        let message = envelope::modern(id, version, &discover_request(), None, None);
        let exchange = PipeExchange {
            id,
            message,
            caller: None,
            deadline: &deadline,
            given_up: CancelNotice::SayNothing,
        };
        match pipe.exchange(exchange).await {
            Ok(result) => return ServerIntroduction::of_discover(&result),
            Err(ServerError::Rpc(error)) => version = shared_modern_version(&error)?,
            Err(ServerError::Fault(_)) => return None,
        }
    }
    None
}

/// The older era's opening on a shared connection.
pub(crate) async fn initialize(ctx: &ServerContext, pipe: &Pipe) -> Result<ServerIntroduction, OpenError> {
    let deadline = Deadline::after(ctx.spec.connect_timeout);
    let id = pipe.pending.next_id();
    let message = envelope::initialize(id);
    let exchange =
        PipeExchange { id, message, caller: None, deadline: &deadline, given_up: CancelNotice::SayNothing };
    let opening = ServerIntroduction::of_initialize(&pipe.exchange(exchange).await?)?;
    pipe.notify(envelope::initialized()).await;
    Ok(opening)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::from_composed(text.to_owned())
    }

    #[test]
    fn an_empty_result_is_not_a_discovery() {
        assert!(ServerIntroduction::of_discover(&raw("{}")).is_none());
        assert!(ServerIntroduction::of_discover(&raw(r#"{"supportedVersions":["2025-11-25"]}"#)).is_none());
        assert!(
            ServerIntroduction::of_discover(&raw(r#"{"supportedVersions":["2025-11-25","2026-07-28"]}"#))
                .is_some()
        );
    }

    #[test]
    fn only_versions_we_know_are_accepted() {
        let of = |version: &str| {
            ServerIntroduction::of_initialize(&raw(&format!(r#"{{"protocolVersion":"{version}"}}"#)))
        };
        assert_eq!(of("2024-11-05").expect("known").version, ProtocolVersion::V2024_11_05);
        assert!(matches!(of("2031-01-01"), Err(OpenError::Version(_))));
        assert!(matches!(of("2026-07-28"), Err(OpenError::Version(_))));
    }

    #[test]
    fn capabilities_are_found_at_any_depth() {
        let opening = ServerIntroduction::of_initialize(&raw(
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":false}}}"#,
        ))
        .expect("valid");
        assert!(opening.declares(&["tools"]) && opening.declares(&["tools", "listChanged"]));
        assert!(!opening.declares(&["resources", "subscribe"]) && !opening.declares(&["prompts"]));
    }

    #[test]
    fn callers_are_named_to_servers_of_either_era_that_ask_for_it() {
        let wish = r#""capabilities":{"experimental":{"dev.toolgate/caller":{}}}"#;
        let older = |rest: &str| raw(&format!(r#"{{"protocolVersion":"2025-06-18",{rest}}}"#));
        let newer = |rest: &str| raw(&format!(r#"{{"supportedVersions":["2026-07-28"],{rest}}}"#));
        for (rest, naming) in [
            (wish, CallerNaming::Named),
            (r#""capabilities":{"experimental":{"dev.toolgate/caller":false}}"#, CallerNaming::Unnamed),
            (r#""capabilities":{"experimental":{}}"#, CallerNaming::Unnamed),
            (r#""capabilities":{"tools":{}}"#, CallerNaming::Unnamed),
        ] {
            let older = ServerIntroduction::of_initialize(&older(rest)).expect("valid");
            let newer = ServerIntroduction::of_discover(&newer(rest)).expect("valid");
            assert_eq!((older.caller_naming(), newer.caller_naming()), (naming, naming), "{rest}");
        }
    }

    #[test]
    fn reasons_are_sentences_for_people() {
        let error = OpenError::Spawn { command: "npx".into(), source: std::io::ErrorKind::NotFound.into() };
        assert_eq!(
            error.to_string(),
            "could not start \"npx\": entity not found; is it installed and on PATH?"
        );
        let server = ServerName::new("remote").expect("a name");
        let error = OpenError::Credential { server, status: 401, challenge: None };
        assert!(error.to_string().contains("Authorization = \"Bearer ${TOKEN}\""), "{error}");
        assert!(error.to_string().contains("`toolgate servers login remote`"), "{error}");
    }
}
