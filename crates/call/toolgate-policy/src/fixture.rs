//! Tools, people and policies for the tests.

pub(crate) mod conditions;

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::decision::{ApprovalRequirement, Decision, Policy, PolicyRequest, Verdict};
use toolgate_core::{
    AuditLevel, CanonicalName, Digest, Effects, Principal, PrincipalId, PrincipalKind, RawJson, Role,
    ServerName, Tool, ToolHandling,
};

use crate::{PolicyEngine, PolicyError, PolicyPurpose, PolicyTemplate, Sources};

pub(crate) const PERMIT_ALL: &str = "permit(principal, action, resource);";

pub(crate) fn tool(name: &str, effects: Effects, schema: Value) -> Tool {
    let (server, own) = name.split_once(':').unwrap();
    let server = ServerName::new(server).unwrap();
    Tool {
        name: CanonicalName::of(&server, own),
        server,
        own: own.into(),
        version: Digest::of(format!("{name} {schema}")),
        effects,
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: (!schema.is_null()).then(|| RawJson::from(schema)),
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}

pub(crate) fn transfer() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "amount": {"type": "number"},
            "currency": {"type": "string", "enum": ["EUR", "USD"]},
            "account": {"type": "string"},
            "note": {"type": ["string", "null"]},
            "copies": {"type": "integer"},
        },
        "required": ["amount", "account", "note", "copies"],
    });
    tool("bank:transfer", Effects::WRITE, schema)
}

pub(crate) fn balance() -> Tool {
    let schema =
        json!({"type": "object", "properties": {"account": {"type": "string"}}, "required": ["account"]});
    tool("bank:balance", Effects::READ, schema)
}

pub(crate) fn tools() -> Vec<Arc<Tool>> {
    vec![Arc::new(transfer()), Arc::new(balance())]
}

pub(crate) fn agent() -> Principal {
    principal("helper", PrincipalKind::Agent, Role::Agent, &[])
}

pub(crate) fn principal(id: &str, kind: PrincipalKind, role: Role, groups: &[&str]) -> Principal {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    Principal { id: PrincipalId::new(id), kind, role, groups }
}

/// Sources of these texts, each with its set, called `a.cedar`, `b.cedar` and so on.
pub(crate) fn sources(texts: &[(PolicyPurpose, &str)], template: PolicyTemplate) -> Sources {
    let names = ('a'..).map(|letter| format!("{letter}.cedar"));
    let extra = names.zip(texts).map(|(name, (set, text))| (name, *set, (*text).to_owned())).collect();
    Sources { folder: None, extra, template }
}

pub(crate) fn load(texts: &[(PolicyPurpose, &str)]) -> Result<PolicyEngine, PolicyError> {
    PolicyEngine::load(sources(texts, PolicyTemplate::Exploratory))
}

pub(crate) fn engine(texts: &[(PolicyPurpose, &str)]) -> PolicyEngine {
    load(texts).unwrap_or_else(|error| panic!("{error}"))
}

/// A call without a session, run or task.
pub(crate) fn question<'a>(
    principal: &'a Principal,
    tool: &'a Tool,
    arguments: &'a Value,
) -> PolicyRequest<'a> {
    PolicyRequest {
        principal,
        tool,
        arguments,
        session: None,
        agent: None,
        template: None,
        run: None,
        task: None,
        credentials: &[],
    }
}

/// Asks about a call without a session, and compares the decision with that of a full evaluation.
pub(crate) fn decide(
    engine: &PolicyEngine,
    principal: &Principal,
    tool: &Tool,
    arguments: Value,
) -> Decision {
    let question = question(principal, tool, &arguments);
    let decision = engine.decide(&question);
    let explanation = engine.explain(&question);
    assert_eq!(explanation.verdict.as_str(), decision.verdict.as_str(), "{explanation:?}");
    // The second time it comes from the cache.
    assert_eq!(engine.decide(&question), decision);
    decision
}

pub(crate) fn verdict(texts: &[(PolicyPurpose, &str)], arguments: Value) -> Verdict {
    decide(&engine(texts), &agent(), &transfer(), arguments).verdict
}

pub(crate) fn requirement(verdict: Verdict) -> ApprovalRequirement {
    match verdict {
        Verdict::Approve(requirement) => requirement,
        other => panic!("nobody is asked: {other:?}"),
    }
}
