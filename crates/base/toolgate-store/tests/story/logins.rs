//! Logins to the console.

use std::time::Duration;

use toolgate_core::{PrincipalId, Role};
use toolgate_store::NewTokenSpec;

use crate::desk::STREAM;
use crate::world::StoreWorld;

crate::on_both!(
    a_login_ends_with_its_token,
    a_login_ends_when_its_time_is_over_or_somebody_logs_out,
    a_link_logs_the_owner_of_the_folder_in_and_only_once,
    a_link_is_no_login_and_a_login_is_no_link,
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
