//! The messages of a call to its client: a few on the way, perhaps, and one answer. Most calls send the answer alone, so a
//! channel with room for many would be most of what a small call allocates.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;
use toolgate_core::port::AskKind;
use toolgate_core::{RawJson, RpcError};

use crate::messages::reply::EnvelopedReply;

/// Messages that wait for a slow reader; beyond that they are dropped.
const WAITING_MAX: usize = 64;

/// A message from a running call to its client.
pub(crate) enum OutboundMessage {
    /// A whole notification.
    Notify(Bytes),
    Ask {
        /// The same when the request is repeated.
        id: Box<str>,
        kind: AskKind,
        params: RawJson,
        answer: oneshot::Sender<Result<RawJson, RpcError>>,
    },
}

#[derive(Default)]
pub(crate) struct Mailbox(Mutex<MailboxState>);

#[derive(Default)]
struct MailboxState {
    waiting: VecDeque<OutboundMessage>,
    answer: Option<Result<EnvelopedReply, RpcError>>,
    finished: bool,
    /// The reader has gone.
    abandoned: bool,
    reader: Option<Waker>,
}

pub(crate) enum Mail {
    Outbound(OutboundMessage),
    Done(Result<EnvelopedReply, RpcError>),
    /// The call ended without an answer.
    Cancelled,
}

impl Mailbox {
    /// Leaves a message; `false` if the reader has gone or too many wait.
    pub(crate) fn leave(&self, message: OutboundMessage) -> bool {
        let mut state = self.0.lock();
        if state.abandoned || state.waiting.len() >= WAITING_MAX {
            return false;
        }
        state.waiting.push_back(message);
        wake(state);
        true
    }

    /// Ends the call, with its answer or without. Says whether a reader is there.
    pub(crate) fn finish(&self, answer: Option<Result<EnvelopedReply, RpcError>>) -> bool {
        let mut state = self.0.lock();
        state.answer = answer;
        state.finished = true;
        let read = !state.abandoned;
        wake(state);
        read
    }

    /// The reader has gone. Questions that wait are answered by being dropped. Says whether an answer lies unread.
    pub(crate) fn abandon(&self) -> bool {
        let mut state = self.0.lock();
        state.abandoned = true;
        let waiting = std::mem::take(&mut state.waiting);
        let unread = state.answer.take().is_some();
        drop(state);
        drop(waiting);
        unread
    }

    /// True if the reader has gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.lock().abandoned
    }

    /// The next message, or the end.
    pub(crate) async fn next(&self) -> Mail {
        poll_fn(|context| {
            let mut state = self.0.lock();
            if let Some(message) = state.waiting.pop_front() {
                return Poll::Ready(Mail::Outbound(message));
            }
            if state.finished {
                return Poll::Ready(state.answer.take().map_or(Mail::Cancelled, Mail::Done));
            }
            state.reader = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

/// Wakes the reader once the lock is free.
fn wake(mut state: MutexGuard<'_, MailboxState>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}
