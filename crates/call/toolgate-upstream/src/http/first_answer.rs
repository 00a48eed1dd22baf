//! The server's first answer to a request that opens a connection.

use std::sync::Arc;

use http::StatusCode;

use super::{body_fault, judge};
use crate::client::{ServerResponse, shown};
use crate::context::ServerContext;
use crate::events::ServerEvents;
use crate::pending::ServerAnswer;
use crate::probe::OpenError;
use crate::routing::RequestStream;

/// Answers that say nothing about eras: the server wants a credential, or has moved.
pub(crate) fn refused_at_the_door(ctx: &ServerContext, answered: &ServerResponse) -> Result<(), OpenError> {
    let status = answered.status.as_u16();
    let header = |name| answered.header(name).map(|text| text.chars().take(200).collect::<String>());
    match answered.status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let (server, challenge) = (ctx.name().clone(), header("www-authenticate"));
            Err(OpenError::Credential { server, status, challenge })
        }
        other if other.is_redirection() => Err(OpenError::Redirect {
            status,
            location: header("location").map_or_else(|| "nowhere".into(), |location| shown(&location)),
        }),
        _ => Ok(()),
    }
}

/// Reads the one answer that was asked for, as a body or as a stream.
pub(crate) async fn read(ctx: &Arc<ServerContext>, answered: ServerResponse, id: u64) -> ServerAnswer {
    let status = answered.status;
    let limit = ctx.limits().result_bytes_max;
    if !answered.is_event_stream() {
        let body = answered.whole(limit).await.map_err(|error| body_fault(ctx, error))?;
        return judge(ctx, status, &body, id);
    }
    let ended = tokio_util::sync::CancellationToken::new();
    let own =
        RequestStream { ctx, id, caller: None, deadline: None, ended: &ended, back: None, pending: None };
    let mut events = ServerEvents::new(answered, limit);
    while let Some(event) = events.next().await.map_err(|error| body_fault(ctx, error))? {
        if let Some(answer) = own.take(&event.data.into()) {
            events.finish();
            return answer;
        }
    }
    Err(ctx.lost("the stream ended before the answer came"))
}
