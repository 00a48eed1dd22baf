//! Past calls of the ledger as policy would see them again: caller, tool and arguments, as far as they are still known.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use toolgate_core::event::{Event, Outcome};
use toolgate_core::id::SessionId;
use toolgate_core::{Principal, PrincipalId, Role, Tool};
use toolgate_pipeline::redact::mentions_marker;
use toolgate_store::{StoreError, StoredSession};

use crate::problem::ApiResult;
use crate::{ApiContext, PastCall};

/// Finds past calls again; callers and sessions are looked up once.
pub(super) struct PastCalls<'a> {
    context: &'a ApiContext,
    sessions: HashMap<SessionId, Option<Arc<StoredSession>>>,
    /// The holders of tokens, as the latest token of each has them.
    holders: Option<HashMap<PrincipalId, Principal>>,
}

/// A past call that can be judged.
pub(super) struct JudgeableCall {
    pub(super) end: PastEnd,
    pub(super) call: PastCall,
    pub(super) is_redacted: bool,
    /// Role and groups of the caller are not known.
    pub(super) is_supposed: bool,
}

/// What the ledger says of it.
pub(super) struct PastEnd {
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) principal: String,
    pub(super) at_ms: i64,
    pub(super) outcome: Option<&'static str>,
}

/// The reason why a call cannot be judged again.
pub(super) enum Unjudged {
    NoArguments,
    NoTool,
    /// Policy was not asked about it, or its caller is not known.
    NotDecided,
}

impl<'a> PastCalls<'a> {
    pub(super) fn new(context: &'a ApiContext) -> Self {
        Self { context, sessions: HashMap::new(), holders: None }
    }

    /// By the event of its end.
    pub(super) async fn find(&mut self, end: &Event) -> ApiResult<Result<JudgeableCall, Unjudged>> {
        let about = &end.about;
        let is_unasked = matches!(end.outcome, Some(Outcome::Invalid | Outcome::Refused));
        let (Some(call), Some(name)) = (&about.call, &about.tool) else {
            return Ok(Err(Unjudged::NotDecided));
        };
        if is_unasked || end.principal == PrincipalId::gateway() {
            return Ok(Err(Unjudged::NotDecided));
        }
        let Some(tool) = self.tool(name.as_str()) else { return Ok(Err(Unjudged::NoTool)) };
        let Some(arguments) = self.arguments(end).await? else { return Ok(Err(Unjudged::NoArguments)) };
        let session = match &about.session {
            Some(id) => self.session(id).await?.filter(|session| session.principal.id == end.principal),
            None => None,
        };
        let known = match &session {
            Some(session) => Some(session.principal.clone()),
            None => self.holder(&end.principal).await?,
        };
        let is_supposed = known.is_none();
        let is_redacted = mentions_marker(&arguments);
        let end = PastEnd {
            call: call.to_string(),
            tool: name.to_string(),
            principal: end.principal.to_string(),
            at_ms: end.at_ms,
            outcome: end.outcome.map(Outcome::as_str),
        };
        let principal =
            known.unwrap_or_else(|| Principal::new(PrincipalId::new(end.principal.as_str()), Role::Agent));
        let call = PastCall {
            principal,
            tool,
            arguments,
            session: about.session.clone(),
            agent: session.as_ref().map(|session| session.agent.clone()),
            template: session.as_ref().and_then(|session| session.scope.template),
            run: about.run.clone(),
            task: about.task.clone(),
        };
        Ok(Ok(JudgeableCall { end, call, is_redacted, is_supposed }))
    }

    fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        let snapshot = self.context.catalog.snapshot();
        let listed = snapshot.tools.find(name).and_then(|entry| entry.tool.clone());
        listed.or_else(|| Tool::action_named(name).map(Arc::new))
    }

    async fn arguments(&self, end: &Event) -> Result<Option<Value>, StoreError> {
        let Some(digest) = &end.input else { return Ok(None) };
        match self.context.store.ledger_body(digest).await {
            Ok(body) => Ok(body.and_then(|body| body.decode().ok())),
            // Nobody is judged by what somebody else wrote in.
            Err(StoreError::BodyChanged { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn session(&mut self, id: &SessionId) -> Result<Option<Arc<StoredSession>>, StoreError> {
        if let Some(known) = self.sessions.get(id) {
            return Ok(known.clone());
        }
        let found = self.context.store.get_session(id).await?.map(Arc::new);
        self.sessions.insert(id.clone(), found.clone());
        Ok(found)
    }

    async fn holder(&mut self, id: &PrincipalId) -> Result<Option<Principal>, StoreError> {
        if self.holders.is_none() {
            let mut tokens = self.context.store.list_tokens().await?;
            tokens.sort_by_key(|token| token.created_at_ms);
            let holders = tokens.iter().map(|token| (token.principal().id, token.principal()));
            self.holders = Some(holders.collect());
        }
        Ok(self.holders.as_ref().and_then(|holders| holders.get(id).cloned()))
    }
}
