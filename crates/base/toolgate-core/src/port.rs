//! The ports between `toolgate-edge` and `toolgate-upstream`.
//!
//! A request crosses in a neutral form: no era, no ids, no transport. The edge removes the agent's era and
//! the upstream side adds the server's era, so all four combinations are two halves that know nothing of each
//! other.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;

use crate::id::{CallId, RunId, SessionId};
use crate::server::{ClientAuth, InstanceId, ServerListing, ServerState};
use crate::{Fault, PrincipalId, RawJson, RpcError, ServerName, Tool};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One MCP request on its way to one server. Its parameters are never printed: there may be values of credentials in them.
#[derive(Clone)]
pub struct ServerRequest {
    pub method: Cow<'static, str>,
    /// The members of `params` except `_meta`, `inputResponses` and `requestState`, as JSON text without the
    /// braces: `"name":"add","arguments":{"a":1}`. Names are the server's own. May be empty.
    pub params: String,
    /// The members of the caller's `_meta` that belong to neither era's machinery (no `progressToken`, nothing under
    /// `io.modelcontextprotocol/`), as JSON text without the braces. May be empty.
    pub meta: String,
    /// The value of `Mcp-Name`: the server's own tool or prompt name, resource URI, or task id.
    pub name: Option<String>,
    /// `Mcp-Param-…` headers: full header name and value, already encoded.
    pub param_headers: Vec<(String, String)>,
    /// Answers to an earlier `input_required`, for servers of the newer era.
    pub input: Option<InputAnswers>,
    /// The called tool, as it was judged: the request goes only to instances that offer this very version,
    /// within the tool's own limits.
    pub tool: Option<Arc<Tool>>,
    /// The run or client session that it belongs to. If the server keeps session state, requests that belong
    /// together stay at one instance.
    pub belongs_to: Option<AffinityKey>,
    /// The session and the run of a tool call. Only servers that keep a state for their callers are told.
    pub origin: Option<CallOrigin>,
    /// The call that the request belongs to. APIs that take a key against repetition are given it.
    pub call: Option<CallId>,
    /// Texts that are written into `params` while the request is sent, in order of position.
    pub inserts: Vec<TextInsert>,
}

impl fmt::Debug for ServerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ServerRequest");
        shown.field("method", &self.method).field("name", &self.name).field("meta", &self.meta);
        shown.field("params_bytes", &self.params.len()).field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// Text that is too large to hold in memory: it goes into `params` in front of the byte at `at`, piece by
/// piece.
#[derive(Clone, Debug)]
pub struct TextInsert {
    pub at: usize,
    pub source: Arc<dyn TextSource>,
}

pub type TextStream = Pin<Box<dyn Stream<Item = Result<Bytes, SourceError>> + Send>>;

/// Text that needs no escaping within a JSON string, such as Base64, and can be read as often as the request is sent.
pub trait TextSource: fmt::Debug + Send + Sync {
    /// The exact number of bytes that it yields.
    fn bytes(&self) -> u64;
    /// Reads it from the start. What ends with an error was not read to its end, and must not be sent as if it was.
    fn open(&self) -> TextStream;
}

/// The reason why a source broke off, in words for the caller.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

impl ServerRequest {
    pub fn new(method: impl Into<Cow<'static, str>>, params: String) -> Self {
        Self {
            method: method.into(),
            params,
            meta: String::new(),
            name: None,
            param_headers: Vec::new(),
            input: None,
            tool: None,
            belongs_to: None,
            origin: None,
            call: None,
            inserts: Vec::new(),
        }
    }
}

/// The session at this gateway that a call belongs to, and the run, if it is part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallOrigin {
    pub session: SessionId,
    pub run: Option<RunId>,
}

/// The common property of requests that should reach the same instance.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AffinityKey {
    Run(RunId),
    /// A session of the older era.
    Client(ClientKey),
}

/// The questions that the server of a call may ask in the middle of it, where nobody is there to answer at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum InputRounds {
    /// None.
    #[default]
    Closed,
    /// Those that people answer later. The call then goes on with their answers.
    Open,
    /// Further ones, and these are the answers to the last. The state is sealed.
    Answered(InputAnswers),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputAnswers {
    /// The object of `inputResponses`.
    pub responses: Option<RawJson>,
    /// The server's own `requestState`, as a JSON string.
    pub state: Option<RawJson>,
}

/// A server's answer: its `result`, byte for byte.
#[derive(Clone, Debug)]
pub enum ServerReply {
    Complete(RawJson),
    /// The result of the same call a short while ago. Nothing was sent.
    Cached(RawJson),
    /// `resultType: "input_required"`. Only servers of the newer era answer so.
    InputRequired(RawJson),
    /// `resultType: "task"`.
    Task(RawJson),
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum ServerError {
    /// The server answered, with an error.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// The server did not answer.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The side of the protocol that may answer a request from a server.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AskKind {
    Elicitation,
    Sampling,
    Roots,
}

impl AskKind {
    pub fn of_method(method: &str) -> Option<AskKind> {
        match method {
            "elicitation/create" => Some(AskKind::Elicitation),
            "sampling/createMessage" => Some(AskKind::Sampling),
            "roots/list" => Some(AskKind::Roots),
            _ => None,
        }
    }

    pub fn method(self) -> &'static str {
        match self {
            AskKind::Elicitation => "elicitation/create",
            AskKind::Sampling => "sampling/createMessage",
            AskKind::Roots => "roots/list",
        }
    }

    /// The capability a client declares to be asked.
    pub fn capability(self) -> &'static str {
        match self {
            AskKind::Elicitation => "elicitation",
            AskKind::Sampling => "sampling",
            AskKind::Roots => "roots",
        }
    }
}

/// Identifies one client (a session of the older era, or one call of the newer), so that a server's question
/// on a shared connection never reaches another client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClientKey(pub u64);

/// The client behind a request: the way back for everything except the answer.
pub trait Caller: Send + Sync {
    fn principal(&self) -> &PrincipalId;
    fn client(&self) -> ClientKey;
    /// The client's own `capabilities` object.
    fn capabilities(&self) -> &RawJson;
    /// The client's own `clientInfo` object.
    fn client_info(&self) -> Option<&RawJson>;
    fn can_answer(&self, kind: AskKind) -> bool;
    /// False if the client comes back for what people decide or answer, instead of waiting for it.
    fn waits_for_people(&self) -> bool {
        true
    }
    /// True if the client asked for progress.
    fn wants_progress(&self) -> bool;
    /// The level of log messages the client asked for.
    fn log_level(&self) -> Option<&str>;
    /// An instance has answered the request. The last one counts.
    fn answered_by(&self, _instance: &InstanceId) {}
    /// `params` of a `notifications/progress` for this request; the token is the server side's.
    fn progress(&self, params: RawJson);
    /// `params` of a `notifications/message`.
    fn log(&self, params: RawJson);
    /// Puts a server's request to the client and waits. Errors if the client cannot answer that kind.
    fn ask(&self, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>>;
    /// The same for a question with an id of its own, which a client sees and which stays when its request is repeated.
    fn ask_as(&self, _id: &str, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.ask(kind, params)
    }
}

/// Hears of the progress of a call whose client hears of nothing but the answer.
pub trait CallListener: fmt::Debug + Send + Sync {
    /// `params` of a `notifications/progress` for this call; the token is the server side's. Implementations return at once.
    fn progress(&self, call: &CallId, params: RawJson);
}

/// The servers, from the edge's view.
pub trait Servers: Send + Sync {
    /// Sends a request and waits for its answer. Dropping the future cancels the request at the server.
    fn request(
        &self,
        server: &ServerName,
        request: ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> BoxFuture<'static, Result<ServerReply, ServerError>>;

    /// Subscribes to changes of one resource; counted, with one subscription upstream for any number of
    /// clients. The wish counts at once; the future ends when the server has accepted or refused it, or has
    /// had enough time. `false` if it was refused; a server that is down has refused nothing. In any case,
    /// the wish is returned with `unwatch_resource`.
    fn watch_resource(&self, server: &ServerName, uri: &str) -> BoxFuture<'static, bool>;
    fn unwatch_resource(&self, server: &ServerName, uri: &str);

    /// Hears `notifications/tasks` for a server's own task ids until the returned guard is dropped.
    fn watch_tasks(
        &self,
        server: &ServerName,
        task_ids: Vec<String>,
        on_change: Box<dyn Fn(RawJson) + Send + Sync>,
    ) -> Box<dyn Send + Sync>;

    /// The most talkative level any older-era client has asked for.
    fn set_log_level(&self, level: &str);

    /// A client's roots changed: servers of the older era are notified to ask again.
    fn roots_changed(&self);
}

/// Notifications from servers to the gateway. Implementations return at once.
pub trait ServerWatcher: Send + Sync {
    fn listed(&self, server: &ServerName, listing: ServerListing);
    fn state_changed(&self, server: &ServerName, state: &ServerState);
    /// `params` of `notifications/resources/updated`.
    fn resource_updated(&self, server: &ServerName, uri: &str, params: RawJson);
    /// A log message that belongs to no request in progress. `owner` is the principal whose connection it
    /// came on, or `None` if the connection is shared.
    fn logged(&self, server: &ServerName, owner: Option<&PrincipalId>, params: RawJson);
    /// A server's request that belongs to no request in progress; `owner` as for [`ServerWatcher::logged`].
    fn asked(
        &self,
        server: &ServerName,
        owner: Option<&PrincipalId>,
        kind: AskKind,
        params: RawJson,
    ) -> BoxFuture<'static, Result<RawJson, RpcError>>;
    /// A line that a child process wrote to its standard error.
    fn stderr_line(&self, server: &ServerName, line: &str);
}

/// The party that would see a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecretViewer<'a> {
    /// A program of this machine. Only the operator's file has the gateway start any.
    Program,
    /// The server at this address.
    Address(&'a str),
}

/// The credentials that the gateway shows to servers.
pub trait Keyring: Send + Sync {
    /// A secret for this server: the principal's own if it exists, otherwise the shared one. `principal` is
    /// `None` if the gateway acts on its own account. A viewer that must not see the secret gets none.
    fn secret(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        viewer: SecretViewer<'_>,
    ) -> BoxFuture<'static, Result<String, NoKey>>;

    /// The server refused the secrets that it was shown. Returns `true` if one of them has changed since and
    /// the request is worth repeating once.
    fn secrets_refused(&self, server: &ServerName) -> BoxFuture<'static, bool>;

    /// True if there is a sign-in at this server, so that asking [`Keyring::access_token`] is worthwhile.
    fn signs_in(&self, server: &ServerName) -> bool;

    /// An unexpired OAuth access token: the principal's own if it exists, otherwise the shared one. `url` is
    /// the instance that will see it; only the instance of the sign-in may.
    fn access_token(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        url: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>>;

    /// The instance at `url` refused the token; `challenge` is its `WWW-Authenticate`. `Ok` if there is a new
    /// token and the request is worth repeating once.
    fn token_refused(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        url: &str,
        challenge: Option<&str>,
    ) -> BoxFuture<'static, Result<(), NoKey>>;

    /// A token that a client gets on its own account. Concurrent callers wait for one request.
    fn client_token(
        &self,
        _server: &ServerName,
        _grant: &ClientGrant,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        Box::pin(std::future::ready(Err(NoKey("no tokens are fetched here".to_owned()))))
    }

    /// The server refused this token of the client: the next one is another, unless new ones are refused as well.
    fn client_token_refused(&self, _server: &ServerName, _grant: &ClientGrant, _token: &str) {}

    /// True if the value of a credential, named by its id, may be sent to a server: the operator's file says where the server
    /// is, or an admin allowed it for every address of the server. Somebody else could have set the address otherwise.
    fn may_get(&self, _server: &ServerName, _credential: &str) -> bool {
        false
    }

    /// Counts up when any credential was stored, changed or removed.
    fn generation(&self) -> u64;
}

/// The client-credentials flow of OAuth: a token request, with the values of the secrets in it.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientGrant {
    pub token_url: String,
    pub client_id: String,
    pub client_secret: String,
    pub scopes: Vec<String>,
    pub client_auth: ClientAuth,
}

/// Without the secrets.
impl fmt::Debug for ClientGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientGrant").field("token_url", &self.token_url).finish_non_exhaustive()
    }
}

/// The reason why there is no credential, in words for the person who can fix it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoKey(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_request_are_not_printed() {
        let request = ServerRequest::new("tools/call", r#""arguments":{"secret":"hunter2"}"#.to_owned());
        let printed = format!("{request:?}");
        assert!(printed.contains("tools/call") && !printed.contains("hunter2"), "{printed}");
    }
}
