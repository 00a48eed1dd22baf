//! The player of driven runs: their tools and their calls, in the session of each.

use toolgate_core::id::RunId;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{
    CallSafety, CallTarget, PlannedCall, PlayedCall, PlayedOutcome, Run, ToolOffer, TurnPlayer,
};
use toolgate_core::{Refusal, codes};
use toolgate_discovery::BuiltIn;

use super::refused::refusal;
use super::turn::{CallTurn, TurnCall};
use super::{offer, outcome};
use crate::ApiContext;
use crate::routes::driven_seats;

pub(super) struct SessionPlayer(pub(super) ApiContext);

impl TurnPlayer for SessionPlayer {
    fn offer<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<ToolOffer, Refusal>> {
        Box::pin(async move {
            let seat = driven_seats::seat(&self.0, run).await.map_err(refusal)?;
            offer::offer(&self.0, seat).await.map_err(refusal)
        })
    }

    fn play<'a>(
        &'a self,
        run: &'a Run,
        calls: Vec<PlannedCall>,
    ) -> BoxFuture<'a, Result<Vec<PlayedCall>, Refusal>> {
        Box::pin(async move {
            let context = &self.0;
            // A gateway that has just started knows the tools of its servers a little later: until then they are no unknown tools.
            context.caller.settled().await;
            // Without a seat, what was called before is still answered. Without a session, the run ends.
            let seat = match driven_seats::seat(context, run).await {
                Err(problem) if problem.code == &codes::SESSION_CLOSED => return Err(refusal(problem)),
                seat => seat,
            };
            let turn = CallTurn::driven(context, run.clone(), seat);
            let ids: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
            let calls = calls.into_iter().map(|call| TurnCall::new(call.id, call.name, Some(call.arguments)));
            // What has begun goes on without its loop, which may be taken up elsewhere, and is recorded.
            let results = context.see_through(turn.play(calls.collect(), context.parallel_calls_max)).await;
            let now_ms = context.clock.now_ms();
            let played = ids.into_iter().zip(results);
            let played =
                played.map(|(id, result)| PlayedCall { id, outcome: outcome::read(&result, now_ms) });
            Ok(played.collect())
        })
    }

    fn recorded<'a>(
        &'a self,
        run: &'a RunId,
        call: &'a str,
    ) -> BoxFuture<'a, Result<Option<PlayedOutcome>, Refusal>> {
        Box::pin(async move {
            let left = self.0.runs.left_behind(run, call).await?;
            Ok(left.and_then(|result| outcome::read_left(&result, self.0.clock.now_ms())))
        })
    }

    fn safety<'a>(&'a self, run: &'a Run, call: &'a PlannedCall) -> BoxFuture<'a, CallSafety> {
        Box::pin(async move {
            let target = CallTarget::of(&call.name, &call.arguments);
            if matches!(BuiltIn::named(&target.name), Some(BuiltIn::Search | BuiltIn::Describe)) {
                return CallSafety::Repeatable;
            }
            let context = &self.0;
            context.caller.settled().await;
            let Ok(seat) = driven_seats::seat(context, run).await else { return CallSafety::Once };
            let view = context.discovery.view(&seat);
            let tool =
                view.find(&target.name, context.clock.now_ms()).and_then(|found| found.entry.tool.clone());
            match tool {
                Some(tool) if tool.may_repeat() => CallSafety::Repeatable,
                // A tool that is gone, or is hidden behind another name, may have done anything.
                _ => CallSafety::Once,
            }
        })
    }

    fn cancel<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.0.caller.cancel_run(run) })
    }

    fn leave<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, ()> {
        Box::pin(driven_seats::leave(&self.0, run))
    }
}
