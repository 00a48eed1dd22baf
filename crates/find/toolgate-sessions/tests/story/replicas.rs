//! Several gateways on one database.

use std::time::{Duration, Instant};

use toolgate_core::scope::SessionRoute;

use crate::gateway::{SessionsGateway, agent, mounts, to, until};
use crate::world::SessionsWorld;

crate::on_both!(
    what_one_opens_the_other_seats,
    what_one_closes_is_closed_on_the_other_within_a_second,
    what_one_changes_the_other_follows,
    many_that_end_at_once_end_everywhere,
    while_the_store_is_away_what_is_known_goes_on,
);

async fn both(world: &SessionsWorld) -> (SessionsGateway, SessionsGateway) {
    (SessionsGateway::start(world, "one").await, SessionsGateway::start(world, "two").await)
}

async fn what_one_opens_the_other_seats(world: SessionsWorld) {
    let (one, two) = both(&world).await;
    let opened = one.open(&agent("erna"), "clerk").await.expect("opened");
    let token = two.credential(&opened).await;
    assert!(two.sessions.seat_known(&token, &SessionRoute::Default).is_none(), "it has to ask");
    let seat = two.seat(&token, &SessionRoute::Default).await.expect("a seat");
    assert_eq!(seat.scope_id, opened.session.scope_id);
    assert!(two.sessions.seat_known(&token, &SessionRoute::Default).is_some(), "once");
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
}

async fn what_one_closes_is_closed_on_the_other_within_a_second(world: SessionsWorld) {
    let (one, two) = both(&world).await;
    let erna = agent("erna");
    let opened = one.open(&erna, "clerk").await.expect("opened");
    let route = to(&opened.session.id);
    two.seat(&erna, &route).await.expect("a seat");
    one.sessions.close(&opened.session.id, &erna).await.expect("closed");
    let began = Instant::now();
    until("it is closed there", async || two.seat(&erna, &route).await == Err("session_closed")).await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
}

async fn what_one_changes_the_other_follows(world: SessionsWorld) {
    let (one, two) = both(&world).await;
    let erna = agent("erna");
    let opened = one.open(&erna, "clerk").await.expect("opened");
    let route = to(&opened.session.id);
    two.seat(&erna, &route).await.expect("a seat");
    let changed = one.sessions.change_mounts(&opened.session.id, &erna, mounts(&["bank"], &[]), None).await;
    let changed = changed.expect("changed");
    until("it is followed", async || {
        two.seat(&erna, &route).await.expect("a seat").scope_id == changed.scope_id
    })
    .await;
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
}

async fn many_that_end_at_once_end_everywhere(world: SessionsWorld) {
    // More than are closed in one transaction.
    const MANY: usize = 130;
    let (one, two) = both(&world).await;
    let bert = agent("bert");
    let mut ids = Vec::new();
    for _ in 0..MANY {
        ids.push(one.open(&bert, "cook").await.expect("opened").session.id);
    }
    for id in &ids {
        two.seat(&bert, &to(id)).await.expect("a seat");
    }
    world.clock.advance(3 * 24 * 3600);
    until("all are closed", async || one.ledger("session.closed").await.len() == MANY).await;
    for id in &ids {
        until("it is closed there", async || two.seat(&bert, &to(id)).await == Err("session_closed")).await;
    }
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
}

async fn while_the_store_is_away_what_is_known_goes_on(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    let erna = agent("erna");
    let [known, unknown] = [
        gateway.open(&erna, "clerk").await.expect("opened").session.id,
        gateway.open(&erna, "clerk").await.expect("opened").session.id,
    ];
    gateway.seat(&erna, &to(&known)).await.expect("a seat");
    gateway.store.fail_from_nth(1);
    until("the store is away", async || gateway.seat(&erna, &to(&unknown)).await == Err("store_down")).await;
    gateway.seat(&erna, &to(&known)).await.expect("a seat all the same");
    assert_eq!(gateway.open(&erna, "clerk").await.expect_err("cannot be kept").code.name, "store_down");
    gateway.store.fail_never();
    gateway.seat(&erna, &to(&unknown)).await.expect("the store is back");
    gateway.sessions.stop().await;
}
