//! One HTTP/1.1 connection that is driven by the task that waits on it.
//!
//! The usual design gives every connection a task. Then each request costs two switches between tasks, there
//! and back, which is more than everything else this crate does for a small call. Here the caller's own task
//! does the reading and writing; an unused connection does nothing, and is checked when it is used again.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::body::OutgoingBody;
use super::prompt::PromptStream;

pub(super) type OutgoingRequest = Request<OutgoingBody>;

pub(super) struct HttpConnection {
    sender: SendRequest<OutgoingBody>,
    /// Does the reading and writing while it is polled; finished when the connection has ended.
    moving: Option<Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>>,
    /// True if received data is acknowledged at once, if the socket supports it.
    prompt: Option<Arc<AtomicBool>>,
}

impl HttpConnection {
    pub(super) async fn open_plain(stream: TokioIo<TcpStream>) -> hyper::Result<Self> {
        let (stream, prompt) = PromptStream::new(stream);
        let mut line = Self::open(stream).await?;
        line.prompt = Some(prompt);
        Ok(line)
    }

    pub(super) async fn open<T>(stream: T) -> hyper::Result<Self>
    where
        T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let (sender, connection) = http1::Builder::new().handshake(stream).await?;
        let mut line = Self { sender, moving: Some(Box::pin(connection)), prompt: None };
        line.ready().await?;
        Ok(line)
    }

    /// Moves the data that can be moved now, and arranges that the task is woken when there is more.
    pub(super) fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(moving) = &mut self.moving
            && moving.as_mut().poll(cx).is_ready()
        {
            self.moving = None;
        }
    }

    /// Waits until a request can be sent; fails if the other side has hung up meanwhile.
    pub(super) async fn ready(&mut self) -> hyper::Result<()> {
        poll_fn(|cx| {
            self.drive(cx);
            self.sender.poll_ready(cx)
        })
        .await
    }

    pub(super) async fn send(
        &mut self,
        request: OutgoingRequest,
    ) -> Result<Response<Incoming>, TrySendError<OutgoingRequest>> {
        let mut answer = pin!(self.sender.try_send_request(request));
        poll_fn(|cx| {
            self.drive(cx);
            answer.as_mut().poll(cx)
        })
        .await
    }

    pub(super) fn set_prompt(&self, wanted: bool) {
        if let Some(prompt) = &self.prompt {
            prompt.store(wanted, Ordering::Relaxed);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.moving.is_none() || self.sender.is_closed()
    }
}
