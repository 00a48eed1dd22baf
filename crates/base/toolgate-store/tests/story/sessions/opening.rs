//! Opening sessions and changing them.

use std::sync::Arc;

use toolgate_core::event::EventKind;
use toolgate_core::id::TokenId;
use toolgate_core::scope::{Credential, Scope};
use toolgate_core::{Principal, PrincipalId, Role};
use toolgate_store::{Books, ChangeSessionError, NewSessionError, SessionKind, Store, StoredSession};

use super::{close, count_of, event, id, mounts, no_more_than, open, read, replicas, revision, session};
use crate::desk::STREAM;
use crate::world::StoreWorld;

crate::on_both!(
    a_session_comes_back_as_it_was_opened,
    the_token_of_a_session_stands_for_it,
    no_more_sessions_are_open_than_allowed_whoever_asks,
    a_default_session_is_kept_once,
    what_a_session_may_touch_is_changed_only_by_who_saw_it_last,
    a_session_is_opened_with_its_token_and_event_or_not_at_all,
);

async fn a_session_comes_back_as_it_was_opened(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let whole = session("whole");
    let bare = StoredSession {
        id: id("bare"),
        task: None,
        run: None,
        lifetime_seconds: None,
        idle_seconds: u64::MAX,
        ..session("bare")
    };
    for session in [&whole, &bare] {
        open(&one, session).await.expect("opened");
    }
    let other = world.open().await;
    assert_eq!(read(&other, &whole.id).await, whole);
    let stored = read(&other, &bare.id).await;
    assert!(stored.idle_seconds > 3_000_000_000, "for ever, more or less");
    assert_eq!(StoredSession { idle_seconds: u64::MAX, ..stored }, bare);
    assert_eq!(store.get_session(&id("never")).await.expect("read"), None);
    assert_eq!(store.get_session(&id("\0")).await.expect("read"), None);
    assert_eq!((count_of(&store, EventKind::SessionStarted).await, revision(&store).await), (2, 2));
}

async fn the_token_of_a_session_stands_for_it(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let opened = session("one");
    let token = open(&one, &opened).await.expect("opened");
    assert!(token.secret.starts_with("tg_agent_"));
    let Principal { id, kind, groups, .. } = opened.principal.clone();
    let principal = Principal { id, kind, role: Role::Agent, groups };
    let expected = Credential {
        principal,
        agent: None,
        session: Some(opened.id.clone()),
        token: Some(TokenId::new(token.id.as_str())),
    };
    for store in [&store, two.store()] {
        assert_eq!(store.verify(&token.secret).await.expect("asked").as_ref(), Some(&expected));
    }
    assert_eq!(store.list_tokens().await.expect("listed"), [], "sessions are listed as sessions");
    let [listed] = &store.list_session_tokens(&opened.id).await.expect("listed")[..] else { panic!("one") };
    assert_eq!((&listed.id, listed.session.as_ref()), (&token.id, Some(&opened.id)));
    assert!(
        store.revoke_token(STREAM, &PrincipalId::local(), &token.id).await.is_err(),
        "it ends with its session"
    );
    assert_eq!(store.first_start_tokens(STREAM).await.expect("asked").len(), 2, "it is nobody's first token");
}

async fn no_more_sessions_are_open_than_allowed_whoever_asks(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let opening = |number: u32| {
        let books = if number.is_multiple_of(2) { one.clone() } else { two.clone() };
        tokio::spawn(async move {
            let new = session(&number.to_string());
            let told = vec![event(EventKind::SessionStarted, &new.id)];
            books.create_session(&new, None, &no_more_than(3), told).await
        })
    };
    let mut opened = 0;
    for opening in (0..12).map(opening).collect::<Vec<_>>() {
        match opening.await.expect("no panic") {
            Ok(_) => opened += 1,
            Err(NewSessionError::TooMany { max }) => assert_eq!(max, 3),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(opened, 3);
    assert_eq!(store.count_open_sessions(&session("").agent).await.expect("counted"), 3);
    assert_eq!(count_of(&store, EventKind::SessionStarted).await, 3);
    let (sessions, _) = store.list_sessions(&Default::default(), None, 10).await.expect("listed");
    close(&two, &sessions[0].id).await;
    let another = one.create_session(&session("another"), None, &no_more_than(3), Vec::new()).await;
    assert!(another.is_ok(), "there is room again");
}

async fn a_default_session_is_kept_once(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let kept = StoredSession { kind: SessionKind::Default, ..session("default") };
    let keep = |books: Books| {
        let told = vec![event(EventKind::SessionStarted, &kept.id)];
        let kept = kept.clone();
        async move { books.keep_default_session(&kept, told).await.expect("kept") }
    };
    let (first, second) = tokio::join!(keep(one.clone()), keep(two.clone()));
    assert!(first != second, "one of them was first");
    assert!(!keep(one.clone()).await);
    assert_eq!(read(&store, &kept.id).await, kept);
    assert_eq!(count_of(&store, EventKind::SessionStarted).await, 1);
    assert_eq!(store.count_open_sessions(&kept.agent).await.expect("counted"), 0, "nobody opened it");
    assert_eq!(revision(&store).await, 0, "nobody needs to know");
}

async fn what_a_session_may_touch_is_changed_only_by_who_saw_it_last(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let opened = session("one");
    open(&one, &opened).await.expect("opened");
    let scope = Scope { mounts: mounts(&["slack", "calendar"]), ..Scope::clone(&opened.scope) };
    let change = async |books: &Books, expected: Option<u64>| {
        let told = |_| vec![event(EventKind::SessionChanged, &opened.id)];
        books.change_session(&opened.id, expected, &mounts(&["calendar"]), &scope, told).await
    };
    assert_eq!(change(&two, Some(1)).await.expect("changed"), 2);
    assert!(matches!(change(&one, Some(1)).await, Err(ChangeSessionError::Stale { current: 2 })));
    assert_eq!(change(&one, None).await.expect("changed"), 3);
    let (left, right) = tokio::join!(change(&one, Some(3)), change(&two, Some(3)));
    assert!(left.is_ok() != right.is_ok(), "{left:?} {right:?}");
    let stored = read(&store, &opened.id).await;
    let expected = StoredSession {
        mounts: mounts(&["calendar"]),
        scope: Arc::new(scope.clone()),
        row_version: 4,
        ..opened.clone()
    };
    assert_eq!(stored, expected);
    assert_eq!((count_of(&store, EventKind::SessionChanged).await, revision(&store).await), (3, 4));
    close(&one, &opened.id).await;
    assert!(matches!(change(&one, None).await, Err(ChangeSessionError::Closed)));
    let nowhere = one.change_session(&id("never"), None, &mounts(&[]), &scope, |_| Vec::new()).await;
    assert!(matches!(nowhere, Err(ChangeSessionError::Unknown)));
}

/// The traces of a session: rows, tokens, events.
async fn traces(store: &Store, session: &StoredSession) -> (usize, usize, usize) {
    let row = store.get_session(&session.id).await.expect("read").is_some();
    let tokens = store.list_session_tokens(&session.id).await.expect("listed").len();
    let told = crate::desk::ledger(store).await.into_iter();
    let told = told.filter(|one| one.event.about.session.as_ref() == Some(&session.id)).count();
    (usize::from(row), tokens, told)
}

async fn a_session_is_opened_with_its_token_and_event_or_not_at_all(world: StoreWorld) {
    let store = world.open().await;
    let books = crate::desk::books(&store).await;
    for n in 1..60 {
        let new = session(&format!("n{n}"));
        store.fail_nth(n);
        let opened = open(&books, &new).await;
        let clean = store.is_fault_to_come();
        store.fail_never();
        let found = traces(&store, &new).await;
        assert!(found == (0, 0, 0) || found == (1, 1, 1), "operation {n}: {found:?}");
        assert!(opened.is_err() || found == (1, 1, 1), "operation {n}");
        if clean {
            assert!(n > 5, "the failures were real: {n}");
            return;
        }
    }
    panic!("the story has no end");
}
