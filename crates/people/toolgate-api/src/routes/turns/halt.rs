//! The end of the work in a run that has ended, whoever ended it: a request, a tool, an automation or the run above it.

use std::sync::{Arc, Weak};

use toolgate_core::id::RunId;
use toolgate_core::port::BoxFuture;
use toolgate_runs::RunHalt;

use crate::ApiContext;
use crate::context::ApiInner;
use crate::routes::driven_seats;

/// Behind a weak reference: the API has the runs, and the runs have this.
pub(super) struct WorkHalt(Weak<ApiInner>);

impl WorkHalt {
    pub(super) fn new(context: &ApiContext) -> Self {
        Self(Arc::downgrade(&context.0))
    }
}

impl RunHalt for WorkHalt {
    fn halt<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(inner) = self.0.upgrade() else { return };
            let context = ApiContext(inner);
            context.driven.interrupt(run).await;
            context.caller.cancel_run(run);
            leave(&context, run).await;
        })
    }
}

/// A driven run that waited is in nobody's hands: its session is closed here. Clients close theirs.
async fn leave(context: &ApiContext, run: &RunId) {
    let is_driven = context.store.agent_loop(run).await.is_ok_and(|driven| driven.is_some());
    if let (true, Ok(run)) = (is_driven, context.runs.get(run).await) {
        driven_seats::leave(context, &run).await;
    }
}
