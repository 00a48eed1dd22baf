//! The default session of a credential.

use serde_json::json;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_sessions::SessionKind;

use crate::gateway::{SessionsGateway, agent, name, operator, to, until};
use crate::world::SessionsWorld;

crate::on_both!(
    a_credential_without_a_session_has_one_at_once_and_its_row_soon,
    default_seats_follow_the_definitions,
    a_default_session_is_the_same_in_every_process,
    a_default_session_is_idle_but_never_closed,
    a_default_session_is_recorded_when_the_store_is_back,
);

fn known(
    gateway: &SessionsGateway,
    by: &Credential,
    route: &SessionRoute,
) -> Result<SessionId, &'static str> {
    let found = gateway.sessions.seat_known(by, route).expect("no need to ask the store");
    found.map(|seat| seat.session.clone()).map_err(|refusal| refusal.code.name)
}

async fn a_credential_without_a_session_has_one_at_once_and_its_row_soon(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let erna = agent("erna");
    let id = known(&gateway, &erna, &SessionRoute::Default).expect("a seat");
    assert_eq!(known(&gateway, &erna, &SessionRoute::Agent(name("clerk"))), Ok(id.clone()));
    assert_ne!(known(&gateway, &erna, &SessionRoute::Agent(name("cook"))), Ok(id.clone()));
    assert_eq!(known(&gateway, &erna, &SessionRoute::Agent(name("nobody"))), Err("unknown_agent"));
    assert_eq!(known(&gateway, &erna, &to(&id)), Ok(id.clone()), "it can be named");
    assert_eq!(gateway.seat(&agent("bert"), &to(&id)).await, Err("unknown_session"));

    until("the rows are there", async || gateway.ledger("session.started").await.len() >= 2).await;
    let view = gateway.sessions.get(&id, &erna).await.expect("hers");
    assert_eq!(
        (view.kind, view.agent.as_str(), view.opened_by.as_str()),
        (SessionKind::Default, "clerk", "erna")
    );
    assert_eq!(view.scope.servers, None, "what comes later belongs to it");
    for _ in 0..50 {
        known(&gateway, &erna, &SessionRoute::Default).expect("a seat");
    }
    gateway.sessions.stop().await;
    let told = gateway.ledger("session.started").await;
    assert_eq!(told.iter().map(|(by, _)| &**by).collect::<Vec<_>>(), ["erna", "erna"], "once each");
}

async fn default_seats_follow_the_definitions(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let erna = agent("erna");
    let seat = async || gateway.seat(&erna, &SessionRoute::Default).await.expect("a seat");
    let before = seat().await;
    let operator = operator();
    until("its row is there", async || !gateway.ledger("session.started").await.is_empty()).await;
    gateway.around.define(&[json!({ "name": "clerk", "principals": ["erna"], "blocked": ["bank:*"] })]);
    let after = seat().await;
    assert_eq!(after.session, before.session);
    assert_ne!(after.scope_id, before.scope_id);
    let view = gateway.sessions.get(&after.session, &operator).await.expect("there");
    assert_eq!(view.scope_id, after.scope_id, "what is shown is what holds");
    gateway.around.define(&[json!({ "name": "cook", "principals": ["erna"] })]);
    assert_eq!(seat().await.agent, name("cook"));
    let bound = Credential { agent: Some(name("clerk")), ..agent("bert") };
    assert_eq!(gateway.seat(&bound, &SessionRoute::Default).await, Err("agent_undefined"));
    gateway.sessions.stop().await;
}

async fn a_default_session_is_the_same_in_every_process(world: SessionsWorld) {
    let (one, two) =
        (SessionsGateway::start(&world, "one").await, SessionsGateway::start(&world, "two").await);
    let bert = agent("bert");
    let to_cook = SessionRoute::Agent(name("cook"));
    let id = known(&one, &bert, &to_cook).expect("a seat");
    until("its row is there", async || !one.ledger("session.started").await.is_empty()).await;
    // Named by its id before any use: the store knows the owner.
    assert_eq!(two.seat(&bert, &to(&id)).await.expect("his").session, id);
    assert_eq!(two.seat(&agent("erna"), &to(&id)).await, Err("unknown_session"));
    assert_eq!(known(&two, &bert, &to_cook), Ok(id));
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
    assert_eq!(one.ledger("session.started").await.len(), 1);
}

async fn a_default_session_is_idle_but_never_closed(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let erna = agent("erna");
    let id = known(&gateway, &erna, &SessionRoute::Default).expect("a seat");
    until("its row is there", async || !gateway.ledger("session.started").await.is_empty()).await;
    world.clock.advance(301);
    assert_eq!(gateway.state(&id).await, "idle");
    assert_eq!(known(&gateway, &erna, &SessionRoute::Default), Ok(id.clone()));
    assert_eq!(gateway.state(&id).await, "active");
    world.clock.advance(1_000_000);
    // Another session that is closed shows that the task has run.
    let other = gateway.open(&erna, "clerk").await.expect("opened");
    world.clock.advance(1_000_000);
    until("somebody looked", async || gateway.state(&other.session.id).await == "closed").await;
    assert_eq!(gateway.state(&id).await, "idle");
    assert_eq!(
        gateway.sessions.close(&id, &erna).await.expect_err("it cannot be").code.name,
        "default_session"
    );
    let changed = gateway.sessions.change_mounts(&id, &operator(), Default::default(), None).await;
    assert_eq!(changed.expect_err("it cannot be").code.name, "default_session");
    assert_eq!(known(&gateway, &erna, &SessionRoute::Default), Ok(id));
    gateway.sessions.stop().await;
}

async fn a_default_session_is_recorded_when_the_store_is_back(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    gateway.store.fail_from_nth(1);
    let id = known(&gateway, &agent("erna"), &SessionRoute::Default).expect("a seat all the same");
    until("it was tried", async || !gateway.store.is_fault_to_come()).await;
    gateway.store.fail_never();
    until("its row is there", async || !gateway.ledger("session.started").await.is_empty()).await;
    assert_eq!(gateway.state(&id).await, "active");
    gateway.sessions.stop().await;
}
