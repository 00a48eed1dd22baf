//! The surroundings of the gateway: a caller, a server, and a clock.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::content::{Attachment, ContentHolder, Suppliers};
use toolgate_core::credential::{CredentialHandles, CredentialHolder, CredentialUse, FilledArguments};
use toolgate_core::governance::{Clock, StoreDown};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::platform::{Platform, PlatformAnswer, PlatformCall, PlatformTool};
use toolgate_core::port::{AskKind, BoxFuture, Caller, ServerError, ServerReply, ServerRequest, Servers};
use toolgate_core::run::{ClientCall, KeptCall, RunCall, RunCallEnd, RunOwnership, Runs};
use toolgate_core::scope::{Credential, Seat, SessionRoute};
use toolgate_core::{Digest, PrincipalId, RawJson, Refusal, RpcError, ServerName, Tool};
use toolgate_edge::{CredentialError, Credentials, MetricSource, QuotaUsage, Seats};

pub(crate) const SERVER: &str = "fuzz";
/// `say` answers; the others do more, according to their names.
pub(crate) const TOOLS: [&str; 6] = ["say", "upload", "ask", "tell", "input", "task"];
pub(crate) const SECRET: &str = "agent";

/// Everything that a gateway asks for.
#[derive(Default)]
pub(crate) struct FuzzEnvironment {
    pub(crate) seat: OnceLock<Arc<Seat>>,
    /// The server's next answer.
    answer: Mutex<Option<RawJson>>,
    ids: Mutex<BTreeMap<String, u64>>,
}

impl FuzzEnvironment {
    pub(crate) fn will_answer(&self, answer: Option<RawJson>) {
        *self.answer.lock() = answer;
    }

    /// True if an id was assigned.
    pub(crate) fn has_given(&self, id: &str) -> bool {
        let ids = self.ids.lock();
        ids.iter().any(|(prefix, last)| {
            let number = id.strip_prefix(prefix.as_str()).and_then(|number| number.parse::<u64>().ok());
            number.is_some_and(|number| (1..=*last).contains(&number))
        })
    }

    fn seat(&self) -> Arc<Seat> {
        self.seat.get().expect("the house has a seat").clone()
    }
}

impl Clock for FuzzEnvironment {
    fn now_ms(&self) -> i64 {
        toolgate_store::clock::now_ms()
    }

    fn monotonic_us(&self) -> i64 {
        self.now_ms() * 1_000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    /// Counted, so that an input can name a created object.
    fn fresh_id(&self, prefix: &str) -> String {
        let mut ids = self.ids.lock();
        let last = ids.entry(prefix.to_owned()).or_default();
        *last += 1;
        format!("{prefix}{last}")
    }
}

impl Credentials for FuzzEnvironment {
    fn check_known(&self, secret: &str) -> Option<Result<Credential, CredentialError>> {
        Some(match secret {
            SECRET => Ok(Credential::of(self.seat().principal.clone())),
            _ => Err(CredentialError::Unknown),
        })
    }

    fn check(
        &self,
        _secret: String,
    ) -> BoxFuture<'_, Result<Result<Credential, CredentialError>, StoreDown>> {
        Box::pin(std::future::ready(Ok(Err(CredentialError::Unknown))))
    }
}

impl Seats for FuzzEnvironment {
    fn seat_known(
        &self,
        _credential: &Credential,
        _route: &SessionRoute,
    ) -> Option<Result<Arc<Seat>, Refusal>> {
        Some(Ok(self.seat()))
    }

    fn seat<'a>(
        &'a self,
        _credential: &'a Credential,
        _route: &'a SessionRoute,
    ) -> BoxFuture<'a, Result<Arc<Seat>, Refusal>> {
        Box::pin(std::future::ready(Ok(self.seat())))
    }

    fn seat_of(&self, _session: &SessionId) -> Option<Arc<Seat>> {
        Some(self.seat())
    }

    fn has_ended(&self, _session: &SessionId) -> bool {
        false
    }
}

impl Servers for FuzzEnvironment {
    fn request(
        &self,
        _server: &ServerName,
        request: ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> BoxFuture<'static, Result<ServerReply, ServerError>> {
        let answer = self.answer.lock().clone();
        Box::pin(answered(request, answer, caller))
    }

    fn watch_resource(&self, _server: &ServerName, _uri: &str) -> BoxFuture<'static, bool> {
        Box::pin(std::future::ready(true))
    }

    fn unwatch_resource(&self, _server: &ServerName, _uri: &str) {}

    fn watch_tasks(
        &self,
        _server: &ServerName,
        _task_ids: Vec<String>,
        _on_change: Box<dyn Fn(RawJson) + Send + Sync>,
    ) -> Box<dyn Send + Sync> {
        Box::new(())
    }

    fn set_log_level(&self, _level: &str) {}

    fn roots_changed(&self) {}
}

async fn answered(
    request: ServerRequest,
    answer: Option<RawJson>,
    caller: Arc<dyn Caller>,
) -> Result<ServerReply, ServerError> {
    let usual = || RawJson::from(json!({"content": [{"type": "text", "text": "done"}]}));
    let answer = answer.unwrap_or_else(usual);
    match request.name.as_deref() {
        Some("ask") => {
            let params = json!({"message": "why?", "requestedSchema": {"type": "object", "properties": {}}});
            let said = caller.ask(AskKind::Elicitation, params.into()).await?;
            Ok(ServerReply::Complete(said))
        }
        Some("tell") => {
            caller.progress(answer.clone());
            caller.log(answer.clone());
            Ok(ServerReply::Complete(answer))
        }
        // Asked for once: a server that only requests to be called again is called more and more slowly.
        Some("input") if request.input.is_none() => Ok(ServerReply::InputRequired(answer)),
        Some("task") => Ok(ServerReply::Task(answer)),
        _ if request.method == "ping" => Err(RpcError::invalid_params("no").into()),
        _ => Ok(ServerReply::Complete(answer)),
    }
}

impl CredentialHandles for FuzzEnvironment {
    fn look_up<'a>(
        &'a self,
        _holder: &'a CredentialHolder,
        _tool: &'a Tool,
        _arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Vec<CredentialUse>, Refusal>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn fill<'a>(
        &'a self,
        _holder: &'a CredentialHolder,
        _tool: &'a Tool,
        arguments: Value,
        _judged: &'a [CredentialUse],
    ) -> BoxFuture<'a, Result<FilledArguments, Refusal>> {
        Box::pin(async { Ok(FilledArguments { arguments, sent: Vec::new() }) })
    }
}

impl Suppliers for FuzzEnvironment {
    fn extract<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _tool: &'a str,
        _file: &'a Attachment,
    ) -> BoxFuture<'a, Result<String, Refusal>> {
        Box::pin(std::future::ready(Ok("the text of it".to_owned())))
    }

    fn extractor_version(&self, _tool: &str) -> Option<Digest> {
        Some(Digest::of("1"))
    }

    fn fetch<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _server: &'a ServerName,
        _own: &'a str,
        _uri: Option<&'a str>,
    ) -> BoxFuture<'a, Result<RawJson, Refusal>> {
        let kept = json!({"contents": [{"uri": "doc://page", "text": "kept"}]});
        Box::pin(std::future::ready(Ok(RawJson::from(kept))))
    }
}

impl Runs for FuzzEnvironment {
    fn take_on(
        &self,
        _run: &RunId,
        _client_id: &str,
        _request: Digest,
    ) -> BoxFuture<'static, Result<ClientCall, Refusal>> {
        Box::pin(std::future::ready(Ok(ClientCall::Make)))
    }

    fn keep(&self, _run: &RunId, _client_id: &str, _kept: KeptCall) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn admit(&self, _run: &RunId, _call: RunCall) -> BoxFuture<'static, Result<(), Refusal>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn whose(&self, _run: &RunId, _caller: &PrincipalId) -> BoxFuture<'static, RunOwnership> {
        Box::pin(std::future::ready(RunOwnership::Nobodys))
    }

    fn finish(&self, _run: &RunId, _call: &CallId, _end: RunCallEnd) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Platform for FuzzEnvironment {
    fn tools(&self) -> &[Arc<PlatformTool>] {
        &[]
    }

    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>> {
        let refused = Refusal::new(&codes::UNKNOWN_TOOL, &*call.tool.wire);
        Box::pin(std::future::ready(Err(refused)))
    }
}

impl MetricSource for FuzzEnvironment {
    fn write(&self, _text: &mut String) {}
}

impl QuotaUsage for FuzzEnvironment {
    fn pending_approvals(&self, _principal: &PrincipalId) -> BoxFuture<'static, Result<u64, StoreDown>> {
        Box::pin(std::future::ready(Ok(0)))
    }

    fn add_calls(
        &self,
        _day: i64,
        counts: Vec<(String, u64)>,
    ) -> BoxFuture<'static, Result<Vec<u64>, StoreDown>> {
        Box::pin(std::future::ready(Ok(counts.into_iter().map(|(_, count)| count).collect())))
    }
}
