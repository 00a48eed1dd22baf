//! The runs from the view of calls. A caller may leave at any moment; a counted call is counted to its end.

use std::sync::Arc;

use tokio::sync::oneshot;
use toolgate_core::codes;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{self, ClientCall, KeptCall, RunCall, RunCallEnd, RunOwnership};
use toolgate_core::{Digest, PrincipalId, Refusal};
use toolgate_store::RunError;

use super::{Runs, batches};
use crate::desk::{LateEvent, RunDesk};
use crate::refusal::refusal;
use crate::view::CallClaim;

/// The end of a call that was let in and then not made.
const NOT_MADE: RunCallEnd = RunCallEnd { completed: false, bytes: 0 };

impl run::Runs for Runs {
    fn take_on(
        &self,
        run: &RunId,
        client_id: &str,
        request: Digest,
    ) -> BoxFuture<'static, Result<ClientCall, Refusal>> {
        let (desk, run, client_id) = (Arc::clone(&self.desk), run.clone(), client_id.to_owned());
        Box::pin(async move {
            Ok(match batches::claim(&desk, &run, &client_id, request).await? {
                CallClaim::Run | CallClaim::Again(_) => ClientCall::Make,
                CallClaim::Recorded(result) => ClientCall::Made(result),
                CallClaim::Running => ClientCall::Made(batches::recorded(&desk, &run, &client_id).await),
                CallClaim::Mismatch => return Err(batches::reused(&client_id)),
            })
        })
    }

    fn keep(&self, run: &RunId, client_id: &str, kept: KeptCall) -> BoxFuture<'static, ()> {
        let (run, client_id) = (run.clone(), client_id.to_owned());
        let late = match kept {
            KeptCall::Ended(result) => LateEvent::Recorded { run, client_id, result },
            KeptCall::PutOff(result) => LateEvent::PutOff { run, client_id, result },
        };
        let desk = Arc::clone(&self.desk);
        let kept = self.tasks.spawn(async move { desk.write_down(late).await });
        // It continues without its waiter.
        Box::pin(async move { kept.await.unwrap_or_default() })
    }

    fn admit(&self, run: &RunId, call: RunCall) -> BoxFuture<'static, Result<(), Refusal>> {
        let (reply, answer) = oneshot::channel();
        let (desk, run) = (Arc::clone(&self.desk), run.clone());
        self.tasks.spawn(async move {
            // If the receiver is gone, dropping the admission returns it.
            drop(reply.send(admit(desk, run, call).await));
        });
        Box::pin(async move {
            let stopped = || Refusal::new(&codes::SHUTTING_DOWN, "the gateway is shutting down");
            answer.await.map_err(|_| stopped())?.map(RunAdmission::keep)
        })
    }

    fn whose(&self, run: &RunId, caller: &PrincipalId) -> BoxFuture<'static, RunOwnership> {
        let (desk, run, caller) = (Arc::clone(&self.desk), run.clone(), caller.clone());
        Box::pin(async move {
            match desk.store.run(&run).await {
                Ok(None) => RunOwnership::Nobodys,
                Ok(Some(run)) if run.principal == caller || run.created_by == caller => RunOwnership::Callers,
                Ok(Some(_)) | Err(_) => RunOwnership::Somebodys,
            }
        })
    }

    fn finish(&self, run: &RunId, call: &CallId, end: RunCallEnd) -> BoxFuture<'static, ()> {
        let late = LateEvent::Finished { run: run.clone(), call: call.clone(), end };
        let desk = Arc::clone(&self.desk);
        let finished = self.tasks.spawn(async move { desk.write_down(late).await });
        // It continues without its waiter.
        Box::pin(async move { finished.await.unwrap_or_default() })
    }
}

async fn admit(desk: Arc<RunDesk>, run: RunId, call: RunCall) -> Result<RunAdmission, Refusal> {
    let admitted = desk.books.admit_run_call(&run, &call, desk.clock.now_ms()).await;
    let admission = RunAdmission { given: Some((Arc::clone(&desk), run, call.call)) };
    match admitted {
        Ok(()) => Ok(admission),
        // It is unknown whether it was written; dropping it reverts it in any case.
        Err(RunError::Store(error)) => Err(refusal(RunError::Store(error))),
        Err(refused) => {
            admission.keep();
            Err(refusal(refused))
        }
    }
}

/// An admitted call. Dropped before it is delivered, it has ended.
struct RunAdmission {
    given: Option<(Arc<RunDesk>, RunId, CallId)>,
}

impl RunAdmission {
    /// From now on it is for its caller to say how it ended.
    fn keep(mut self) {
        self.given = None;
    }
}

impl Drop for RunAdmission {
    fn drop(&mut self) {
        if let Some((desk, run, call)) = self.given.take() {
            desk.keep(LateEvent::Finished { run, call, end: NOT_MADE });
        }
    }
}
