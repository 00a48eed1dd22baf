//! The runs that a caller sees, and those that it may change. What it does not see does not exist.

use toolgate_core::id::{RunId, SessionId};
use toolgate_core::run::Run;
use toolgate_core::substrate::parse_digest;
use toolgate_core::{Digest, PrincipalId, Refusal, Role, codes};
use toolgate_domain::ToolContext;

use crate::refusal::unknown_run;
use crate::runs::Runs;
use crate::view::RunQuery;

/// The runs that a caller sees.
pub enum VisibleRuns<'a> {
    All,
    OfPrincipal(&'a PrincipalId),
    /// This run and those that it started.
    Within(&'a RunId),
    /// A session that was opened for something else has no business in other runs of its principal.
    MadeIn(&'a SessionId),
}

impl<'a> VisibleRuns<'a> {
    pub fn of(context: &'a ToolContext) -> Self {
        let holder = &context.holder;
        match (&holder.run, holder.principal.role) {
            (Some(run), _) => VisibleRuns::Within(run),
            (None, _) if holder.opened_by.is_some() => VisibleRuns::MadeIn(&holder.session),
            (None, Role::Admin | Role::Operator | Role::Auditor) => VisibleRuns::All,
            (None, _) => VisibleRuns::OfPrincipal(&holder.principal.id),
        }
    }

    /// A query that finds nothing else.
    pub fn narrow(&self, query: RunQuery) -> RunQuery {
        match self {
            VisibleRuns::All => query,
            VisibleRuns::OfPrincipal(own) => RunQuery { principal: Some((*own).clone()), ..query },
            VisibleRuns::Within(own) => RunQuery { parent: Some((*own).clone()), ..query },
            VisibleRuns::MadeIn(own) => RunQuery { made_in: Some((*own).clone()), ..query },
        }
    }

    fn has(&self, run: &Run) -> bool {
        match self {
            VisibleRuns::All => true,
            VisibleRuns::OfPrincipal(own) => run.principal == **own || run.created_by == **own,
            VisibleRuns::Within(own) => run.id == **own || run.parent.as_ref() == Some(*own),
            VisibleRuns::MadeIn(own) => run.label.made_in.as_ref() == Some(*own),
        }
    }
}

/// The run that a caller names, or that of its session.
pub async fn seen(runs: &Runs, context: &ToolContext, id: Option<String>) -> Result<Run, Refusal> {
    let id = match id {
        Some(id) => RunId::new(id),
        None => context.run()?.clone(),
    };
    let run = runs.get(&id).await?;
    match VisibleRuns::of(context).has(&run) {
        true => Ok(run),
        false => Err(unknown_run(&id)),
    }
}

/// The same for a caller that will change it: auditors only look.
pub async fn changeable(runs: &Runs, context: &ToolContext, id: Option<String>) -> Result<Run, Refusal> {
    let run = seen(runs, context, id).await?;
    match context.principal().role {
        Role::Auditor => {
            let message = format!("an auditor reads run {} and does not change it", run.id);
            Err(Refusal::new(&codes::NOT_ALLOWED, message)
                .hint("use the token of the agent that works in it"))
        }
        _ => Ok(run),
    }
}

/// The digest of a manifest, with or without `sha256:` in front.
pub(super) fn manifest(text: Option<&str>, field: &'static str) -> Result<Option<Digest>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    parse_digest(text).map(Some).map_err(|_| {
        let message = format!("`{field}` is no digest: {text:?}");
        Refusal::new(&codes::INVALID_ARGUMENTS, message)
            .hint("a digest has 64 hexadecimal digits")
            .field(field)
    })
}
