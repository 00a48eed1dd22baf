//! The visibility of runs. A caller that may not see one gets the same answer as if there were none.

use toolgate_core::id::RunId;
use toolgate_core::run::Run;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_core::{RefusalKind, Role};
use toolgate_runs::unknown_run;

use super::seat::oversees;
use crate::ApiContext;
use crate::problem::ApiResult;

/// A run of the caller's: they work in it, or have created it, or run or audit the gateway.
pub(super) async fn find(context: &ApiContext, credential: &Credential, id: &RunId) -> ApiResult<Run> {
    let run = context.runs.get(id).await?;
    match sees(context, credential, &run).await? {
        true => Ok(run),
        false => Err(unknown_run(id).into()),
    }
}

async fn sees(context: &ApiContext, credential: &Credential, run: &Run) -> ApiResult<bool> {
    if oversees(credential) {
        return Ok(true);
    }
    if credential.session.is_some() {
        return Ok(own_run(context, credential).await?.as_ref() == Some(&run.id));
    }
    let own = &credential.principal.id;
    match &run.session {
        _ if run.principal != *own && run.created_by != *own => Ok(false),
        None => Ok(true),
        // A token's binding applies to the runs of its holder as to their sessions.
        Some(session) => match context.sessions.get(session, credential).await {
            Ok(_) => Ok(true),
            Err(refusal) if refusal.kind == RefusalKind::NotFound => Ok(false),
            Err(refusal) => Err(refusal.into()),
        },
    }
}

/// The run of a token's session.
pub(super) async fn own_run(context: &ApiContext, credential: &Credential) -> ApiResult<Option<RunId>> {
    Ok(context.sessions.seat(credential, &SessionRoute::Default).await?.run.clone())
}

/// True if the caller may do for others what they may do only for themselves.
pub(super) fn operates(credential: &Credential) -> bool {
    credential.session.is_none() && matches!(credential.principal.role, Role::Admin | Role::Operator)
}
