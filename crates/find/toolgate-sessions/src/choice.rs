//! The agent of a credential, and its view: pure, from the current definitions.

use std::borrow::Cow;
use std::sync::Arc;

use toolgate_core::codes;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{
    AgentDefinition, AgentLimits, AgentName, BadDefinition, Credential, Definitions, Scope, Seat, TokenBudget,
};
use toolgate_core::{Digest, Principal, Refusal, RefusalKind, Role};

use crate::refusal::unknown_agent;

/// Characters of a digest that a derived id has.
const DERIVED_CHARS: usize = 32;

pub(crate) struct AgentChoice {
    /// The definition that was asked for.
    pub(crate) agent: Arc<AgentDefinition>,
    /// The credential's view as that agent: no more than the definition that it is bound to admits.
    pub(crate) scope: Scope,
    pub(crate) limits: AgentLimits,
}

/// `wanted` is an explicitly named agent, instead of the credential's own.
pub(crate) fn choose(
    definitions: &Definitions,
    credential: &Credential,
    wanted: Option<&AgentName>,
) -> Result<AgentChoice, Refusal> {
    let own = own(definitions, credential)?;
    let Some(wanted) = wanted.filter(|wanted| **wanted != own.name) else {
        let scope = definitions.scope(&own).map_err(bad)?;
        // Budgets are for models: an operator without a named agent reads everything.
        let token_budget = match wanted {
            None if runs_the_gateway(credential) && credential.agent.is_none() => TokenBudget::Off,
            _ => scope.token_budget,
        };
        return Ok(AgentChoice { scope: Scope { token_budget, ..scope }, limits: own.limits, agent: own });
    };
    let agent = definitions.agent(wanted).ok_or_else(|| unknown_agent(wanted))?;
    let scope = definitions.scope(&agent).map_err(bad)?;
    if !is_bound(definitions, credential, &own) {
        return Ok(AgentChoice { scope, limits: agent.limits, agent });
    }
    let scope = scope.within(definitions.scope(&own).map_err(bad)?);
    Ok(AgentChoice { scope, limits: strictest(agent.limits, own.limits), agent })
}

/// The definition of a credential that names none.
fn own(definitions: &Definitions, credential: &Credential) -> Result<Arc<AgentDefinition>, Refusal> {
    let Some(bound) = &credential.agent else { return Ok(definitions.agent_for(&credential.principal)) };
    // Never another one in its place: that could admit more.
    definitions.agent(bound).ok_or_else(|| {
        let message =
            format!("this token is bound to the agent {:?}, which is no longer defined", bound.as_str());
        Refusal::new(&codes::AGENT_UNDEFINED, message)
    })
}

/// The credential with the agent that it is bound to, by token or by definition.
pub(crate) fn held<'a>(definitions: &Definitions, credential: &'a Credential) -> Cow<'a, Credential> {
    if credential.session.is_some() || credential.agent.is_some() || runs_the_gateway(credential) {
        return Cow::Borrowed(credential);
    }
    let own = definitions.agent_for(&credential.principal);
    match is_bound(definitions, credential, &own) {
        true => Cow::Owned(Credential { agent: Some(own.name.clone()), ..credential.clone() }),
        false => Cow::Borrowed(credential),
    }
}

/// True if a credential always stays within its own definition: its token says so, or there is a definition
/// for it, even `default`, and it does not run the gateway.
fn is_bound(definitions: &Definitions, credential: &Credential, own: &AgentDefinition) -> bool {
    let is_written = definitions.agents.contains_key(&own.name);
    credential.agent.is_some() || (is_written && !runs_the_gateway(credential))
}

fn runs_the_gateway(credential: &Credential) -> bool {
    matches!(credential.principal.role, Role::Admin | Role::Operator)
}

fn strictest(one: AgentLimits, other: AgentLimits) -> AgentLimits {
    let lifetimes = [one.lifetime_seconds, other.lifetime_seconds];
    AgentLimits {
        idle_seconds: one.idle_seconds.min(other.idle_seconds),
        lifetime_seconds: lifetimes.into_iter().flatten().min(),
        sessions_max: one.sessions_max,
    }
}

fn bad(error: BadDefinition) -> Refusal {
    let code = match &error {
        BadDefinition::UnknownCapability { .. } => &codes::UNKNOWN_CAPABILITY,
        _ => &codes::BAD_DEFINITION,
    };
    Refusal::new(code, error.to_string())
        .kind(RefusalKind::Conflict)
        .hint("ask the operator of the gateway to correct it")
}

/// The seat in a session with this scope. Policy judges by the outermost agent: a bound credential cannot
/// escape its restrictions by asking for another agent.
pub(crate) fn seat(principal: Principal, session: SessionId, scope: Arc<Scope>) -> Seat {
    let agent = scope.layers.first().map_or_else(AgentName::default_agent, |layer| layer.agent.clone());
    let scope_id = scope.id();
    Seat { principal, session, agent, scope, scope_id, opened_by: None, run: None, task: None }
}

/// The id of a default session: the same for a principal and its agents, in every process and for good.
pub(crate) fn derived_id(principal: &Principal, scope: &Scope) -> SessionId {
    let agents: Vec<&AgentName> = scope.layers.iter().map(|layer| &layer.agent).collect();
    // A principal of the same name and another kind is another principal.
    let text = serde_json::to_vec(&(principal, agents)).expect("names are text");
    let digest = Digest::of(text).to_string();
    let hex = &digest["sha256:".len()..][..DERIVED_CHARS];
    SessionId::new([SessionId::PREFIX, hex].concat())
}

#[cfg(test)]
mod tests;
