//! Calls of resident tools.

use std::pin::pin;
use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::callers::{call_of, caller_of};
use super::calls::{Teller, weight};
use super::server::KitServer;
use crate::resident::{Attachment, ResidentAnswer, ResidentCall, ResidentFunction};
use crate::tool::Tool;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::{Progress, Work};
use crate::worker::pool::{CallEnding, ProgressListener};

/// Reports of progress that wait for the client; later ones are left out.
const PROGRESS_MAX: usize = 64;

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
        let cancelled = context.ct.child_token();
        let call = ResidentCall {
            caller: caller_of(&context),
            call_id: call_of(&context),
            work: Work::new(self.refs.clone(), move |progress| drop(tell.try_send(progress))),
            cancelled: cancelled.clone(),
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
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(CallEnding::Cancelled),
            ended = passing_on(told, Teller::of(&context), ended) => ended.map_err(CallEnding::Trouble),
            () = tokio::time::sleep(limit) => {
                cancelled.cancel();
                Err(too_long(tool, limit).into())
            }
        }
    }
}

/// Waits for the end of a call, and passes on its progress until then.
async fn passing_on<T>(
    mut told: mpsc::Receiver<Progress>,
    teller: Option<Teller>,
    ended: impl Future<Output = T>,
) -> T {
    let mut ended = pin!(ended);
    loop {
        tokio::select! {
            biased;
            Some(progress) = told.recv() => teller.hear(progress).await,
            ended = &mut ended => return ended,
        }
    }
}

fn too_long(tool: &Tool, limit: Duration) -> Trouble {
    let message =
        format!("{} was stopped because it took longer than {} s", tool.name(), limit.as_secs_f64());
    Trouble::new(TroubleCode::TimedOut, message)
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
