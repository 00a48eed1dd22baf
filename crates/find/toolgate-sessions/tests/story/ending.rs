//! The ends of sessions.

use toolgate_core::scope::SessionRoute;
use toolgate_core::{PrincipalId, Role};
use toolgate_sessions::{RefusalKind, SessionQuery, SessionState};

use crate::gateway::{SessionsGateway, agent, name, operator, to, until};
use crate::world::SessionsWorld;

crate::on_both!(
    a_session_that_is_closed_while_it_is_used_ends,
    closing_twice_changes_nothing,
    no_more_sessions_are_open_than_the_agent_may_have,
    what_nobody_uses_is_closed_and_what_is_used_is_not,
    a_restart_does_not_count_as_idleness,
    what_is_too_old_is_closed_however_much_it_is_used,
    idle_and_active_sessions_are_told_apart,
);

async fn a_session_that_is_closed_while_it_is_used_ends(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let erna = agent("erna");
    let opened = gateway.open(&erna, "clerk").await.expect("opened");
    let token = gateway.credential(&opened).await;
    let id = &opened.session.id;
    gateway.seat(&token, &SessionRoute::Default).await.expect("a seat");
    let using = {
        let (sessions, token) = (gateway.sessions.clone(), token.clone());
        tokio::spawn(async move {
            loop {
                if let Err(refusal) = sessions.seat(&token, &SessionRoute::Default).await {
                    return refusal;
                }
                tokio::task::yield_now().await;
            }
        })
    };
    let view = gateway.sessions.close(id, &token).await.expect("by itself");
    assert_eq!(view.closing.expect("closed").reason, "closed");
    let refused = using.await.expect("no panic");
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Gone, "session_closed"));
    assert_eq!(gateway.store.verify(&opened.token).await.expect("asked"), None, "its token is none any more");
    assert_eq!(gateway.seat(&erna, &to(id)).await, Err("session_closed"));
    assert_eq!(
        gateway.seat(&agent("bert"), &to(id)).await,
        Err("unknown_session"),
        "that is nobody's business"
    );
    gateway.sessions.stop().await;
    // A restart does not open it again.
    let again = SessionsGateway::start(&world, "two").await;
    assert_eq!(again.seat(&token, &SessionRoute::Default).await, Err("session_closed"));
    again.sessions.stop().await;
}

async fn closing_twice_changes_nothing(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let id = gateway.open(&agent("erna"), "clerk").await.expect("opened").session.id;
    let first = gateway.sessions.close(&id, &operator()).await.expect("closed");
    world.clock.advance(10);
    let second = gateway.sessions.close(&id, &agent("erna")).await.expect("closed");
    assert_eq!(first, second);
    let told = gateway.ledger("session.closed").await;
    assert_eq!(told.iter().map(|(by, _)| &**by).collect::<Vec<_>>(), ["olga"]);
    let auditor = toolgate_core::Principal::new(PrincipalId::new("otto"), Role::Auditor);
    let auditor = toolgate_core::scope::Credential::of(auditor);
    assert!(gateway.sessions.get(&id, &auditor).await.is_ok());
    assert_eq!(gateway.sessions.close(&id, &auditor).await.expect_err("reads only").code.name, "not_allowed");
    gateway.sessions.stop().await;
}

async fn no_more_sessions_are_open_than_the_agent_may_have(world: SessionsWorld) {
    let (one, two) =
        (SessionsGateway::start(&world, "one").await, SessionsGateway::start(&world, "two").await);
    let opening = |number: usize| {
        let sessions = if number.is_multiple_of(2) { &one.sessions } else { &two.sessions }.clone();
        tokio::spawn(async move { sessions.open(&agent("erna"), Default::default()).await })
    };
    let (mut opened, mut refused) = (Vec::new(), 0);
    for opening in (0..12).map(opening).collect::<Vec<_>>() {
        match opening.await.expect("no panic") {
            Ok(one) => opened.push(one.session.id),
            Err(refusal) => {
                assert_eq!((refusal.kind, refusal.code.name), (RefusalKind::TooMany, "too_many_sessions"));
                refused += 1;
            }
        }
    }
    assert_eq!((opened.len(), refused), (5, 7));
    assert!(one.open(&operator(), "cook").await.is_ok(), "others have room of their own");
    two.sessions.close(&opened[0], &agent("erna")).await.expect("closed");
    assert!(one.open(&agent("erna"), "clerk").await.is_ok());
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
}

async fn what_nobody_uses_is_closed_and_what_is_used_is_not(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let (idle, used) = (
        gateway.open(&agent("erna"), "clerk").await.expect("opened"),
        gateway.open(&agent("erna"), "clerk").await.expect("opened"),
    );
    let token = gateway.credential(&used).await;
    for _ in 0..3 {
        world.clock.advance(300);
        gateway.seat(&token, &SessionRoute::Default).await.expect("in use");
        until("its use is written", async || {
            let view = gateway.sessions.get(&used.session.id, &operator()).await.expect("there");
            view.last_used_at_ms >= used.session.created_at_ms && view.state == SessionState::Active
        })
        .await;
    }
    until("the idle one is closed", async || gateway.state(&idle.session.id).await == "closed").await;
    assert_eq!(gateway.state(&used.session.id).await, "active");
    let told = gateway.ledger("session.closed").await;
    assert_eq!(told.len(), 1);
    assert_eq!((&*told[0].0, &told[0].1["reason"]), ("gateway", &serde_json::json!("idle")));
    assert_eq!(gateway.store.verify(&idle.token).await.expect("asked"), None);
    gateway.sessions.stop().await;
}

async fn a_restart_does_not_count_as_idleness(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let opened = gateway.open(&agent("erna"), "clerk").await.expect("opened");
    let token = gateway.credential(&opened).await;
    world.clock.advance(100);
    gateway.seat(&token, &SessionRoute::Default).await.expect("in use");
    gateway.sessions.stop().await;
    let stored = gateway.store.get_session(&opened.session.id).await.expect("read").expect("is there");
    assert_eq!(stored.last_used_at_ms, opened.session.created_at_ms + 100_000, "written at the end");
    world.clock.advance(100_000);
    let again = SessionsGateway::start(&world, "two").await;
    // A session that is closed at once shows that the task has run.
    let marker = again.open(&agent("bert"), "cook").await.expect("opened");
    again.around.define(&[]);
    world.clock.advance(599);
    let old = serde_json::json!({ "name": "brief", "limits": { "lifetime_seconds": 1, "idle_seconds": 1_000_000 } });
    again.around.define(&[old]);
    let brief = again.open(&operator(), "brief").await.expect("opened");
    world.clock.advance(1);
    until("somebody looked", async || again.state(&brief.session.id).await == "closed").await;
    assert_eq!(again.state(&opened.session.id).await, "idle", "it had no chance to be used");
    assert_eq!(
        again.seat(&token, &SessionRoute::Default).await.expect("still good").session,
        opened.session.id
    );
    world.clock.advance(700);
    until("it is closed", async || again.state(&opened.session.id).await == "closed").await;
    assert_eq!(again.state(&marker.session.id).await, "idle", "this one has a day");
    again.sessions.stop().await;
}

async fn what_is_too_old_is_closed_however_much_it_is_used(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    gateway.around.define(&[serde_json::json!({ "name": "brief", "limits": { "lifetime_seconds": 60 } })]);
    let opened = gateway.open(&operator(), "brief").await.expect("opened");
    let token = gateway.credential(&opened).await;
    world.clock.advance(59);
    assert!(gateway.seat(&token, &SessionRoute::Default).await.is_ok());
    world.clock.advance(1);
    until("it is over", async || gateway.seat(&token, &SessionRoute::Default).await.is_err()).await;
    assert_eq!(gateway.ledger("session.closed").await[0].1["reason"], "lifetime");
    gateway.sessions.stop().await;
}

async fn idle_and_active_sessions_are_told_apart(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let idle = gateway.open(&operator(), "cook").await.expect("opened").session.id;
    world.clock.advance(301);
    let active = gateway.open(&operator(), "cook").await.expect("opened").session.id;
    let closed = gateway.open(&operator(), "cook").await.expect("opened").session.id;
    gateway.sessions.close(&closed, &operator()).await.expect("closed");
    for (state, expected) in
        [(SessionState::Idle, idle), (SessionState::Active, active), (SessionState::Closed, closed)]
    {
        let query =
            SessionQuery { state: Some(state), agent: Some(name("cook")), limit: 10, ..Default::default() };
        let page = gateway.sessions.list(&operator(), &query).await.expect("listed");
        let found: Vec<_> = page.sessions.iter().map(|one| (one.id.clone(), one.state)).collect();
        assert_eq!(found, [(expected, state)]);
    }
    gateway.sessions.stop().await;
}
