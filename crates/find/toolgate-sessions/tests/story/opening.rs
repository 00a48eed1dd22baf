//! Opening sessions, and changing them.

use std::slice;

use serde_json::json;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::RunId;
use toolgate_core::scope::{Credential, Mounts, SessionRoute};
use toolgate_core::{PrincipalId, PrincipalKind, Role};
use toolgate_sessions::{NewSession, RefusalKind, SessionKind, SessionQuery};

use crate::gateway::{SessionsGateway, agent, mounts, name, operator, server, to};
use crate::world::SessionsWorld;

crate::on_both!(
    an_agent_opens_a_session_and_sits_in_it,
    an_operator_opens_a_session_for_somebody_else,
    what_makes_no_sense_is_refused_with_the_place_and_a_hint,
    a_session_stays_as_it_was_frozen,
    what_a_session_may_touch_is_changed_by_who_may,
    nobody_finds_the_session_of_somebody_else,
    a_bound_credential_opens_sessions_within_its_agent,
    a_session_within_another_scope_has_no_more_than_that,
);

async fn an_agent_opens_a_session_and_sits_in_it(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let erna = agent("erna");
    let new = NewSession {
        mounts: mounts(&["files"], &["slack"]),
        policy_template: Some(PolicyTemplate::Regulated),
        task: Some("pay".into()),
        run: Some(RunId::new("run_1")),
        ..NewSession::default()
    };
    let opened = gateway.sessions.open(&erna, new).await.expect("opened");
    let session = &opened.session;
    assert_eq!((&session.agent, &session.principal), (&name("clerk"), &erna.principal));
    assert_eq!(session.scope.servers, Some(vec![server("bank"), server("files")]));
    assert_eq!(session.scope.template, Some(PolicyTemplate::Regulated));
    assert_eq!(session.scope.mounts, mounts(&["files"], &["slack"]));
    assert!(!format!("{opened:?}").contains(&opened.token));

    let token = gateway.credential(&opened).await;
    assert_eq!(token.session.as_ref(), Some(&session.id));
    for route in [SessionRoute::Default, to(&session.id)] {
        let seat = gateway.seat(&token, &route).await.expect("its own");
        assert_eq!((&seat.session, &seat.principal.id), (&session.id, &erna.principal.id));
        assert_eq!((&seat.agent, seat.scope_id), (&name("clerk"), session.scope_id));
        let again = gateway.sessions.seat_known(&token, &route).expect("known by now").expect("a seat");
        assert_eq!(again, seat);
    }
    assert_eq!(gateway.seat(&erna, &to(&session.id)).await.expect("hers").session, session.id);
    assert_eq!(gateway.seat(&token, &SessionRoute::Agent(name("clerk"))).await, Err("unknown_agent"));
    let told = gateway.ledger("session.started").await;
    let (by, detail) = told.iter().find(|(_, detail)| detail["kind"] == "explicit").expect("told");
    assert_eq!(
        (&**by, &detail["agent"], &detail["policy_template"]),
        ("erna", &json!("clerk"), &json!("regulated"))
    );
    let refused = gateway.open(&token, "clerk").await.expect_err("a session opens no other");
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Forbidden, "not_allowed"));
    gateway.sessions.stop().await;
}

async fn an_operator_opens_a_session_for_somebody_else(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let opened = gateway.open(&operator(), "cook").await.expect("opened");
    let principal = &opened.session.principal;
    assert_eq!(
        (principal.id.as_str(), principal.kind, principal.role),
        ("cook", PrincipalKind::Agent, Role::Agent)
    );
    assert_eq!(opened.session.opened_by.as_str(), "olga");
    let for_bert = NewSession { principal: Some("bert".into()), ..NewSession::default() };
    let opened = gateway.sessions.open(&operator(), for_bert.clone()).await.expect("opened");
    assert_eq!((opened.session.principal.id.as_str(), &opened.session.agent), ("bert", &name("default")));
    assert_eq!(
        gateway.seat(&agent("bert"), &to(&opened.session.id)).await.expect("his").principal.id.as_str(),
        "bert"
    );
    assert_eq!(gateway.seat(&operator(), &to(&opened.session.id)).await, Err("unknown_session"));

    let refused = gateway.sessions.open(&agent("erna"), for_bert).await.expect_err("not hers to say");
    assert_eq!((refused.kind, refused.field.as_deref()), (RefusalKind::Forbidden, Some("principal")));
    let own = NewSession { principal: Some("erna".into()), ..NewSession::default() };
    gateway.sessions.open(&agent("erna"), own).await.expect("herself");
    let as_gateway = NewSession { principal: Some("gateway".into()), ..NewSession::default() };
    let refused = gateway.sessions.open(&operator(), as_gateway).await.expect_err("mistaken for another");
    assert_eq!(refused.code.name, "invalid_principal");
    gateway.sessions.stop().await;
}

async fn what_makes_no_sense_is_refused_with_the_place_and_a_hint(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    *gateway.around.template.lock() = PolicyTemplate::Standard;
    let wants = NewSession::default();
    let cases = [
        (
            NewSession { agent: Some(name("clark")), ..wants.clone() },
            "unknown_agent",
            "agent",
            "did you mean clerk",
        ),
        (
            NewSession { mounts: mounts(&["filse"], &[]), ..wants.clone() },
            "unknown_mount",
            "mounts.servers",
            "files",
        ),
        (
            NewSession { mounts: mounts(&[], &["slakc"]), ..wants.clone() },
            "unknown_mount",
            "mounts.providers",
            "slack",
        ),
        (
            NewSession { policy_template: Some(PolicyTemplate::Exploratory), ..wants.clone() },
            "template_too_weak",
            "policy_template",
            "standard",
        ),
        (NewSession { task: Some("\n".into()), ..wants.clone() }, "invalid_session", "task", ""),
        (
            NewSession { run: Some(RunId::new("x".repeat(300))), ..wants.clone() },
            "invalid_session",
            "run",
            "",
        ),
    ];
    for (new, code, field, hint) in cases {
        let refused = gateway.sessions.open(&operator(), new).await.expect_err("refused");
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, code), "{refused:?}");
        assert_eq!(refused.field.as_deref(), Some(field));
        assert!(refused.hint.contains(hint), "{refused:?}");
    }
    let weaker =
        NewSession { agent: Some(name("cook")), policy_template: Some(PolicyTemplate::Exploratory), ..wants };
    *gateway.around.template.lock() = PolicyTemplate::Exploratory;
    assert_eq!(
        gateway.sessions.open(&operator(), weaker).await.expect_err("cook is stricter").code.name,
        "template_too_weak"
    );
    assert_eq!(gateway.ledger("session.started").await, []);
    gateway.sessions.stop().await;
}

async fn a_session_stays_as_it_was_frozen(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let opened = gateway.open(&agent("erna"), "clerk").await.expect("opened");
    let token = gateway.credential(&opened).await;
    let before = gateway.seat(&token, &SessionRoute::Default).await.expect("a seat");
    gateway.around.define(&[json!({ "name": "clerk", "blocked": ["*"] })]);
    gateway.around.servers.lock().push(server("later"));
    assert_eq!(gateway.seat(&token, &SessionRoute::Default).await, Ok(before.clone()));
    gateway.sessions.stop().await;
    // And after a restart, under any definitions.
    let again = SessionsGateway::start(&world, "two").await;
    again.around.define(&[]);
    assert_eq!(again.seat(&token, &SessionRoute::Default).await, Ok(before));
    again.sessions.stop().await;
}

async fn what_a_session_may_touch_is_changed_by_who_may(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let bert = agent("bert");
    let opened = gateway.open(&bert, "cook").await.expect("opened");
    let id = &opened.session.id;
    let token = gateway.credential(&opened).await;
    let before = gateway.seat(&token, &SessionRoute::Default).await.expect("a seat");
    let change = async |by: &Credential, mounts: Mounts, expected| {
        gateway.sessions.change_mounts(id, by, mounts, expected).await.map_err(|refusal| refusal.code.name)
    };
    let view = change(&bert, mounts(&["files"], &["slack"]), Some(1)).await.expect("changed");
    assert_eq!((view.version, &view.mounts), (2, &mounts(&["files"], &["slack"])));
    assert_eq!(view.scope.mounts, mounts(&["files"], &["mail", "slack"]), "with what its agent has");
    let seat = gateway.seat(&token, &SessionRoute::Default).await.expect("a seat");
    assert_eq!((seat.scope_id, seat.scope_id == before.scope_id), (view.scope_id, false));

    assert_eq!(change(&bert, mounts(&[], &[]), Some(1)).await, Err("stale"));
    assert_eq!(change(&token, mounts(&[], &[]), None).await, Err("not_allowed"), "what it was given");
    assert_eq!(change(&agent("erna"), mounts(&[], &[]), None).await, Err("unknown_session"));
    assert_eq!(change(&bert, mounts(&["nowhere"], &[]), None).await, Err("unknown_mount"));
    gateway.around.servers.lock().push(server("later"));
    assert_eq!(change(&bert, mounts(&["later"], &[]), None).await, Err("unknown_mount"), "it came later");
    gateway.around.servers.lock().clear();
    let view = change(&operator(), mounts(&["files"], &[]), Some(2)).await.expect("gone, but mounted before");
    assert_eq!(view.scope.mounts, mounts(&["files"], &["mail"]));
    let view = change(&operator(), mounts(&[], &[]), None).await.expect("changed");
    assert_eq!(view.scope_id, before.scope_id, "as it began");
    let told = gateway.ledger("session.changed").await;
    assert_eq!(told.len(), 3);
    assert_eq!(told[0].1["to"], json!({ "servers": ["files"], "providers": ["slack"] }));
    gateway.sessions.close(id, &bert).await.expect("closed");
    assert_eq!(change(&bert, mounts(&[], &[]), None).await, Err("session_closed"));
    gateway.sessions.stop().await;
}

async fn nobody_finds_the_session_of_somebody_else(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let (erna, bert) = (agent("erna"), agent("bert"));
    let hers = gateway.open(&erna, "clerk").await.expect("opened").session.id;
    let his = gateway.open(&bert, "cook").await.expect("opened");
    let his_token = gateway.credential(&his).await;
    gateway.seat(&erna, &to(&hers)).await.expect("known here from now on");
    for other in [&bert, &operator(), &his_token] {
        assert_eq!(gateway.seat(other, &to(&hers)).await, Err("unknown_session"), "{other:?}");
    }
    let never = toolgate_core::id::SessionId::new("ses_never");
    let [unknown, foreign] = [&never, &hers];
    let unknown = gateway.sessions.get(unknown, &bert).await.expect_err("not there");
    let foreign = gateway.sessions.get(foreign, &bert).await.expect_err("not there for him");
    assert_eq!(unknown.message.replace("never", "x"), foreign.message.replace(&hers.as_str()[4..], "x"));
    assert_eq!(gateway.sessions.close(&hers, &bert).await.expect_err("not his").code.name, "unknown_session");
    assert_eq!(gateway.state(&hers).await, "active");

    let list = async |by: &Credential, query: SessionQuery| {
        let page = gateway.sessions.list(by, &SessionQuery { limit: 10, ..query }).await.expect("listed");
        let explicit = page.sessions.into_iter().filter(|one| one.kind == SessionKind::Explicit);
        explicit.map(|one| one.id).collect::<Vec<_>>()
    };
    let (all, of_erna) = (
        SessionQuery::default(),
        SessionQuery { principal: Some(PrincipalId::new("erna")), ..Default::default() },
    );
    assert_eq!(list(&operator(), all.clone()).await.len(), 2);
    assert_eq!(list(&operator(), of_erna.clone()).await, slice::from_ref(&hers));
    assert_eq!(list(&bert, all.clone()).await, slice::from_ref(&his.session.id));
    assert_eq!(list(&bert, of_erna).await, []);
    assert_eq!(list(&his_token, all).await, slice::from_ref(&his.session.id));
    let bad = SessionQuery { cursor: Some("x".into()), ..SessionQuery::default() };
    assert_eq!(gateway.sessions.list(&bert, &bad).await.expect_err("no cursor").code.name, "invalid_cursor");
    gateway.sessions.stop().await;
}

async fn a_bound_credential_opens_sessions_within_its_agent(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let bound = Credential { agent: Some(name("clerk")), ..agent("bert") };
    let opened = gateway.open(&bound, "cook").await.expect("opened");
    let layers: Vec<&str> = opened.session.scope.layers.iter().map(|layer| layer.agent.as_str()).collect();
    assert_eq!((opened.session.agent.as_str(), &layers[..]), ("cook", &["clerk", "cook"][..]));
    assert_eq!(opened.session.idle_seconds, 600, "the shorter of both");
    let seat =
        gateway.seat(&gateway.credential(&opened).await, &SessionRoute::Default).await.expect("a seat");
    assert_eq!(seat.agent, name("clerk"), "what is forbidden to it stays so");
    assert!(gateway.seat(&bound, &to(&opened.session.id)).await.is_ok());
    let elsewhere = Credential { agent: Some(name("default")), ..agent("bert") };
    assert_eq!(gateway.seat(&elsewhere, &to(&opened.session.id)).await, Err("unknown_session"));
    gateway.sessions.stop().await;
}

async fn a_session_within_another_scope_has_no_more_than_that(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let outer = NewSession {
        mounts: mounts(&["files"], &[]),
        policy_template: Some(PolicyTemplate::Regulated),
        ..NewSession::default()
    };
    let outer = gateway.sessions.open(&agent("erna"), outer).await.expect("opened").session;
    gateway.around.servers.lock().push(server("later"));
    let inner =
        NewSession { agent: Some(name("cook")), within: Some(outer.scope.clone()), ..NewSession::default() };
    let inner = gateway.sessions.open(&agent("bert"), inner).await.expect("opened").session;
    let reached = |name: &str| inner.scope.reaches(&server(name));
    assert!(reached("files") && !reached("bank") && !reached("later"));
    assert_eq!(inner.scope.template, Some(PolicyTemplate::Regulated));
    let agents: Vec<&str> = inner.scope.layers.iter().map(|layer| layer.agent.as_str()).collect();
    assert_eq!(agents, ["clerk", "cook"], "policy judges by the outer one");
    gateway.sessions.stop().await;
}
