//! Logins to the console.

use std::time::Duration;

use toolgate_core::{PrincipalId, Role};
use toolgate_store::{NewToken, NewTokenSpec, Store, login_label};

use crate::desk::STREAM;
use crate::world::StoreWorld;

crate::on_both!(
    a_login_ends_with_its_token,
    a_login_ends_when_its_time_is_over_or_somebody_logs_out,
    a_link_logs_the_owner_of_the_folder_in_and_only_once,
    a_link_is_no_login_and_a_login_is_no_link,
    tokens_of_ended_logins_do_not_pile_up,
);

const LONG: Duration = Duration::from_secs(60);

async fn a_login_ends_with_its_token(world: StoreWorld) {
    let store = world.open().await;
    let spec = NewTokenSpec { principal: Some("ann".into()), ..NewTokenSpec::of(Role::Approver) };
    let made = store.create_token(STREAM, spec).await.expect("created");
    let token = store.token_of_secret(&made.secret).await.expect("asked").expect("known");
    let secret = store.log_in(&token, LONG).await.expect("logged in");
    // Another gateway on the same database knows it too.
    let found = world.open().await.login(&secret).await.expect("asked").expect("is logged in");
    assert_eq!(found.credential.principal.id, PrincipalId::new("ann"));
    assert_eq!(found.credential.principal.role, Role::Approver);

    store.revoke_token(STREAM, &PrincipalId::local(), &made.id).await.expect("revoked");
    assert_eq!(store.login(&secret).await.expect("asked"), None);
    assert_eq!(store.token_of_secret(&made.secret).await.expect("asked"), None);
}

async fn a_login_ends_when_its_time_is_over_or_somebody_logs_out(world: StoreWorld) {
    let store = world.open().await;
    let made = store.create_token(STREAM, NewTokenSpec::of(Role::Admin)).await.expect("created");
    let token = store.token_of_secret(&made.secret).await.expect("asked").expect("known");
    let over = store.log_in(&token, Duration::ZERO).await.expect("logged in");
    assert_eq!(store.login(&over).await.expect("asked"), None);

    let secret = store.log_in(&token, LONG).await.expect("logged in");
    let other = store.log_in(&token, LONG).await.expect("logged in");
    store.log_out(&secret).await.expect("logged out");
    assert_eq!(store.login(&secret).await.expect("asked"), None);
    assert!(store.login(&other).await.expect("asked").is_some(), "other browsers stay logged in");
}

async fn a_link_logs_the_owner_of_the_folder_in_and_only_once(world: StoreWorld) {
    let store = world.open().await;
    let link = store.create_login_link(LONG).await.expect("made");
    let secret = store.use_login_link(&link, LONG).await.expect("asked").expect("a login");
    let found = store.login(&secret).await.expect("asked").expect("is logged in");
    assert_eq!(found.credential.principal.id, PrincipalId::local());
    assert_eq!(store.use_login_link(&link, LONG).await.expect("asked"), None);

    let late = store.create_login_link(Duration::ZERO).await.expect("made");
    assert_eq!(store.use_login_link(&late, LONG).await.expect("asked"), None);
}

async fn a_link_is_no_login_and_a_login_is_no_link(world: StoreWorld) {
    let store = world.open().await;
    let link = store.create_login_link(LONG).await.expect("made");
    assert_eq!(store.login(&link).await.expect("asked"), None);
    let secret = store.use_login_link(&link, LONG).await.expect("asked").expect("a login");
    assert_eq!(store.use_login_link(&secret, LONG).await.expect("asked"), None);
}

/// A token as a login by a provider makes one.
async fn by_provider(store: &Store, person: &str) -> NewToken {
    let spec = NewTokenSpec {
        principal: Some(person.to_owned()),
        created_by: Some(PrincipalId::new(person)),
        expires_at_ms: Some(i64::MAX),
        ..NewTokenSpec::of(Role::Approver).labelled(login_label("id.example"))
    };
    store.create_token(STREAM, spec).await.expect("created")
}

async fn tokens_of_ended_logins_do_not_pile_up(world: StoreWorld) {
    let store = world.open().await;
    let held = NewTokenSpec { principal: Some("ann".into()), ..NewTokenSpec::of(Role::Approver) };
    let held = store.create_token(STREAM, held).await.expect("created");
    let mut made = Vec::new();
    for person in ["ann", "ann", "ann", "ben", "ann"] {
        made.push(by_provider(&store, person).await);
    }
    // One after another, and all but the last are over.
    for (at, token) in made.iter().enumerate() {
        let ends = if at == 4 { i64::MAX } else { 2 };
        let set = format!(
            "UPDATE tokens SET created_at_ms = {at}, expires_at_ms = {ends} WHERE id = '{}'",
            token.id
        );
        assert_eq!(world.sql(&set).await, 1);
    }
    // The second opened a session, whose token is still there.
    let open =
        format!("UPDATE tokens SET opener = '{}', created_at_ms = 0 WHERE id = '{}'", made[1].id, held.id);
    assert_eq!(world.sql(&open).await, 1);

    let last = store.token_of_secret(&made[4].secret).await.expect("asked").expect("is live");
    let secret = store.log_in(&last, LONG).await.expect("logged in");
    assert!(store.login(&secret).await.expect("asked").is_some());
    let mut left: Vec<String> =
        store.list_tokens().await.expect("listed").into_iter().map(|token| token.id).collect();
    left.sort();
    let mut kept = [&held, &made[1], &made[3], &made[4]].map(|token| token.id.clone());
    kept.sort();
    assert_eq!(left, kept, "ben still owns his name");
}
