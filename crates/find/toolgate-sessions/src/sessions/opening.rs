//! Opening a session.

use std::sync::Arc;

use toolgate_core::codes;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{AgentName, Credential, Definitions, Scope};
use toolgate_core::{Principal, PrincipalId, Refusal, RefusalKind, Role};
use toolgate_store::{
    ListedToken, NewSessionError, OpenSessions, SessionKind, StoredSession, is_reserved_principal,
};

use super::Sessions;
use crate::choice::{self, AgentChoice};
use crate::events::SessionEvent;
use crate::mounts;
use crate::refusal::{down, nearest, not_allowed};
use crate::rules;
use crate::view::{NewSession, SessionWithToken};

/// The maximum length of a task, a run or the name of a principal, in characters.
const NAME_CHARS_MAX: usize = 256;

/// A session that passed all checks.
struct SessionPlan {
    choice: AgentChoice,
    principal: Principal,
    /// Without the additional mounts.
    base: Scope,
}

impl Sessions {
    /// Opens a session: its view is frozen now, and its token is shown once.
    pub async fn open(&self, by: &Credential, new: NewSession) -> Result<SessionWithToken, Refusal> {
        let definitions = self.desk.surroundings.definitions();
        let SessionPlan { choice, principal, base } = self.plan(&definitions, by, &new)?;
        self.check_impersonation(by, &principal).await?;
        let AgentChoice { agent, limits, .. } = choice;
        self.desk.note_versions(&definitions).await.map_err(down)?;
        let now_ms = self.desk.clock.now_ms();
        let session = StoredSession {
            id: SessionId::new(self.desk.clock.fresh_id(SessionId::PREFIX)),
            kind: SessionKind::Explicit,
            principal,
            agent: agent.name.clone(),
            agent_version: agent.version(),
            scope: Arc::new(mounts::mounted(&base, &new.mounts)),
            base_mounts: base.mounts,
            mounts: new.mounts,
            task: new.task,
            run: new.run,
            opened_by: by.principal.id.clone(),
            closing: None,
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
            idle_seconds: limits.idle_seconds,
            lifetime_seconds: limits.lifetime_seconds,
            row_version: 1,
        };
        self.create(session, by, OpenSessions { agent: agent.name.clone(), max: limits.sessions_max }).await
    }

    /// Operators open sessions for names without an owner. Acting as a principal that has its own token is
    /// for admins; the ledger records the opener beside the caller.
    async fn check_impersonation(&self, by: &Credential, principal: &Principal) -> Result<(), Refusal> {
        if by.principal.role == Role::Admin || by.principal.id == principal.id {
            return Ok(());
        }
        let tokens = self.desk.store.list_tokens().await.map_err(down)?;
        // An expired token still owns the name.
        let is_theirs =
            |token: &ListedToken| token.revoked_at_ms.is_none() && token.principal().id == principal.id;
        if !tokens.iter().any(is_theirs) {
            return Ok(());
        }
        Err(not_allowed(format!("{} has a token of their own; only admins act in their name", principal.id))
            .field("principal")
            .hint("open the session for another name, or let an admin open it"))
    }

    /// The owner and the agent of the session that would be opened, or the refusal. Nothing is opened.
    pub fn foresee(&self, by: &Credential, new: &NewSession) -> Result<(AgentName, Principal), Refusal> {
        let planned = self.plan(&self.desk.surroundings.definitions(), by, new)?;
        Ok((planned.choice.agent.name.clone(), planned.principal))
    }

    fn plan(
        &self,
        definitions: &Definitions,
        by: &Credential,
        new: &NewSession,
    ) -> Result<SessionPlan, Refusal> {
        rules::may_open(by)?;
        check_names(new)?;
        let choice = choose(definitions, by, new.agent.as_ref())?;
        let principal = holder(by, new.principal.as_deref(), &choice.agent.name)?;
        let scope = match &new.within {
            Some(outer) => choice.scope.clone().within(Scope::clone(outer)),
            None => choice.scope.clone(),
        };
        let base = self.frozen(scope, new.policy_template)?;
        self.check_mounts(by, &new.mounts, &Default::default(), &base)?;
        Ok(SessionPlan { choice, principal, base })
    }

    async fn create(
        &self,
        session: StoredSession,
        by: &Credential,
        limit: OpenSessions,
    ) -> Result<SessionWithToken, Refusal> {
        let told = SessionEvent { at_ms: session.created_at_ms, by: &by.principal.id }.started(&session);
        let token =
            self.desk.books.create_session(&session, by.token.as_ref(), &limit, vec![told]).await.map_err(
                |error| match error {
                    NewSessionError::TooMany { max } => {
                        let message = format!(
                            "{max} sessions of the agent {} are open, and no more are allowed",
                            limit.agent
                        );
                        Refusal::new(&codes::TOO_MANY_SESSIONS, message)
                    }
                    NewSessionError::Store(error) => down(error),
                },
            )?;
        Ok(SessionWithToken { session: self.view(session), token: token.secret })
    }

    /// A scope with only the existing servers, at the requested level of care.
    fn frozen(&self, scope: Scope, wanted: Option<PolicyTemplate>) -> Result<Scope, Refusal> {
        let least = scope.template.max(Some(self.desk.surroundings.template()));
        if let (Some(wanted), Some(least)) = (wanted, least)
            && wanted < least
        {
            let message = format!(
                "the policy template {} is weaker than {}, which holds already",
                wanted.as_str(),
                least.as_str()
            );
            return Err(Refusal::new(&codes::TEMPLATE_TOO_WEAK, message)
                .field("policy_template")
                .hint(format!("ask for {} or a stricter one, or for none", least.as_str())));
        }
        let mut servers = self.desk.surroundings.servers();
        servers.sort();
        servers.dedup();
        let template = scope.template.max(wanted);
        // Servers that an outer scope leaves out stay out.
        let servers = match scope.servers {
            Some(there) => there.into_iter().filter(|one| servers.contains(one)).collect(),
            None => servers,
        };
        Ok(Scope { servers: Some(servers), template, ..scope })
    }
}

/// A request in a body, and not in an address, is refused with a hint.
fn choose(
    definitions: &Definitions,
    by: &Credential,
    wanted: Option<&AgentName>,
) -> Result<AgentChoice, Refusal> {
    choice::choose(definitions, by, wanted).map_err(|refusal| match (refusal.kind, wanted) {
        (RefusalKind::NotFound, Some(wanted)) => {
            // Only operators may know the existing agents.
            let told = definitions.agents.keys().filter(|_| rules::is_operator(by));
            let names = told.map(AgentName::as_str).chain(["default"]);
            let hint = nearest(
                wanted.as_str(),
                names,
                "agents are defined in toolgate.toml or in the setting `agents`",
            );
            Refusal { kind: RefusalKind::Invalid, ..refusal }.field("agent").hint(hint)
        }
        _ => refusal,
    })
}

/// The owner of a session. Agents open sessions for themselves, operators for agents.
fn holder(by: &Credential, wanted: Option<&str>, agent: &AgentName) -> Result<Principal, Refusal> {
    if !rules::is_operator(by) {
        return match wanted {
            Some(wanted) if wanted != by.principal.id.as_str() => {
                Err(not_allowed("only operators open sessions for other principals").field("principal"))
            }
            _ => Ok(by.principal.clone()),
        };
    }
    let name = wanted.unwrap_or(agent.as_str());
    if is_reserved_principal(name) {
        let message =
            format!("a principal may not be called {name:?}, which could be mistaken for another principal");
        return Err(Refusal::new(&codes::INVALID_PRINCIPAL, message).field("principal"));
    }
    Ok(Principal::new(PrincipalId::new(name), Role::Agent))
}

fn check_names(new: &NewSession) -> Result<(), Refusal> {
    let run = new.run.as_ref().map(|run| run.as_str());
    for (field, name) in
        [("task", new.task.as_deref()), ("run", run), ("principal", new.principal.as_deref())]
    {
        let Some(name) = name else { continue };
        let fits = (1..=NAME_CHARS_MAX).contains(&name.chars().count()) && !name.contains(char::is_control);
        if !fits {
            let message = format!("`{field}` has 1 to {NAME_CHARS_MAX} printable characters");
            return Err(Refusal::new(&codes::INVALID_SESSION, message).field(field));
        }
    }
    Ok(())
}
