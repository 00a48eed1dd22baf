//! The seats of driven runs: the session of the run, with the rights that it was opened with.

use std::sync::Arc;

use http::StatusCode;
use toolgate_core::id::SessionId;
use toolgate_core::run::{Run, ended};
use toolgate_core::scope::{Credential, Seat, SessionRoute};
use toolgate_core::{Principal, PrincipalId, RefusalKind, Role, codes};
use toolgate_sessions::{NewSession, SessionView};
use toolgate_store::StoredSession;

use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

/// The reason of sessions that ended because nobody used them.
const IDLE: &str = "idle";
/// The reason of sessions that somebody closed.
const CLOSED: &str = "closed";
/// The reason of runs that end with their session.
const SESSION_CLOSED: &str = "its session was closed";

/// The seat of the principal that works in a driven run. A run may wait for people longer than its session lasts without use: then
/// another session follows, within the scope of the first.
pub(super) async fn seat(context: &ApiContext, run: &Run) -> ApiResult<Arc<Seat>> {
    let Some(session) = &run.session else { return Err(unseated(run)) };
    let credential = holder(run, session);
    match context.sessions.seat(&credential, &SessionRoute::Default).await {
        Err(refusal) if refusal.kind == RefusalKind::Gone && !run.state.is_final() => {
            let next = follow(context, run, session).await?.ok_or_else(|| Box::<Problem>::from(refusal))?;
            Ok(context.sessions.seat(&holder(run, &next), &SessionRoute::Default).await?)
        }
        seat => Ok(seat?),
    }
}

/// Closes the session of a driven run that has ended. It would count against the limit of its agent until it was idle for long.
pub(super) async fn leave(context: &ApiContext, run: &Run) {
    let Some(session) = &run.session else { return };
    if let Err(error) = context.sessions.close(session, &holder(run, session)).await {
        tracing::warn!(%session, %error, "the session of a run that has ended could not be closed");
    }
}

/// Ends the driven run that works in a session which somebody has closed: it must not go on, and its calls would fail one after
/// another. One whose session was idle before it was closed goes on in another.
pub(super) async fn end_run_of(
    context: &ApiContext,
    session: &SessionView,
    by: &PrincipalId,
) -> ApiResult<()> {
    let is_closed = session.closing.as_ref().is_some_and(|closing| closing.reason == CLOSED);
    let Some(run) = session.run.as_ref().filter(|_| is_closed) else { return Ok(()) };
    if context.store.agent_loop(run).await?.is_none() {
        return Ok(());
    }
    let run = context.runs.get(run).await?;
    if run.state.is_final() || run.session.as_ref() != Some(&session.id) {
        return Ok(());
    }
    match context.runs.cancel(&run.id, by, SESSION_CLOSED).await {
        // It has ended meanwhile.
        Err(refusal) if refusal.code == &codes::RUN_ENDED => Ok(()),
        Err(refusal) => Err(refusal.into()),
        Ok(_) => Ok(()),
    }
}

/// A run without an opened session has no worker.
pub(super) fn unseated(run: &Run) -> Box<Problem> {
    if run.state.is_final() {
        return ended(&run.id, run.state).into();
    }
    let detail = format!("run {} has no session yet", run.id);
    Problem::with_status(StatusCode::CONFLICT, &codes::NO_SESSION, detail)
}

/// The credential of the run's own session.
fn holder(run: &Run, session: &SessionId) -> Credential {
    let principal = Principal::new(run.principal.clone(), Role::Agent);
    Credential { session: Some(session.clone()), ..Credential::of(principal) }
}

/// Opens the next session of a run. `None` if the last one did not end for lack of use: an end that somebody decided on, or a
/// limit of its lifetime, stands.
async fn follow(context: &ApiContext, run: &Run, session: &SessionId) -> ApiResult<Option<SessionId>> {
    let Some(stored) = context.store.get_session(session).await? else { return Ok(None) };
    if stored.closing.as_ref().is_none_or(|closing| closing.reason != IDLE) {
        return Ok(None);
    }
    let StoredSession { principal, agent, mounts, scope, task, run: of, .. } = stored;
    let new = NewSession {
        agent: Some(agent),
        mounts,
        policy_template: None,
        task,
        run: of,
        principal: None,
        within: Some(scope),
    };
    let opened = context.sessions.open(&Credential::of(principal), new).await?.session.id;
    context.runs.attach_session(&run.id, &opened).await?;
    Ok(Some(opened))
}
