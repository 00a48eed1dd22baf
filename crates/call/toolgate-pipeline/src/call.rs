//! One call from its proposal to its answer: a line per step.

use tokio_util::sync::CancellationToken;
use toolgate_core::event::Outcome;

use crate::answer::CallAnswer;
use crate::envelope::Envelope;
use crate::pipeline::Pipeline;
use crate::ports::{Confirmer, Executor};
use crate::request::CallRequest;
use crate::steps::{approve, attach, decide, execute, filter, record, validate};
use crate::ticket::Received;

impl Pipeline {
    /// Takes a call through every step. It must run to its end: an unwanted call is ended through `cancel`,
    /// and recorded.
    pub async fn call(
        &self,
        request: CallRequest,
        client: &dyn Confirmer,
        executor: &dyn Executor,
        cancel: &CancellationToken,
    ) -> CallAnswer {
        let ended = async {
            let received = Received::new(self, request);
            let filtered = filter::filter(self, received)?;
            let validated = validate::validate(self, filtered)?;
            let attached = attach::attach(self, validated, executor).await?;
            let permitted = decide::decide(self, attached)?;
            let approved = approve::approve(self, permitted, client, executor, cancel).await?;
            execute::execute(self, approved, executor, cancel).await
        };
        let answer = record::record(self, ended.await).await.answer();
        self.tell(&answer.envelope, client).await;
        answer
    }

    /// Notes that the caller hears the outcome of its approval. A caller that has left does not, and hears it
    /// when the same call comes again.
    async fn tell(&self, envelope: &Envelope, client: &dyn Confirmer) {
        let Some(id) = &envelope.approval_id else { return };
        if envelope.status == Outcome::PendingApproval || !client.is_there() {
            return;
        }
        // If the store is down, the caller hears it a second time rather than not at all.
        drop(self.approvals.told(id).await);
    }
}
