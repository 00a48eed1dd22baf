//! The ends of sessions: explicit closing, or idleness.

use toolgate_core::event::EventKind;
use toolgate_core::id::SessionId;
use toolgate_store::{Books, IdleCriteria, SessionKind, StoredSession};

use super::{OPENED_MS, close, count_of, event, id, open, read, replicas, session};
use crate::world::{StoreWorld, within_a_second};

crate::on_both!(
    a_closed_session_takes_its_token_with_it,
    of_two_who_close_a_session_one_has_closed_it,
    the_last_use_only_grows,
    touching_from_two_sides_ends,
    what_nobody_uses_is_closed_and_what_somebody_uses_is_not,
    a_gateway_that_was_away_closes_nothing_for_it,
    what_has_changed_is_found_by_its_revision,
);

async fn a_closed_session_takes_its_token_with_it(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let (ended, other) = (session("ended"), session("other"));
    let token = open(&one, &ended).await.expect("opened");
    let stays = open(&one, &other).await.expect("opened");
    for store in [&store, two.store()] {
        assert!(store.verify(&token.secret).await.expect("asked").is_some());
    }
    assert!(close(&one, &ended.id).await);
    assert_eq!(store.verify(&token.secret).await.expect("asked"), None, "at once where it was closed");
    let elsewhere = async || two.store().verify(&token.secret).await.expect("asked").is_none();
    within_a_second("the end of a token", elsewhere).await;
    assert!(store.verify(&stays.secret).await.expect("asked").is_some());

    let stored = read(&store, &ended.id).await;
    assert_eq!(stored.closing.as_ref().map(|one| (one.at_ms, &*one.reason)), Some((OPENED_MS + 5, "closed")));
    assert_eq!(StoredSession { closing: None, row_version: 1, ..stored }, ended);
    assert!(!close(&two, &ended.id).await, "closing twice changes nothing");
    assert!(!close(&two, &id("never")).await);
    assert_eq!(count_of(&store, EventKind::SessionClosed).await, 1);
}

async fn of_two_who_close_a_session_one_has_closed_it(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for number in 0..5 {
        let ended = session(&number.to_string());
        open(&one, &ended).await.expect("opened");
        let (left, right) = tokio::join!(close(&one, &ended.id), close(&two, &ended.id));
        assert!(left != right);
    }
    assert_eq!(count_of(&store, EventKind::SessionClosed).await, 5);
}

async fn the_last_use_only_grows(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let (used, other) = (session("used"), session("other"));
    for session in [&used, &other] {
        open(&one, session).await.expect("opened");
    }
    for (at_ms, expected) in [(7, 7), (3, 7), (9, 9)] {
        let touched = [(used.id.clone(), OPENED_MS + at_ms), (id("never"), OPENED_MS)];
        store.touch_sessions(&touched).await.expect("touched");
        assert_eq!(read(&store, &used.id).await.last_used_at_ms, OPENED_MS + expected);
    }
    assert_eq!(read(&store, &other.id).await.last_used_at_ms, OPENED_MS);
    assert_eq!(read(&store, &used.id).await.row_version, 1, "nobody is told");
    store.touch_sessions(&[]).await.expect("nothing to do");
}

async fn touching_from_two_sides_ends(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let ids: Vec<SessionId> = (0..20).map(|number| id(&number.to_string())).collect();
    for number in 0..20 {
        open(&one, &session(&number.to_string())).await.expect("opened");
    }
    let touching = |books: &Books, mut ids: Vec<SessionId>, backwards: bool| {
        if backwards {
            ids.reverse();
        }
        let store = books.store().clone();
        tokio::spawn(async move {
            for at_ms in 0..20 {
                let used: Vec<_> = ids.iter().map(|id| (id.clone(), OPENED_MS + at_ms)).collect();
                store.touch_sessions(&used).await.expect("nobody waits in a circle");
            }
        })
    };
    let both = [touching(&one, ids.clone(), false), touching(&two, ids.clone(), true)];
    for touching in both {
        touching.await.expect("no panic");
    }
    for id in &ids {
        assert_eq!(read(&store, id).await.last_used_at_ms, OPENED_MS + 19);
    }
}

async fn sweep(books: &Books, now_ms: i64, since_ms: i64) -> Vec<String> {
    let tell = |session: &StoredSession, closing: &toolgate_store::SessionEnd| {
        let mut event = event(EventKind::SessionClosed, &session.id);
        event.detail = Some(serde_json::json!({ "reason": closing.reason }).into());
        event
    };
    let ids = books
        .close_unused_sessions(IdleCriteria { now_ms, heard_ms: now_ms, since_ms }, tell)
        .await
        .expect("swept");
    ids.iter().map(|id| id.as_str()["ses_".len()..].to_owned()).collect()
}

async fn what_nobody_uses_is_closed_and_what_somebody_uses_is_not(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let (idle, used, old) = (session("idle"), session("used"), session("old"));
    let old = StoredSession { idle_seconds: 100_000, ..old };
    let ageless = StoredSession { lifetime_seconds: None, idle_seconds: 100_000, ..session("ageless") };
    let default = StoredSession { kind: SessionKind::Default, ..session("default") };
    for session in [&idle, &used, &old, &ageless] {
        open(&one, session).await.expect("opened");
    }
    one.keep_default_session(&default, Vec::new()).await.expect("kept");
    let token = open(&one, &session("token")).await.expect("opened");

    assert_eq!(sweep(&one, OPENED_MS + 59_999, 0).await, [""; 0]);
    store.touch_sessions(&[(used.id.clone(), OPENED_MS + 30_000)]).await.expect("touched");
    let (left, right) = tokio::join!(sweep(&one, OPENED_MS + 60_000, 0), sweep(&two, OPENED_MS + 60_000, 0));
    let mut closed = [left, right].concat();
    closed.sort();
    assert_eq!(closed, ["idle", "token"], "each by one of them");
    assert_eq!(store.verify(&token.secret).await.expect("asked"), None);
    assert_eq!(sweep(&one, OPENED_MS + 90_000, 0).await, ["used"]);
    assert_eq!(sweep(&one, OPENED_MS + 3_600_000, 0).await, ["old"], "used or not");
    assert_eq!(sweep(&one, OPENED_MS + 4_000_000, 0).await, [""; 0]);
    let reasons = [(&idle.id, "idle"), (&old.id, "lifetime")];
    for (id, reason) in reasons {
        assert_eq!(read(&store, id).await.closing.expect("closed").reason, reason);
    }
    assert_eq!(count_of(&store, EventKind::SessionClosed).await, 4);
}

async fn a_gateway_that_was_away_closes_nothing_for_it(world: StoreWorld) {
    let (_store, one, _two) = replicas(&world).await;
    open(&one, &session("one")).await.expect("opened");
    let back_ms = OPENED_MS + 1_000_000;
    assert_eq!(sweep(&one, back_ms, back_ms).await, [""; 0]);
    assert_eq!(sweep(&one, back_ms + 59_999, back_ms).await, [""; 0]);
    assert_eq!(sweep(&one, back_ms + 60_000, back_ms).await, ["one"]);
}

async fn what_has_changed_is_found_by_its_revision(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for number in 0..4 {
        open(&one, &session(&number.to_string())).await.expect("opened");
    }
    let all = store.sessions_changed(0, 10).await.expect("read");
    assert_eq!(all.iter().map(|mark| mark.revision).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(all.iter().all(|mark| mark.is_open && mark.row_version == 1));
    assert_eq!(store.sessions_changed(0, 3).await.expect("read"), all[..3]);
    close(&two, &id("1")).await;
    let changed = store.sessions_changed(4, 10).await.expect("read");
    let [mark] = &changed[..] else { panic!("one: {changed:?}") };
    assert_eq!((&mark.id, mark.revision, mark.row_version, mark.is_open), (&id("1"), 5, 2, false));
    assert_eq!(store.sessions_changed(5, 10).await.expect("read"), []);
}
