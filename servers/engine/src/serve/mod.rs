//! Lines in, lines out: each request is a task that ends in exactly one answer.

mod dispatch;
mod input;
mod output;
mod requests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine_protocol::{EngineFault, EngineLine, EngineRequest, RequestLine};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ticket::RequestTicket;
use crate::workshop::Workshop;
use input::InputLine;
use requests::OpenRequests;

/// The time for requests under way when stdin ends.
const DRAIN: Duration = Duration::from_secs(5);
/// The time for the last answers to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Serves until stdin ends, nobody reads stdout any more, or a signal comes.
pub(crate) async fn serve(workshop: Arc<Workshop>) -> io::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let unread = CancellationToken::new();
    let (outbox, written) = output::start(io::stdout(), unread.clone())?;
    let mut lines = input::start(io::stdin())?;
    let desk = RequestDesk { workshop, outbox, open: Arc::default(), tasks: TaskTracker::new() };
    let input_ended = loop {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => desk.take(line).await,
                None => break true,
            },
            () = unread.cancelled() => break false,
            () = first(&mut terminate, &mut interrupt) => break false,
        }
    };
    if input_ended {
        tokio::select! {
            () = desk.drain() => {}
            () = unread.cancelled() => {}
            () = first(&mut terminate, &mut interrupt) => {}
        }
    }
    desk.end().await;
    if tokio::time::timeout(LAST_WORDS, written).await.is_err() {
        tracing::debug!("the last answers were not written in time");
    }
    Ok(())
}

async fn first(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
}

/// The requests under way and the way back.
struct RequestDesk {
    workshop: Arc<Workshop>,
    outbox: mpsc::Sender<EngineLine>,
    open: Arc<OpenRequests>,
    tasks: TaskTracker,
}

impl RequestDesk {
    async fn take(&self, line: InputLine) {
        match input::read(line) {
            Ok(RequestLine { request: EngineRequest::Cancel(id), .. }) => self.open.cancel(id),
            Ok(line) => match self.open.begin(line.id) {
                Ok(cancelled) => self.start(line, cancelled),
                Err(fault) => self.refuse(line.id, fault).await,
            },
            Err((id, fault)) => self.refuse(id, fault).await,
        }
    }

    fn start(&self, line: RequestLine, cancelled: CancellationToken) {
        let RequestLine { id, request } = line;
        let (workshop, outbox, open) =
            (Arc::clone(&self.workshop), self.outbox.clone(), Arc::clone(&self.open));
        let ticket = RequestTicket::new(id, cancelled, outbox.clone());
        self.tasks.spawn(async move {
            let answer = match dispatch::answer(workshop, request, ticket).await {
                Ok(result) => EngineLine::Result { id, result },
                Err(error) => EngineLine::Error { id, error },
            };
            // The number is free before its answer can be read.
            open.end(id);
            // Nobody reads any more: the loop ends by itself.
            drop(outbox.send(answer).await);
        });
    }

    async fn refuse(&self, id: u64, error: EngineFault) {
        tracing::debug!(id, "a request was refused: {error}");
        drop(self.outbox.send(EngineLine::Error { id, error }).await);
    }

    /// Waits for the requests under way.
    async fn drain(&self) {
        self.tasks.close();
        if tokio::time::timeout(DRAIN, self.tasks.wait()).await.is_err() {
            tracing::info!(requests = self.tasks.len(), "requests did not end in time and are cancelled");
        }
    }

    /// Cancels everything, and ends the worker processes.
    async fn end(self) {
        self.open.cancel_all();
        self.tasks.close();
        if tokio::time::timeout(LAST_WORDS, self.tasks.wait()).await.is_err() {
            tracing::debug!(requests = self.tasks.len(), "cancelled requests did not end in time");
        }
        self.workshop.documents.close().await;
    }
}
