//! The permissions to use sessions, as a table.

use std::sync::Arc;

use toolgate_core::scope::{AgentDefinition, Definitions, Mounts};
use toolgate_core::{Digest, PrincipalId, PrincipalKind};
use toolgate_store::SessionKind;

use super::*;

fn agent(name: &str) -> AgentName {
    AgentName::new(name).expect("a legal name")
}

fn id(name: &str) -> SessionId {
    SessionId::new(format!("ses_{name}"))
}

fn plain(name: &str, role: Role) -> Credential {
    Credential::of(Principal::new(PrincipalId::new(name), role))
}

fn bound(name: &str, to: &str) -> Credential {
    Credential { agent: Some(agent(to)), ..plain(name, Role::Agent) }
}

fn of_session(name: &str, session: &str) -> Credential {
    Credential { session: Some(id(session)), ..plain(name, Role::Agent) }
}

/// The view of sessions of the agent `clerk`.
fn scope() -> Scope {
    let definition = AgentDefinition::named(agent("clerk"));
    Definitions::default().scope(&definition).expect("no capabilities")
}

/// Erna's session, with this opener.
fn session(opened_by: &str) -> StoredSession {
    StoredSession {
        id: id("one"),
        kind: SessionKind::Explicit,
        principal: plain("erna", Role::Agent).principal,
        agent: agent("clerk"),
        agent_version: Digest::of("1"),
        scope: Arc::new(scope()),
        base_mounts: Mounts::default(),
        mounts: Mounts::default(),
        task: None,
        run: None,
        opened_by: PrincipalId::new(opened_by),
        closing: None,
        created_at_ms: 0,
        last_used_at_ms: 0,
        idle_seconds: 1,
        lifetime_seconds: None,
        row_version: 1,
    }
}

#[test]
fn where_a_request_goes_is_for_credential_and_route_to_say() {
    let (token, own, other) = (plain("erna", Role::Agent), id("one"), id("two"));
    let session_token = of_session("erna", "one");
    let (clerk, to_own, to_other) =
        (agent("clerk"), SessionRoute::Session(own.clone()), SessionRoute::Session(other.clone()));
    let to_clerk = SessionRoute::Agent(clerk.clone());
    let cases = [
        (&token, &SessionRoute::Default, Ok(SessionTarget::Default(None))),
        (&token, &to_clerk, Ok(SessionTarget::Default(Some(&clerk)))),
        (&token, &to_own, Ok(SessionTarget::Session(&own))),
        (&session_token, &SessionRoute::Default, Ok(SessionTarget::Session(&own))),
        (&session_token, &to_own, Ok(SessionTarget::Session(&own))),
        (&session_token, &to_other, Err("unknown_session")),
        (&session_token, &to_clerk, Err("unknown_agent")),
    ];
    for (credential, route, expected) in cases {
        let found = target(credential, route).map_err(|refusal| refusal.code.name);
        assert_eq!(found, expected, "{credential:?} {route:?}");
    }
}

#[test]
fn only_its_principal_sits_in_a_session_and_stays_within_its_agent() {
    let human = Credential {
        principal: Principal { kind: PrincipalKind::Human, ..plain("erna", Role::Agent).principal },
        ..plain("erna", Role::Agent)
    };
    let in_a_group = Credential {
        principal: Principal { groups: vec!["g".to_owned()].into(), ..plain("erna", Role::Agent).principal },
        ..plain("erna", Role::Agent)
    };
    let cases = [
        (plain("erna", Role::Agent), true),
        (in_a_group, true),
        (bound("erna", "clerk"), true),
        (of_session("erna", "one"), true),
        (bound("erna", "cook"), false),
        (human, false),
        (plain("erna", Role::Auditor), false),
        (plain("erna", Role::Admin), false),
        (plain("bert", Role::Agent), false),
        (plain("bert", Role::Admin), false),
        (of_session("bert", "one"), false),
    ];
    let principal = plain("erna", Role::Agent).principal;
    for (credential, expected) in cases {
        assert_eq!(may_sit(&credential, &principal, &scope()), expected, "{credential:?}");
    }
}

#[test]
fn who_sees_changes_and_closes_a_session() {
    // The permissions to see, to change and to close it; opened by an operator, and by Erna herself.
    let cases = [
        (plain("ada", Role::Admin), "see change close", "see change close"),
        (plain("olga", Role::Operator), "see change close", "see change close"),
        (plain("otto", Role::Auditor), "see", "see"),
        (plain("anna", Role::Approver), "", ""),
        (plain("bert", Role::Agent), "", ""),
        (plain("erna", Role::Agent), "see close", "see change close"),
        (plain("erna", Role::Approver), "see", "see"),
        (of_session("erna", "one"), "see close", "see close"),
        (of_session("erna", "two"), "", ""),
        (plain("files", Role::Server), "", ""),
    ];
    let allowed = |by: &Credential, session: &StoredSession| {
        if !may_see(by, session) {
            return String::new();
        }
        let may =
            [("see", true), ("change", may_change(by, session).is_ok()), ("close", may_close(by).is_ok())];
        may.into_iter().filter(|(_, may)| *may).map(|(what, _)| what).collect::<Vec<_>>().join(" ")
    };
    for (by, given, own) in cases {
        let found = (allowed(&by, &session("ada")), allowed(&by, &session("erna")));
        assert_eq!(found, (given.to_owned(), own.to_owned()), "{by:?}");
    }
}

#[test]
fn who_opens_sessions() {
    let may = |by: &Credential| may_open(by).is_ok();
    for role in Role::ALL {
        assert_eq!(may(&plain("x", role)), role.may_call_tools(), "{role:?}");
    }
    assert!(may(&bound("x", "clerk")));
    assert!(!may(&of_session("x", "one")), "a session opens no other");
}
