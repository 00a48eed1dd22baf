//! Waiters for answers. Answers through this process wake them at once; `poller` finds those of another
//! process, for as long as there are waiters.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use toolgate_core::id::InputId;
use toolgate_core::run::InputRequest;

type AnswerSenders = BTreeMap<InputId, watch::Sender<Option<InputRequest>>>;

#[derive(Default)]
pub(crate) struct QuestionWaiters {
    answers: Mutex<AnswerSenders>,
    begun: Notify,
}

impl QuestionWaiters {
    /// Becomes the question once it is no longer pending.
    pub(crate) fn wait_for(&self, id: &InputId) -> watch::Receiver<Option<InputRequest>> {
        let answer =
            self.answers.lock().entry(id.clone()).or_insert_with(|| watch::Sender::new(None)).subscribe();
        self.begun.notify_one();
        answer
    }

    /// A question is no longer pending.
    pub(crate) fn tell(&self, input: &InputRequest) {
        if let Some(sender) = self.answers.lock().get(&input.id) {
            sender.send_replace(Some(input.clone()));
        }
    }

    /// The questions that still have waiters.
    pub(crate) fn wanted(&self) -> Vec<InputId> {
        let mut answers = self.answers.lock();
        answers.retain(|_, sender| sender.receiver_count() > 0);
        answers.keys().cloned().collect()
    }

    /// Resolves when a new waiter has come since the last time.
    pub(crate) async fn begun(&self) {
        self.begun.notified().await;
    }
}
