//! The older HTTP+SSE pair of 2024-11-05: one GET stream delivers everything, and messages are POSTed to the
//! address that its first event names.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use toolgate_core::port::ServerError;
use toolgate_core::{FaultKind, PrincipalId};
use toolgate_outbound::excerpt;

use super::first_answer::refused_at_the_door;
use super::{Endpoint, send_fault, unauthorized};
use crate::client::{BodyError, ServerResponse, shown};
use crate::context::ServerContext;
use crate::events::ServerEvents;
use crate::pipe::{Pipe, PipeMessage};
use crate::probe::{OpenError, ServerIntroduction, initialize};

/// Messages on their way at once.
const POSTS_MAX: usize = 64;
const POST_PATIENCE: Duration = Duration::from_secs(10);

/// The open pair. Dropping it closes the stream.
pub(crate) struct SsePair {
    pub(crate) pipe: Arc<Pipe>,
    endpoint: Endpoint,
    stop: CancellationToken,
}

impl SsePair {
    /// `owner` is the only principal it is for, if it is not shared.
    pub(crate) async fn open(
        ctx: &Arc<ServerContext>,
        endpoint: &Endpoint,
        owner: Option<PrincipalId>,
    ) -> Result<(Self, ServerIntroduction), OpenError> {
        let answered = endpoint.get(owner.as_ref(), endpoint.headers()).await?;
        refused_at_the_door(ctx, &answered)?;
        if !answered.status.is_success() || !answered.is_event_stream() {
            return Err(OpenError::NoStream { status: answered.status.as_u16() });
        }
        let mut events = ServerEvents::new(answered, ctx.limits().result_bytes_max);
        let messages = endpoint.at(message_address(endpoint, &mut events).await?)?;
        let (pipe, outgoing) = Pipe::new(ctx.clone(), owner);
        let stop = ctx.stop.child_token();
        ctx.tasks.spawn(read(ctx.clone(), pipe.clone(), events, stop.clone()));
        ctx.tasks.spawn(write(ctx.clone(), pipe.clone(), messages, outgoing, stop.clone()));
        let pair = Self { pipe, endpoint: endpoint.clone(), stop };
        let opening = initialize(ctx, &pair.pipe).await?;
        Ok((pair, opening))
    }

    pub(crate) fn end(&self) {
        self.stop.cancel();
        self.endpoint.client.close_idle();
    }

    pub(crate) fn sweep(&self) {
        self.endpoint.client.sweep();
    }
}

impl Drop for SsePair {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Reads the first event. Another origin could be handed our credentials, so it is refused.
async fn message_address(endpoint: &Endpoint, events: &mut ServerEvents) -> Result<url::Url, OpenError> {
    let not_mcp = |why: String| OpenError::NotMcp(why);
    loop {
        let event = match events.next().await {
            Ok(Some(event)) => event,
            Ok(None) => return Err(not_mcp("its event stream ended before it named an endpoint".into())),
            Err(error) => return Err(not_mcp(error.to_string())),
        };
        if event.name != "endpoint" {
            continue;
        }
        let address = endpoint
            .url
            .join(event.data.trim())
            .map_err(|error| not_mcp(format!("its endpoint: {error}")))?;
        if address.origin() != endpoint.url.origin() {
            let (there, here) = (shown(address.as_str()), shown(endpoint.url.as_str()));
            return Err(not_mcp(format!("its endpoint {there} is on another host than {here}")));
        }
        return Ok(address);
    }
}

async fn read(ctx: Arc<ServerContext>, pipe: Arc<Pipe>, mut events: ServerEvents, stop: CancellationToken) {
    let reason = loop {
        let next = tokio::select! {
            next = events.next() => next,
            () = stop.cancelled() => break "it was stopped".to_owned(),
        };
        match next {
            Ok(Some(event)) => pipe.take(&event.data.into()),
            Ok(None) => break "the event stream ended".to_owned(),
            Err(BodyError::TooLarge) => {
                // An event stream cannot be picked up in the middle of an event.
                pipe.pending.fail_all(&ctx.too_large());
                break "it sent an event larger than the limit".to_owned();
            }
            Err(error) => break format!("the event stream broke: {error}"),
        }
    };
    pipe.close(&reason);
    stop.cancel();
}

async fn write(
    ctx: Arc<ServerContext>,
    pipe: Arc<Pipe>,
    messages: Endpoint,
    mut outgoing: mpsc::Receiver<PipeMessage>,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(POSTS_MAX));
    loop {
        let next = tokio::select! {
            next = outgoing.recv() => next,
            () = stop.cancelled() => None,
        };
        let Some(next) = next else { return };
        if next.id.is_none() {
            // Messages other than requests are awaited, so that `notifications/initialized` arrives before
            // the following ones.
            post(&ctx, &pipe, &messages, next).await;
            continue;
        }
        let place = places.clone().acquire_owned().await;
        let (tasks, ctx, pipe, messages) = (ctx.tasks.clone(), ctx.clone(), pipe.clone(), messages.clone());
        tasks.spawn(async move {
            post(&ctx, &pipe, &messages, next).await;
            drop(place);
        });
    }
}

async fn not_taken(ctx: &ServerContext, answered: ServerResponse) -> ServerError {
    if let Some(fault) = unauthorized(ctx, &answered) {
        return fault;
    }
    let status = answered.status.as_u16();
    let body = excerpt(&answered.whole(64 << 10).await.unwrap_or_default(), super::EXCERPT_CHARS);
    ctx.fault(FaultKind::Refused { status, body })
}

/// The stream and its messages belong to the opener: all who share it use the gateway's credentials.
async fn post(ctx: &ServerContext, pipe: &Pipe, messages: &Endpoint, outgoing: PipeMessage) {
    let PipeMessage { id, message, ended } = outgoing;
    let posting = messages.post(pipe.pending.owner(), messages.headers(), message);
    let posted = match ended {
        // It takes as long as reading its content does; the waiter of the answer sets the limit.
        Some(ended) => tokio::select! {
            posted = posting => Some(posted),
            () = ended.cancelled() => return,
        },
        None => tokio::time::timeout(POST_PATIENCE, posting).await.ok(),
    };
    let error = match posted {
        Some(Ok(answered)) if answered.status.is_success() => return answered.finish(),
        Some(Ok(answered)) => not_taken(ctx, answered).await,
        Some(Err(error)) => send_fault(ctx, error),
        None => ctx.lost("it did not take the message"),
    };
    match id {
        Some(id) => drop(pipe.pending.settle(id, Err(error))),
        None => tracing::debug!(server = %ctx.name(), %error, "a message was not taken"),
    }
}
