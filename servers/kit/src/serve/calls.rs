//! One call of a tool, from the request to the result.

use std::time::Instant;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, MetaObject, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Map, Value, json};

use super::resident;
use super::server::KitServer;
use crate::tool::Tool;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::Progress;
use crate::worker::pool::{CallEnding, CallTerms, ProgressListener};
use crate::worker::{ProgressMode, WorkerJob};

/// The member of a result with the kind of trouble.
const TROUBLE_META: &str = "dev.toolgate/trouble";

impl KitServer {
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let tool = self.capability.find(&request.name).ok_or_else(|| self.unknown(&request.name))?;
        let _under_way = self.calls.token();
        let started = Instant::now();
        let arguments = request.arguments.unwrap_or_default();
        let (word, result) = match tool.at_home() {
            Some(function) => {
                let ended = self.stay(tool, function, arguments, context).await;
                (outcome(&ended), result(ended.map(resident::result)))
            }
            None => {
                let ended = self.work(tool, arguments, context).await;
                (outcome(&ended), result(ended.map(CallToolResult::structured)))
            }
        };
        self.metrics.called(tool.name(), word, started.elapsed());
        Ok(result)
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let names = self.capability.tool_names().join(", ");
        ErrorData::invalid_params(format!("Unknown tool: {name}\nhint: the tools are {names}"), None)
    }

    async fn work(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<Value, CallEnding> {
        let bytes = arguments.values().map(weight).sum();
        self.check(tool, bytes)?;
        let teller = Teller::of(&context);
        let job = WorkerJob {
            tool: tool.name().into(),
            arguments: arguments.into(),
            telling: if teller.is_some() { ProgressMode::Progress } else { ProgressMode::Nothing },
        };
        let limit = tool.limit().unwrap_or(self.limits.time);
        let terms = CallTerms { limit, bytes, cancelled: context.ct };
        self.pool.call(job, &terms, &teller).await
    }

    /// Refusals before any work.
    pub(super) fn check(&self, tool: &Tool, bytes: usize) -> Result<(), Trouble> {
        if self.stopping.is_cancelled() {
            return Err(
                Trouble::new(TroubleCode::Busy, "the server is stopping").hint("try again in a few seconds")
            );
        }
        if let Some(why) = tool.missing() {
            return Err(why.clone());
        }
        if bytes > self.limits.request_bytes() {
            let message = format!("the arguments exceed the limit of {} MiB", self.limits.input_mib());
            return Err(Trouble::new(TroubleCode::TooLarge, message).hint(
                "split the file, or send a smaller part; the server's option --input-mib sets the limit",
            ));
        }
        Ok(())
    }
}

/// Roughly the bytes of a value in JSON.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + items.len(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + weight(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => size_of::<u64>(),
    }
}

fn outcome<T>(ended: &Result<T, CallEnding>) -> &'static str {
    match ended {
        Ok(_) => "ok",
        Err(CallEnding::Cancelled) => "cancelled",
        Err(CallEnding::Trouble(trouble)) => trouble.code.as_str(),
    }
}

fn result(ended: Result<CallToolResult, CallEnding>) -> CallToolResult {
    match ended {
        Ok(result) => result,
        Err(CallEnding::Cancelled) => failure("the call was cancelled".to_owned(), "cancelled"),
        Err(CallEnding::Trouble(trouble)) => failure(trouble.to_string(), trouble.code.as_str()),
    }
}

fn failure(text: String, code: &'static str) -> CallToolResult {
    let mut meta = MetaObject::new();
    meta.insert(TROUBLE_META.to_owned(), json!({ "code": code }));
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.meta = Some(meta);
    result
}

/// The client, if it wants progress.
pub(super) struct Teller {
    peer: Peer<RoleServer>,
    token: ProgressToken,
}

impl Teller {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self { peer: context.peer.clone(), token })
    }
}

impl ProgressListener for Option<Teller> {
    async fn hear(&self, progress: Progress) {
        let Some(Teller { peer, token }) = self else { return };
        let mut told =
            ProgressNotificationParam::new(token.clone(), progress.done).with_message(progress.message);
        if progress.total > 0.0 {
            told = told.with_total(progress.total);
        }
        // A client that hung up is noticed by the call itself.
        drop(peer.notify_progress(told).await);
    }
}
