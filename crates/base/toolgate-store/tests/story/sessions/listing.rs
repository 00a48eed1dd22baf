//! Finding sessions.

use toolgate_core::PrincipalId;
use toolgate_store::{PageCursor, SessionFilter, SessionStanding, Store, StoredSession};

use super::{OPENED_MS, agent, close, open, replicas, session};
use crate::world::StoreWorld;

crate::on_both!(sessions_are_found_by_what_they_are, pages_go_on_where_they_ended);

async fn names(store: &Store, filter: SessionFilter) -> String {
    let (found, next) = store.list_sessions(&filter, None, 50).await.expect("listed");
    assert_eq!(next, None);
    let names: Vec<&str> = found.iter().map(|one| &one.id.as_str()["ses_".len()..]).collect();
    names.join(" ")
}

async fn sessions_are_found_by_what_they_are(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let aged = |name: &str, age_ms: i64| StoredSession {
        created_at_ms: OPENED_MS - age_ms,
        last_used_at_ms: OPENED_MS - age_ms,
        ..session(name)
    };
    let mut others = aged("others", 2);
    others.principal.id = PrincipalId::new("bert");
    let sessions = [
        aged("newest", 0),
        StoredSession { agent: agent("cook"), ..aged("cook", 1) },
        others,
        aged("closed", 3),
    ];
    for session in &sessions {
        open(&one, session).await.expect("opened");
    }
    close(&one, &sessions[3].id).await;
    let any = SessionFilter::default();
    let standing = |standing| SessionFilter { standing: Some(standing), ..SessionFilter::default() };
    let by_agent = SessionFilter { agent: Some(agent("cook")), ..any.clone() };
    let by_principal = SessionFilter { principal: Some(PrincipalId::new("bert")), ..any.clone() };
    let by_id = SessionFilter { id: Some(sessions[2].id.clone()), ..any.clone() };
    let cases = [
        (any.clone(), "newest cook others closed"),
        (by_agent, "cook"),
        (by_principal.clone(), "others"),
        (by_id, "others"),
        (standing(SessionStanding::Open), "newest cook others"),
        (standing(SessionStanding::Closed), "closed"),
        (standing(SessionStanding::UsedSince(OPENED_MS - 1)), "newest cook"),
        (standing(SessionStanding::UnusedSince(OPENED_MS - 1)), "others"),
        (SessionFilter { standing: Some(SessionStanding::Closed), ..by_principal }, ""),
        (SessionFilter { principal: Some(PrincipalId::new("\0")), ..any }, ""),
    ];
    for (filter, expected) in cases {
        assert_eq!(names(&store, filter.clone()).await, expected, "{filter:?}");
    }
}

async fn pages_go_on_where_they_ended(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    for number in 0..7 {
        // Three at the same moment, so that the time alone does not tell them apart.
        let created_at_ms = OPENED_MS + number / 3;
        open(&one, &StoredSession { created_at_ms, ..session(&number.to_string()) }).await.expect("opened");
    }
    let (mut seen, mut cursor) = (Vec::new(), None::<PageCursor>);
    loop {
        let page = store.list_sessions(&SessionFilter::default(), cursor.as_ref(), 2).await.expect("listed");
        seen.extend(page.0.into_iter().map(|one| one.id.to_string()));
        let Some(next) = page.1 else { break };
        let newer = session(&format!("meanwhile{}", seen.len()));
        let newer = StoredSession { created_at_ms: OPENED_MS + 100, ..newer };
        open(&one, &newer).await.expect("opened");
        let said = next.to_string();
        cursor = Some(said.parse().expect("a cursor"));
        assert_eq!(cursor.as_ref(), Some(&next));
    }
    assert_eq!(seen, ["6", "5", "4", "3", "2", "1", "0"].map(|name| format!("ses_{name}")));
    assert!("x".parse::<PageCursor>().is_err());
}
