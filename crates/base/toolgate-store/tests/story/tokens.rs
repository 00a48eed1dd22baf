//! Tokens and their validity.

use std::time::Duration;

use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, PrincipalId, PrincipalKind, Role};
use toolgate_store::{NewTokenSpec, Store, StoreError, TokenState};

use crate::desk::{STREAM, kinds};
use crate::world::{StoreWorld, within, within_a_second};

crate::on_both!(
    a_token_opens_the_door_until_it_is_revoked,
    the_cache_answers_without_waiting,
    what_has_not_the_form_of_a_token_is_refused_at_once,
    what_another_process_does_takes_effect_within_a_second,
    a_token_is_found_by_label_or_by_the_beginning_of_its_id,
    the_first_start_makes_one_token_of_each_role_and_only_the_first,
    the_first_start_makes_what_was_not_made_before_it,
    a_token_says_whose_it_is_and_which_groups_they_are_in,
    a_token_may_be_bound_to_an_agent,
    a_server_has_a_token_of_its_own_name,
    a_token_that_would_be_mistaken_for_another_is_not_made,
    while_the_database_is_away_the_last_yes_holds_for_a_while,
    a_token_lets_nobody_in_once_its_time_is_over,
    a_token_says_who_made_it_and_when_it_was_last_used,
    a_token_is_made_and_revoked_together_with_its_event,
);

async fn who(store: &Store, secret: &str) -> Principal {
    let credential = store.verify(secret).await.expect("asked").expect("known");
    assert_eq!((&credential.agent, &credential.session), (&None, &None));
    credential.principal
}

async fn a_token_opens_the_door_until_it_is_revoked(world: StoreWorld) {
    let store = world.open().await;
    let token =
        store.create_token(STREAM, NewTokenSpec::of(Role::Agent).labelled("laptop")).await.expect("created");
    assert!(token.id.starts_with("tok_") && token.secret.starts_with("tg_agent_"), "{token:?}");
    assert_eq!(token.secret.len(), "tg_agent_".len() + 43);

    let principal = who(&store, &token.secret).await;
    assert_eq!(principal.id, PrincipalId::new(&token.id));
    assert_eq!(principal.role, Role::Agent);

    let revoked = store.revoke_token(STREAM, &PrincipalId::local(), &token.id).await.expect("revoked");
    assert!(revoked.revoked_at_ms.is_some());
    assert_eq!(store.verify(&token.secret).await.expect("asked"), None);
    let listed = store.list_tokens().await.expect("listed");
    assert_eq!((listed.len(), &listed[0].id, listed[0].revoked_at_ms), (1, &token.id, revoked.revoked_at_ms));
    assert_eq!(
        store.revoke_token(STREAM, &PrincipalId::local(), &token.id).await.expect("again").revoked_at_ms,
        revoked.revoked_at_ms
    );
}

async fn the_cache_answers_without_waiting(world: StoreWorld) {
    let store = world.open().await;
    let token = store.create_token(STREAM, NewTokenSpec::of(Role::Admin)).await.expect("created");
    assert_eq!(store.check_cached(&token.secret), None);
    let principal = store.verify(&token.secret).await.expect("asked");
    assert_eq!(store.check_cached(&token.secret), Some(principal));

    let wrong = format!("tg_admin_{}", "x".repeat(43));
    assert_eq!(store.check_cached(&wrong), None);
    assert_eq!(store.verify(&wrong).await.expect("asked"), None);
    assert_eq!(store.check_cached(&wrong), Some(None));
}

async fn what_has_not_the_form_of_a_token_is_refused_at_once(world: StoreWorld) {
    let store = world.open().await;
    for garbage in ["", "tg_", "tg_agent_", "tg_root_xxx", "Bearer x", "tg_agent_short", "\u{1F600}"] {
        assert_eq!(store.check_cached(garbage), Some(None), "{garbage:?}");
        assert_eq!(store.verify(garbage).await.expect("asked"), None, "{garbage:?}");
    }
}

async fn what_another_process_does_takes_effect_within_a_second(world: StoreWorld) {
    let (gateway, cli) = (world.open().await, world.open().await);
    let token = cli.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    let accepted = async || gateway.verify(&token.secret).await.expect("asked").is_some();
    within_a_second("a new token", accepted).await;
    assert!(gateway.check_cached(&token.secret).is_some());
    cli.revoke_token(STREAM, &PrincipalId::local(), &token.id).await.expect("revoked");
    within_a_second("a revoked token", async || !accepted().await).await;
}

async fn a_token_is_found_by_label_or_by_the_beginning_of_its_id(world: StoreWorld) {
    let store = world.open().await;
    let first =
        store.create_token(STREAM, NewTokenSpec::of(Role::Agent).labelled("laptop")).await.expect("created");
    let second =
        store.create_token(STREAM, NewTokenSpec::of(Role::Agent).labelled("laptop")).await.expect("created");
    let third =
        store.create_token(STREAM, NewTokenSpec::of(Role::Agent).labelled("server")).await.expect("created");

    let ambiguous =
        store.revoke_token(STREAM, &PrincipalId::local(), "laptop").await.expect_err("two have this label");
    assert_eq!(ambiguous.to_string(), format!("\"laptop\" fits several tokens: {}, {}", first.id, second.id));
    let ambiguous =
        store.revoke_token(STREAM, &PrincipalId::local(), "tok_0").await.expect_err("all ids begin so");
    assert!(matches!(ambiguous, StoreError::TokenAmbiguous { ids, .. } if ids.len() == 3));
    for unknown in ["desktop", "tok_", "", "tok_zzz", &third.secret] {
        let error =
            store.revoke_token(STREAM, &PrincipalId::local(), unknown).await.expect_err("no such token");
        assert!(matches!(error, StoreError::TokenUnknown { .. }), "{unknown:?}: {error}");
    }

    store
        .revoke_token(STREAM, &PrincipalId::local(), &first.id[..first.id.len() - 1])
        .await
        .expect("unique but for its last digit");
    assert_eq!(
        store.revoke_token(STREAM, &PrincipalId::local(), "laptop").await.expect("one is left").id,
        second.id
    );
    assert_eq!(
        store.revoke_token(STREAM, &PrincipalId::local(), "server").await.expect("by label").id,
        third.id
    );
}

async fn the_first_start_makes_one_token_of_each_role_and_only_the_first(world: StoreWorld) {
    let stores = [world.open().await, world.open().await, world.open().await];
    let mut made = Vec::new();
    for start in
        stores.clone().map(|store| tokio::spawn(async move { store.first_start_tokens(STREAM).await }))
    {
        made.extend(start.await.expect("no panic").expect("no error"));
    }
    let mut roles: Vec<_> = made.iter().map(|token| token.role.as_str()).collect();
    roles.sort_unstable();
    assert_eq!(roles, ["admin", "agent"]);
    for token in &made {
        assert!(stores[2].verify(&token.secret).await.expect("asked").is_some());
        stores[0].revoke_token(STREAM, &PrincipalId::local(), &token.id).await.expect("revoked");
    }
    assert_eq!(stores[1].first_start_tokens(STREAM).await.expect("asked"), []);
}

async fn the_first_start_makes_what_was_not_made_before_it(world: StoreWorld) {
    let store = world.open().await;
    let early = store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    store.revoke_token(STREAM, &PrincipalId::local(), &early.id).await.expect("revoked");
    let made = store.first_start_tokens(STREAM).await.expect("asked");
    assert_eq!(made.iter().map(|token| token.role).collect::<Vec<_>>(), [Role::Admin]);
}

#[tokio::test]
async fn no_secret_is_stored_in_clear() {
    let world = StoreWorld::sqlite();
    let store = world.open().await;
    let [one, other] = &store.first_start_tokens(STREAM).await.expect("asked")[..] else {
        panic!("a new folder")
    };
    let label = store
        .create_token(STREAM, NewTokenSpec::of(Role::Agent).labelled("findable label"))
        .await
        .expect("created");
    let mut files = 0;
    let mut found_label = false;
    for entry in std::fs::read_dir(world.folder()).expect("listed") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("read");
        files += 1;
        found_label |= contains(&bytes, b"findable label");
        for token in [one, other, &label] {
            let random =
                token.secret.rsplit_once("nt_").or(token.secret.rsplit_once("in_")).expect("a secret").1;
            assert!(!contains(&bytes, random.as_bytes()));
        }
        assert!(!contains(&bytes, b"tg_agent_") && !contains(&bytes, b"tg_admin_"));
    }
    assert!(files >= 2 && found_label, "the search itself works");
    assert!(!format!("{one:?}").contains(&one.secret));
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

async fn a_token_says_whose_it_is_and_which_groups_they_are_in(world: StoreWorld) {
    let store = world.open().await;
    let spec = NewTokenSpec {
        role: Role::Approver,
        label: Some("phone".into()),
        principal: Some("alice".into()),
        kind: None,
        groups: vec!["finance".into(), "it \"ops\"".into()],
        agent: None,
        expires_at_ms: None,
        created_by: None,
    };
    let token = store.create_token(STREAM, spec.clone()).await.expect("created");
    let principal = who(&store, &token.secret).await;
    assert_eq!((&principal.id, principal.kind), (&PrincipalId::new("alice"), PrincipalKind::Human));
    assert_eq!(*principal.groups, *spec.groups);
    let other = NewTokenSpec { kind: Some(PrincipalKind::Service), role: Role::Admin, ..spec.clone() };
    let other = store.create_token(STREAM, other).await.expect("a second token of the same principal");
    let same = who(&store, &other.secret).await;
    assert_eq!((same.id, same.kind), (principal.id, PrincipalKind::Service));
    let agent = store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    let agent = who(&store, &agent.secret).await;
    assert_eq!((agent.kind, agent.groups.len()), (PrincipalKind::Agent, 0));

    let listed = store.list_tokens().await.expect("listed");
    assert_eq!((listed[0].principal.as_deref(), listed[0].kind), (Some("alice"), PrincipalKind::Human));
    assert_eq!(listed[0].groups, spec.groups);
    assert_eq!(listed[2].principal, None);
}

async fn a_token_may_be_bound_to_an_agent(world: StoreWorld) {
    let store = world.open().await;
    let agent = AgentName::new("clerk").ok();
    let bound = |role| NewTokenSpec { agent: agent.clone(), ..NewTokenSpec::of(role) };
    for role in [Role::Auditor, Role::Approver, Role::Server] {
        let error = store.create_token(STREAM, bound(role)).await.expect_err("calls no tools");
        assert!(matches!(error, StoreError::TokenSpec { .. }), "{error}");
    }
    let token = store.create_token(STREAM, bound(Role::Agent)).await.expect("created");
    let credential = store.verify(&token.secret).await.expect("asked").expect("known");
    assert_eq!((&credential.agent, &credential.session), (&agent, &None));
    assert_eq!(store.check_cached(&token.secret), Some(Some(credential)));
    assert_eq!(store.list_tokens().await.expect("listed")[0].agent, agent);
    // A value written directly into the database that is not an agent name makes the token invalid.
    world.sql("UPDATE tokens SET agent = 'no agent'").await;
    assert!(world.open().await.verify(&token.secret).await.is_err());
}

async fn a_server_has_a_token_of_its_own_name(world: StoreWorld) {
    let store = world.open().await;
    let named = |principal: Option<&str>| NewTokenSpec {
        principal: principal.map(Into::into),
        ..NewTokenSpec::of(Role::Server)
    };
    for bad in [None, Some("a:b"), Some("a b"), Some("gateway")] {
        let error = store.create_token(STREAM, named(bad)).await.expect_err("refused");
        assert!(matches!(error, StoreError::TokenSpec { .. }), "{bad:?}: {error}");
    }
    let token = store.create_token(STREAM, named(Some("files"))).await.expect("created");
    assert!(token.secret.starts_with("tg_server_"));
    let principal = who(&store, &token.secret).await;
    assert_eq!((principal.id, principal.role), (PrincipalId::new("files"), Role::Server));
    assert_eq!(principal.kind, PrincipalKind::Service);
}

async fn a_token_that_would_be_mistaken_for_another_is_not_made(world: StoreWorld) {
    let store = world.open().await;
    let with =
        |principal: &str| NewTokenSpec { principal: Some(principal.into()), ..NewTokenSpec::of(Role::Agent) };
    let long = "x".repeat(257);
    for bad in ["gateway", "local", "stdio", "tok_1", "", "a\nb", "\0", &long] {
        let error = store.create_token(STREAM, with(bad)).await.expect_err("refused");
        assert!(matches!(error, StoreError::TokenSpec { .. }), "{bad:?}: {error}");
    }
    let group = NewTokenSpec { groups: vec![String::new()], ..NewTokenSpec::of(Role::Agent) };
    assert!(store.create_token(STREAM, group).await.is_err());
    assert_eq!(store.list_tokens().await.expect("listed"), []);
}

async fn while_the_database_is_away_the_last_yes_holds_for_a_while(world: StoreWorld) {
    const AGE: Duration = Duration::from_secs(60);
    let store = world.open().await;
    let token = store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    let never_seen = store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    let wrong = format!("tg_agent_{}", "x".repeat(43));
    let known = store.verify_or_last_known(&token.secret, AGE).await.expect("asked");
    assert!(known.is_some());
    store.fail_from_nth(1);
    // The cache still answers for a moment; an outage shows once it is empty.
    let gone =
        async || store.verify(&token.secret).await.is_err() && store.verify(&token.secret).await.is_err();
    within(Duration::from_secs(10), "the outage", gone).await;
    assert_eq!(store.verify_or_last_known(&token.secret, AGE).await.expect("the last yes"), known);
    assert!(store.verify_or_last_known(&token.secret, Duration::ZERO).await.is_err(), "but not for ever");
    assert!(store.verify_or_last_known(&never_seen.secret, AGE).await.is_err(), "nobody knows");
    assert!(store.verify_or_last_known(&wrong, AGE).await.is_err(), "nobody knows");
    assert_eq!(store.verify_or_last_known("garbage", AGE).await.expect("no question"), None);
    store.fail_never();
    store.revoke_token(STREAM, &PrincipalId::local(), &token.id).await.expect("revoked");
    assert_eq!(store.verify_or_last_known(&token.secret, AGE).await.expect("asked"), None);
}

async fn a_token_lets_nobody_in_once_its_time_is_over(world: StoreWorld) {
    let store = world.open().await;
    let now =
        || i64::try_from(std::time::UNIX_EPOCH.elapsed().expect("it is later").as_millis()).expect("soon");
    let ending =
        |expires_at_ms| NewTokenSpec { expires_at_ms: Some(expires_at_ms), ..NewTokenSpec::of(Role::Admin) };
    let long = store.create_token(STREAM, ending(now() + 3_600_000)).await.expect("created");
    let short = store.create_token(STREAM, ending(now() + 1_500)).await.expect("created");
    assert!(store.verify(&long.secret).await.expect("asked").is_some());
    // It may have been slow here; in the end it is refused, although it was not revoked.
    let over = async || store.verify(&short.secret).await.is_ok_and(|known| known.is_none());
    within(Duration::from_secs(30), "the end of its time", over).await;
    assert_eq!(store.token_of_secret(&short.secret).await.expect("asked"), None);
    assert!(store.verify(&long.secret).await.expect("asked").is_some());
    let listed = store.list_tokens().await.expect("listed");
    let states: Vec<TokenState> = listed.iter().map(|token| token.state(now())).collect();
    assert_eq!(states, [TokenState::Live, TokenState::Expired]);
    assert!(store.create_token(STREAM, ending(now())).await.is_err(), "one that was never of use");
}

async fn a_token_says_who_made_it_and_when_it_was_last_used(world: StoreWorld) {
    let store = world.open().await;
    let spec = NewTokenSpec { created_by: Some(PrincipalId::new("ann")), ..NewTokenSpec::of(Role::Agent) };
    let token = store.create_token(STREAM, spec).await.expect("created");
    let only = async || store.list_tokens().await.expect("listed").remove(0);
    let made = only().await;
    assert_eq!((made.created_by.as_deref(), made.used_at_ms), (Some("ann"), None));
    assert!(store.verify(&token.secret).await.expect("asked").is_some());
    let used = async || only().await.used_at_ms.is_some_and(|used_at_ms| used_at_ms >= made.created_at_ms);
    within(Duration::from_secs(30), "its use", used).await;
}

async fn a_token_is_made_and_revoked_together_with_its_event(world: StoreWorld) {
    /// More operations than making or revoking a token has.
    const OPERATIONS_MAX: u64 = 30;
    for n in 1..OPERATIONS_MAX {
        let store = world.open().await;
        store.fail_nth(n);
        if let Ok(token) = store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await {
            drop(store.revoke_token(STREAM, &PrincipalId::local(), &token.id).await);
        }
        let clean = store.is_fault_to_come();
        store.fail_never();
        // If the answer to a commit is lost, the commit may have taken effect, and then with its event.
        let told = kinds(&store).await;
        let count = |kind: &str| told.iter().filter(|one| **one == kind).count();
        let tokens = store.list_tokens().await.expect("listed");
        let revoked = tokens.iter().filter(|token| token.revoked_at_ms.is_some()).count();
        assert_eq!(
            (tokens.len(), revoked),
            (count("token.created"), count("token.revoked")),
            "operation {n}"
        );
        if clean {
            assert!(n > 5, "the failures were real: {n}");
            return;
        }
    }
    panic!("the story has no end");
}
