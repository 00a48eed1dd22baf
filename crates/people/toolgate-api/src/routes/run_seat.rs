//! The sessions that runs work in.

use toolgate_core::Refusal;
use toolgate_core::id::RunId;
use toolgate_core::scope::Credential;
use toolgate_sessions::{NewSession, SessionWithToken};

use crate::ApiContext;

/// Opens a session for an existing run. A session that the run cannot take is closed again.
pub(super) async fn seat_in(
    context: &ApiContext,
    credential: &Credential,
    run: &RunId,
    session: NewSession,
) -> Result<SessionWithToken, Refusal> {
    let opened = context.sessions.open(credential, session).await?;
    let Err(refusal) = context.runs.attach_session(run, &opened.session.id).await else {
        return Ok(opened);
    };
    if let Err(error) = context.sessions.close(&opened.session.id, credential).await {
        tracing::warn!(session = %opened.session.id, %error, "a session that no run took could not be closed");
    }
    Err(refusal)
}
