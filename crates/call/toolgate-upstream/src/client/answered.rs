//! A response that is being read.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use http::{HeaderMap, Response, StatusCode};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use toolgate_core::port::SourceError;

use super::line::HttpConnection;
use super::{ServerClient, describe};
use crate::message::{MessageInserts, SentState};

#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the body is larger than the limit")]
    TooLarge,
    /// The answer began before the request was complete, and then the content could not be read.
    #[error(transparent)]
    Unread(#[from] SourceError),
    #[error("{0}")]
    Lost(String),
}

/// A response whose head has arrived.
pub(crate) struct ServerResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    /// The connection of the body, until it has arrived.
    line: Option<HttpConnection>,
    client: Arc<ServerClient>,
    /// The inserts of the request, which may still be in progress.
    inserts: Option<Arc<MessageInserts>>,
}

impl ServerResponse {
    pub(super) fn new(
        response: Response<Incoming>,
        line: HttpConnection,
        client: &Arc<ServerClient>,
        inserts: Option<Arc<MessageInserts>>,
    ) -> Self {
        let (head, body) = response.into_parts();
        let answered = Self {
            status: head.status,
            headers: head.headers,
            body,
            line: Some(line),
            client: client.clone(),
            inserts,
        };
        if answered.is_event_stream() {
            answered.line.iter().for_each(|line| line.set_prompt(true));
        }
        answered
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn is_event_stream(&self) -> bool {
        self.header("content-type").is_some_and(|kind| {
            kind.trim_start().get(..17).is_some_and(|start| start.eq_ignore_ascii_case("text/event-stream"))
        })
    }

    /// The next piece of the body; `None` at its end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        while let Some(frame) = poll_fn(|cx| self.poll_frame(cx)).await {
            let frame = frame.map_err(|error| self.broken_off(&error))?;
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        self.release();
        Ok(None)
    }

    fn broken_off(&self, error: &hyper::Error) -> BodyError {
        match self.sent() {
            SentState::Broken(error) => BodyError::Unread(error),
            SentState::Whole | SentState::Partly => BodyError::Lost(describe(error)),
        }
    }

    fn sent(&self) -> SentState {
        self.inserts.as_ref().map_or(SentState::Whole, |inserts| inserts.sent())
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        if let Some(line) = &mut self.line {
            line.drive(cx);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    /// The whole body, if it is not larger than `bytes_max`. One that arrives in one piece is not copied.
    pub(crate) async fn whole(mut self, bytes_max: usize) -> Result<Bytes, BodyError> {
        let announced = self.body.size_hint().exact();
        if announced.is_some_and(|length| length > bytes_max as u64) {
            return Err(BodyError::TooLarge);
        }
        let Some(first) = self.next().await? else {
            return Ok(Bytes::new());
        };
        if self.body.is_end_stream() {
            self.release();
            return Ok(first);
        }
        let announced = announced.and_then(|length| usize::try_from(length).ok());
        let mut length = first.len();
        if length > bytes_max {
            return Err(BodyError::TooLarge);
        }
        let mut whole = BytesMut::with_capacity(announced.unwrap_or(length).max(length));
        whole.extend_from_slice(&first);
        while let Some(piece) = self.next().await? {
            length += piece.len();
            if length > bytes_max {
                return Err(BodyError::TooLarge);
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }

    /// The rest of the body is of no interest, but if it ends soon the connection can serve again.
    pub(crate) fn finish(mut self) {
        const REST_CHUNKS_MAX: usize = 16;
        const PATIENCE: Duration = Duration::from_secs(1);
        if self.line.is_none() || self.sent() != SentState::Whole {
            return;
        }
        let tasks = self.client.tasks.clone();
        let rest = async move {
            for _ in 0..REST_CHUNKS_MAX {
                if !matches!(self.next().await, Ok(Some(_))) {
                    return;
                }
            }
        };
        let mut rest = Box::pin(rest);
        if rest.as_mut().now_or_never().is_none() {
            tasks.spawn(tokio::time::timeout(PATIENCE, rest));
        }
    }

    /// A connection whose server answered before it had the whole request would have to take the rest of it
    /// first.
    fn release(&mut self) {
        if let Some(line) = self.line.take().filter(|_| self.sent() == SentState::Whole) {
            line.set_prompt(false);
            self.client.give_back(line);
        }
    }
}
