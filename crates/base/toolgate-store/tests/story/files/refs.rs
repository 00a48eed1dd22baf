//! Refs: parts that were taken out of results, and contents that servers keep.

use toolgate_core::file::{Ref, RefOrigin};
use toolgate_core::id::{RefId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, ServerName};
use toolgate_store::{Store, StoreError};

use super::{NOW_MS, touch};
use crate::desk;
use crate::world::StoreWorld;

crate::on_both!(
    a_ref_reads_back,
    refs_are_kept_together_or_not_at_all,
    a_ref_is_found_by_its_servers_id_where_it_belongs,
    what_was_fetched_is_remembered,
    refs_run_out_when_their_time_is_over,
);

pub(super) fn taken_out(id: &str, content: &str) -> Ref {
    Ref {
        id: RefId::new(format!("ref_{id}")),
        media_type: "text/plain; charset=utf-8".into(),
        bytes: content.len() as u64,
        digest: Some(Digest::of(content)),
        preview: "first words\u{1F600}".into(),
        principal: PrincipalId::new("agent"),
        session: SessionId::new("ses_1"),
        run: Some(RunId::new("run_1")),
        call: Some(desk::call("1")),
        tool: Some(CanonicalName::recorded("docs:read")),
        origin: None,
        created_at_ms: NOW_MS,
        expires_at_ms: NOW_MS + 10,
    }
}

fn minted(id: &str, own: &str) -> Ref {
    let server = ServerName::new("docs").expect("a legal name");
    let origin = RefOrigin { server, own: own.into(), uri: Some("docs://7".into()) };
    Ref { digest: None, bytes: 0, preview: String::new(), origin: Some(origin), ..taken_out(id, "") }
}

async fn read(store: &Store, id: &RefId) -> Option<Ref> {
    store.get_ref(id).await.expect("read")
}

async fn a_ref_reads_back(world: StoreWorld) {
    let store = world.open().await;
    touch(&store, "hello").await;
    let bare = Ref { run: None, call: None, tool: None, ..taken_out("2", "hello") };
    let mut without_uri = minted("4", "own 4");
    without_uri.origin.as_mut().expect("it has one").uri = None;
    let refs = [taken_out("1", "hello"), bare, minted("3", &"very long ".repeat(10_000)), without_uri];
    store.put_refs(&refs).await.expect("stored");
    store.put_refs(&[]).await.expect("nothing to store");
    for one in refs {
        assert_eq!(read(&store, &one.id).await, Some(one));
    }
    assert_eq!(read(&store, &RefId::new("ref_1\0")).await, None);
    // Postgres has no NUL in a text.
    let odd = Ref { preview: "a\0b".into(), ..taken_out("5", "hello") };
    store.put_ref(&odd).await.expect("stored");
    assert_eq!(read(&store, &odd.id).await.expect("is there").preview, "a\u{fffd}b");
}

async fn refs_are_kept_together_or_not_at_all(world: StoreWorld) {
    let store = world.open().await;
    touch(&store, "hello").await;
    let refused = store.put_refs(&[taken_out("1", "hello"), taken_out("2", "gone")]).await;
    assert!(matches!(refused, Err(StoreError::BytesGone { .. })), "{refused:?}");
    assert_eq!(read(&store, &RefId::new("ref_1")).await, None);
}

async fn a_ref_is_found_by_its_servers_id_where_it_belongs(world: StoreWorld) {
    let store = world.open().await;
    let elsewhere = |one: Ref, session: &str, run: Option<&str>| Ref {
        session: SessionId::new(session),
        run: run.map(RunId::new),
        ..one
    };
    store
        .put_refs(&[
            minted("1", "doc"),
            Ref { created_at_ms: NOW_MS + 1, ..minted("2", "doc") },
            elsewhere(minted("3", "doc"), "ses_2", Some("run_1")),
            elsewhere(minted("4", "doc"), "ses_3", Some("run_2")),
            elsewhere(minted("5", "doc"), "ses_4", None),
            minted("6", "other"),
        ])
        .await
        .expect("stored");
    let found = async |own: &str, session: &str, run: Option<&str>| {
        let run = run.map(RunId::new);
        let refs = store.refs_by_own(own, &SessionId::new(session), run.as_ref()).await.expect("looked");
        refs.into_iter().map(|one| one.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found("doc", "ses_1", Some("run_1")).await, ["ref_2", "ref_3", "ref_1"], "the newest first");
    assert_eq!(found("doc", "ses_1", None).await, ["ref_2", "ref_1"]);
    assert_eq!(found("doc", "ses_9", Some("run_2")).await, ["ref_4"]);
    assert_eq!(found("doc", "ses_4", None).await, ["ref_5"]);
    assert_eq!(found("doc", "ses_9", None).await, [""; 0]);
    assert_eq!(found("Doc", "ses_1", Some("run_1")).await, [""; 0]);
}

async fn what_was_fetched_is_remembered(world: StoreWorld) {
    let store = world.open().await;
    let one = minted("1", "doc");
    store.put_ref(&one).await.expect("stored");
    touch(&store, "hello").await;
    let digest = Digest::of("hello");
    assert!(store.fill_ref(&one.id, &digest, 5, "text/html", "hel").await.expect("noted"));
    let filled =
        Ref { digest: Some(digest), bytes: 5, media_type: "text/html".into(), preview: "hel".into(), ..one };
    assert_eq!(read(&store, &filled.id).await, Some(filled));
    let nobody = RefId::new("ref_2");
    assert!(!store.fill_ref(&nobody, &digest, 5, "text/html", "hel").await.expect("asked"));
}

async fn refs_run_out_when_their_time_is_over(world: StoreWorld) {
    let store = world.open().await;
    for (id, expires_at_ms) in [("1", NOW_MS - 1), ("2", NOW_MS), ("3", NOW_MS + 1)] {
        store.put_ref(&Ref { expires_at_ms, ..minted(id, "doc") }).await.expect("stored");
    }
    assert_eq!(store.expire_refs(NOW_MS, 1).await.expect("removed"), 1);
    assert!(read(&store, &RefId::new("ref_1")).await.is_none(), "the oldest first");
    assert_eq!(store.expire_refs(NOW_MS, 9).await.expect("removed"), 1);
    assert_eq!(store.expire_refs(NOW_MS, 9).await.expect("removed"), 0);
    assert!(read(&store, &RefId::new("ref_3")).await.is_some());
}
