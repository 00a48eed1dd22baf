//! Calls of resident tools, and the words of a gateway about its callers.

use rmcp::model::{
    CallToolResult, ContentBlock, CustomNotification, ExperimentalCapabilities, ResourceContents,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::calls::{Teller, weight};
use super::server::KitServer;
use crate::resident::{Attachment, Caller, ResidentAnswer, ResidentCall, ResidentFunction};
use crate::tool::Tool;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::{Progress, Work};
use crate::worker::pool::{CallEnding, ProgressListener};

/// The capability of a server that wants to know its callers, and the member of a call's `_meta` that names one.
const CALLER: &str = "dev.toolgate/caller";
/// The notification about a session or a run that has ended.
const CALLER_ENDED: &str = "notifications/dev.toolgate/caller_ended";
/// Reports of progress that wait for the client; later ones are left out.
const PROGRESS_MAX: usize = 64;

pub(super) fn wishes() -> ExperimentalCapabilities {
    [(CALLER.to_owned(), Map::new())].into()
}

impl KitServer {
    /// One call of a resident tool: within its time, ended by the client's cancellation, and a panic in it is an answer.
    pub(super) async fn stay(
        &self,
        tool: &Tool,
        function: &ResidentFunction,
        arguments: Map<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<ResidentAnswer, CallEnding> {
        self.check(tool, arguments.values().map(weight).sum())?;
        let (tell, told) = mpsc::channel(PROGRESS_MAX);
        let call = ResidentCall {
            caller: caller_of(&context),
            work: Work::new(self.refs.clone(), move |progress| drop(tell.try_send(progress))),
            cancelled: context.ct.clone(),
        };
        // A task of its own, so that a panic ends nothing else; dropped with this call.
        let mut task = JoinSet::new();
        task.spawn(function(arguments.into(), call));
        let limit = tool.limit().unwrap_or(self.limits.time);
        let ended = async {
            match task.join_next().await {
                Some(Ok(ended)) => ended,
                _ => Err(tool.panicked()),
            }
        };
        let telling = pass_on(told, Teller::of(&context));
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(CallEnding::Cancelled),
            ended = async { tokio::join!(ended, telling).0 } => ended.map_err(CallEnding::Trouble),
            () = tokio::time::sleep(limit) => Err(too_long(limit.as_secs_f64()).into()),
        }
    }

    pub(super) async fn hear(&self, notification: CustomNotification) {
        let (Some(residence), CALLER_ENDED) = (&self.capability.residence, notification.method.as_str())
        else {
            return;
        };
        match serde_json::from_value::<Caller>(notification.params.unwrap_or_default()) {
            Ok(caller) => residence.ended(caller).await,
            Err(error) => tracing::warn!(%error, "a notification about an ended caller could not be read"),
        }
    }
}

/// Ends with the call, which owns the other end.
async fn pass_on(mut told: mpsc::Receiver<Progress>, teller: Option<Teller>) {
    while let Some(progress) = told.recv().await {
        teller.hear(progress).await;
    }
}

fn caller_of(context: &RequestContext<RoleServer>) -> Caller {
    let named = context.meta.get(CALLER).cloned().unwrap_or_default();
    serde_json::from_value(named).unwrap_or_default()
}

fn too_long(seconds: f64) -> Trouble {
    Trouble::new(TroubleCode::TimedOut, format!("it was stopped after {seconds} seconds"))
        .hint("ask for less at a time, or raise the server's option --timeout-seconds")
}

pub(super) fn result(answer: ResidentAnswer) -> CallToolResult {
    let ResidentAnswer { text, data, attachments } = answer;
    let mut result = match data {
        Some(data) => CallToolResult::structured(data),
        None => CallToolResult::success(Vec::new()),
    };
    if !text.is_empty() {
        result.content.insert(0, ContentBlock::text(text));
    }
    result.content.extend(attachments.into_iter().map(block));
    result
}

fn block(attachment: Attachment) -> ContentBlock {
    let Attachment { bytes, media_type, name } = attachment;
    let encoded = base64_simd::STANDARD.encode_to_string(&bytes);
    if media_type.starts_with("image/") {
        return ContentBlock::image(encoded, media_type);
    }
    let uri = format!(
        "attachment:///{}",
        percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC)
    );
    ContentBlock::resource(ResourceContents::blob(encoded, uri).with_mime_type(media_type))
}
