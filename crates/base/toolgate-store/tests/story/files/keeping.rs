//! Storing, finding, deleting and expiring files.

use serde_json::json;
use toolgate_core::PrincipalId;
use toolgate_core::event::EventKind;
use toolgate_core::file::{File, FileName};
use toolgate_core::id::FileId;
use toolgate_store::{FileEnd, FileFilter, PageCursor, Store, StoreError};

use super::{NOW_MS, agent, detail, erna, file, keep, replicas, touch};
use crate::desk::{books, kinds, ledger};
use crate::world::StoreWorld;

crate::on_both!(
    a_file_reads_back_and_the_ledger_tells_of_it,
    a_file_without_its_bytes_is_not_kept,
    a_deleted_file_is_told_of_once,
    a_page_ends_where_the_next_begins,
    files_run_out_when_their_time_is_over,
    whatever_fails_a_file_and_its_event_go_together,
);

async fn a_file_reads_back_and_the_ledger_tells_of_it(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let kept = file("1", "hello");
    touch(&store, "hello").await;
    books.store_file(&kept, &agent()).await.expect("stored");
    let forever = File { expires_at_ms: None, ..file("2", "hello") };
    keep(&books, &forever, "hello").await;

    assert_eq!(store.file(&kept.id).await.expect("read"), Some(kept.clone()));
    assert_eq!(store.file(&forever.id).await.expect("read"), Some(forever));
    for strange in ["file_3", "", "file_1\0", "file_1' OR '1'='1"] {
        assert_eq!(store.file(&FileId::new(strange)).await.expect("read"), None, "{strange:?}");
    }

    let told = ledger(&store).await;
    let event = &told[0].event;
    assert_eq!((event.kind, event.at_ms, event.principal.as_str()), (EventKind::FileStored, NOW_MS, "agent"));
    let by = agent();
    assert_eq!((&event.about.session, &event.about.run, &event.about.call), (&by.session, &by.run, &by.call));
    let expected = json!({
        "file": "file_1",
        "name": "Müller – CV.pdf",
        "media_type": "application/pdf",
        "bytes": 5,
        "digest": kept.digest,
        "owner": "erna",
        "expires_at_ms": NOW_MS + 1_000,
    });
    assert_eq!(detail(&told[0]), expected);
    assert_eq!(told[1].event.about.session, None, "nobody was in a session");
}

async fn a_file_without_its_bytes_is_not_kept(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let refused = books.store_file(&file("1", "hello"), &erna()).await;
    assert!(matches!(refused, Err(StoreError::BytesGone { .. })), "{refused:?}");
    assert_eq!(store.file(&file("1", "").id).await.expect("read"), None);
    assert!(kinds(&store).await.is_empty());
}

async fn a_deleted_file_is_told_of_once(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let kept = file("1", "hello");
    keep(&one, &kept, "hello").await;
    let deleting = (0..8).map(|turn| {
        let (books, id) = (if turn % 2 == 0 { one.clone() } else { two.clone() }, kept.id.clone());
        tokio::spawn(async move { books.delete_file(&id, &erna(), FileEnd::Deleted).await.expect("asked") })
    });
    let mut deleted = Vec::new();
    for deleting in deleting.collect::<Vec<_>>() {
        deleted.extend(deleting.await.expect("no panic"));
    }
    assert_eq!(deleted, std::slice::from_ref(&kept), "one of them did it");
    assert_eq!(store.file(&kept.id).await.expect("read"), None);
    let told = ledger(&store).await;
    assert_eq!(told.len(), 2);
    assert_eq!(told[1].event.kind, EventKind::FileDeleted);
    let expected = json!({
        "file": "file_1",
        "name": "Müller – CV.pdf",
        "digest": kept.digest,
        "owner": "erna",
        "reason": "deleted",
    });
    assert_eq!(detail(&told[1]), expected);
}

async fn page(store: &Store, filter: &FileFilter, limit: usize) -> (Vec<String>, Option<PageCursor>) {
    let (files, next) = store.files(filter, limit).await.expect("listed");
    (files.into_iter().map(|file| file.id.to_string()).collect(), next)
}

async fn a_page_ends_where_the_next_begins(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    // Three were made at one moment; those of `ada` are never over.
    for (id, after_ms, owner) in
        [("a", 0, "erna"), ("b", 1, "ada"), ("c", 1, "erna"), ("d", 1, "erna"), ("e", 2, "ada")]
    {
        let expires_at_ms = (owner == "erna").then_some(NOW_MS + 10);
        let (owner, created_at_ms) = (PrincipalId::new(owner), NOW_MS + after_ms);
        keep(&books, &File { owner, created_at_ms, expires_at_ms, ..file(id, "hello") }, "hello").await;
    }
    let mut filter = FileFilter::default();
    let (first, next) = page(&store, &filter, 2).await;
    assert_eq!(first, ["file_e", "file_d"]);
    filter.cursor = Some(next.expect("there is more").to_string().parse().expect("a cursor reads back"));
    // Concurrent additions and removals do not shift the page.
    let newest = File { created_at_ms: NOW_MS + 3, ..file("f", "hello") };
    keep(&books, &newest, "hello").await;
    books.delete_file(&FileId::new("file_d"), &erna(), FileEnd::Deleted).await.expect("deleted");
    let (second, next) = page(&store, &filter, 2).await;
    assert_eq!(second, ["file_c", "file_b"]);
    filter.cursor = next;
    assert_eq!(page(&store, &filter, 2).await, (vec!["file_a".to_owned()], None));

    let of_erna = FileFilter { owner: Some(PrincipalId::new("erna")), ..FileFilter::default() };
    assert_eq!(page(&store, &of_erna, 100).await.0, ["file_f", "file_c", "file_a"]);
    let alive = FileFilter { alive_at_ms: Some(NOW_MS + 10), ..FileFilter::default() };
    assert_eq!(page(&store, &alive, 100).await.0, ["file_f", "file_e", "file_b"]);
    let other = FileFilter { name: FileName::new("other").ok(), ..FileFilter::default() };
    assert_eq!(page(&store, &other, 100).await, (Vec::new(), None));
    assert!("x.file_a".parse::<PageCursor>().is_err());
}

async fn files_run_out_when_their_time_is_over(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for (id, expires_at_ms) in
        [("a", Some(NOW_MS)), ("b", Some(NOW_MS + 1)), ("c", None), ("d", Some(NOW_MS - 1))]
    {
        keep(&one, &File { expires_at_ms, ..file(id, "hello") }, "hello").await;
    }
    assert_eq!(one.expire_files(NOW_MS - 2, 10).await.expect("looked"), []);
    let ids = |files: Vec<File>| files.into_iter().map(|file| file.id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(one.expire_files(NOW_MS, 1).await.expect("removed")), ["file_d"], "the oldest first");
    let (here, there) = tokio::join!(one.expire_files(NOW_MS, 10), two.expire_files(NOW_MS, 10));
    let mut removed = ids(here.expect("removed"));
    removed.extend(ids(there.expect("removed")));
    assert_eq!(removed, ["file_a"], "one of them did it");

    let told = ledger(&store).await;
    let ends: Vec<_> = told.iter().filter(|one| one.event.kind == EventKind::FileDeleted).collect();
    assert_eq!(ends.len(), 2);
    for end in ends {
        assert_eq!((end.event.at_ms, end.event.principal.as_str()), (NOW_MS, "gateway"));
        assert_eq!(detail(end)["reason"], "expired");
    }
}

/// The maximum number of operations of a small change.
const OPERATIONS_MAX: u64 = 40;

async fn whatever_fails_a_file_and_its_event_go_together(world: StoreWorld) {
    for n in 1..OPERATIONS_MAX {
        let store = world.open().await;
        let books = books(&store).await;
        let (kept, before) = (file(&format!("n{n}"), "hello"), kinds(&store).await.len());
        touch(&store, "hello").await;
        store.fail_nth(n);
        let stored = books.store_file(&kept, &erna()).await;
        let deleted = books.delete_file(&kept.id, &erna(), FileEnd::Deleted).await;
        let is_clean = store.is_fault_to_come();
        store.fail_never();
        books.writer().close().await;
        drop((books, store));

        let store = world.open().await;
        let is_there = store.file(&kept.id).await.expect("read").is_some();
        let told = kinds(&store).await.split_off(before);
        match told[..] {
            [] => assert!(!is_there && stored.is_err(), "{n}: {stored:?} {deleted:?}"),
            ["file.stored"] => assert!(is_there && deleted.is_err(), "{n}: {stored:?} {deleted:?}"),
            ["file.stored", "file.deleted"] => assert!(!is_there, "{n}: {stored:?} {deleted:?}"),
            _ => panic!("{n}: {told:?}"),
        }
        if is_clean {
            assert!(stored.is_ok() && deleted.is_ok_and(|file| file.is_some()));
            assert!(n > 8, "the failures were real: {n}");
            return;
        }
    }
    panic!("the story has no end");
}
