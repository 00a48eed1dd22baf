//! Each kind of pointer has its own freedom, whoever asks.

use toolgate_core::pointer::MoveRefusal;

use super::*;

crate::on_both!(
    a_pointer_moves_and_every_move_is_kept,
    a_name_is_taken_until_its_pointer_is_deleted,
    a_snapshot_never_moves,
    a_corpus_moves_from_a_named_head_with_an_approval,
    a_manifest_that_is_not_there_is_nothing_to_lead_to,
    a_stale_move_is_refused_and_a_repeated_one_is_none,
    a_pointer_of_another_tenant_is_not_there,
);

async fn a_pointer_moves_and_every_move_is_kept(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..3).await;
    let created = bundle(&books, "1").await;
    for (at, to) in [(1, 0), (2, 1), (3, 2)] {
        let moved = books.move_pointer(&head("1", ExpectedHead::Any, to), &stamp(at)).await.expect("moved");
        assert_eq!((moved.is_moved, moved.pointer.manifest), (true, Some(manifest(to))));
    }
    let back = NewHead { operation: MoveOperation::Revert, ..head("1", exactly(2), 0) };
    books.move_pointer(&back, &stamp(4)).await.expect("reverted");
    let moves = moves(&store, &created.id).await;
    let told: Vec<&str> = moves.iter().map(|one| one.operation.as_str()).collect();
    assert_eq!(told, ["revert", "advance", "advance", "advance", "create"]);
    let last = &moves[0];
    assert_eq!((last.old, last.new, last.at_ms), (Some(manifest(2)), Some(manifest(0)), NOW_MS + 4));
    assert_eq!((last.reason.as_str(), last.principal.as_str()), ("because", "erna"));
    assert_eq!(last.call, Some(desk::call("1")));
    agree(&store, &created.id).await;
}

async fn a_name_is_taken_until_its_pointer_is_deleted(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..1).await;
    let first = bundle(&books, "1").await;
    advance(&books, "1", 0).await;
    let again = Pointer { id: PointerId::new("ptr_2"), ..first.clone() };
    match books.create_pointer(again.clone(), &stamp(1)).await {
        Err(PointerError::NameTaken(taken)) => assert_eq!(taken.id, first.id),
        other => panic!("{other:?}"),
    }
    let deleted = books.delete_pointer(&first.id, ExpectedHead::Any, &stamp(2)).await.expect("deleted");
    assert_eq!((deleted.old, deleted.pointer.manifest), (Some(manifest(0)), None));
    assert_eq!(store.pointer_named(&path("1")).await.expect("read"), None);
    for late in [
        books.delete_pointer(&first.id, ExpectedHead::Any, &stamp(3)).await,
        books.move_pointer(&head("1", ExpectedHead::Any, 0), &stamp(3)).await,
    ] {
        assert!(matches!(late, Err(PointerError::Unknown)), "{late:?}");
    }
    assert_eq!(
        store.pointer_ever_named(&path("1")).await.expect("read").map(|one| one.id),
        Some(first.id.clone())
    );
    create(&books, again.clone()).await;
    for found in [store.pointer_named(&path("1")).await, store.pointer_ever_named(&path("1")).await] {
        assert_eq!(found.expect("read").map(|one| one.id), Some(again.id.clone()));
    }
    agree(&store, &first.id).await;
    agree(&store, &again.id).await;
}

async fn a_snapshot_never_moves(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..2).await;
    let empty = books.create_pointer(pointer("1", "v1", PointerKind::Snapshot, None), &agreed(0)).await;
    assert!(matches!(empty, Err(PointerError::Refused(MoveRefusal::Fixed))), "{empty:?}");
    let fixed = create(&books, pointer("1", "v1", PointerKind::Snapshot, Some(manifest(0)))).await;
    let moved = books.move_pointer(&head("1", exactly(0), 1), &agreed(1)).await;
    assert!(matches!(moved, Err(PointerError::Refused(MoveRefusal::Fixed))), "{moved:?}");
    assert_eq!(store.pointer(&fixed.id).await.expect("read"), Some(fixed.clone()));
    agree(&store, &fixed.id).await;
    // Nor does its name lead elsewhere after its end.
    books.delete_pointer(&fixed.id, ExpectedHead::Any, &stamp(2)).await.expect("deleted");
    let again = Pointer { id: PointerId::new("ptr_2"), manifest: Some(manifest(1)), ..fixed.clone() };
    match books.create_pointer(again, &stamp(3)).await {
        Err(PointerError::NameTaken(taken)) => assert_eq!(taken.id, fixed.id),
        other => panic!("{other:?}"),
    }
}

async fn a_corpus_moves_from_a_named_head_with_an_approval(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..2).await;
    let full = pointer("1", "handbook", PointerKind::Corpus, Some(manifest(0)));
    let full = books.create_pointer(full, &agreed(0)).await;
    assert!(matches!(full, Err(PointerError::Refused(MoveRefusal::NotApproved))), "{full:?}");
    let corpus = create(&books, pointer("1", "handbook", PointerKind::Corpus, None)).await;
    let first = head("1", ExpectedHead::Exactly(None), 0);
    books.move_pointer(&first, &agreed(1)).await.expect("people agreed");
    for (expected, by, why) in [
        (ExpectedHead::Any, agreed(2), MoveRefusal::HeadNotNamed),
        (exactly(0), stamp(2), MoveRefusal::NotApproved),
    ] {
        let refused = books.move_pointer(&head("1", expected, 1), &by).await;
        assert!(matches!(refused, Err(PointerError::Refused(reason)) if reason == why), "{refused:?}");
    }
    let deleted = books.delete_pointer(&corpus.id, ExpectedHead::Any, &stamp(2)).await;
    assert!(matches!(deleted, Err(PointerError::Refused(MoveRefusal::NotApproved))), "{deleted:?}");
    let moved = books.move_pointer(&head("1", exactly(0), 1), &agreed(3)).await.expect("people agreed");
    assert_eq!(moved.pointer.version, 3);
    assert_eq!(moves(&store, &corpus.id).await[0].approval, Some(ApprovalId::new("apr_1")));
    let events = told(&store, EventKind::PointerMoved).await;
    assert!(events.iter().all(|one| one.event.approval == Some(ApprovalId::new("apr_1"))), "{events:?}");
    agree(&store, &corpus.id).await;
}

async fn a_manifest_that_is_not_there_is_nothing_to_lead_to(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..1).await;
    let unknown = pointer("1", "draft", PointerKind::Bundle, Some(manifest(7)));
    let unknown = books.create_pointer(unknown, &stamp(0)).await;
    assert!(matches!(unknown, Err(PointerError::UnknownManifest(one)) if one == manifest(7)), "{unknown:?}");
    assert_eq!(store.pointer_named(&path("draft")).await.expect("read"), None, "nothing half");
    let created = bundle(&books, "1").await;
    let unknown = books.move_pointer(&head("1", ExpectedHead::Any, 7), &stamp(1)).await;
    assert!(matches!(unknown, Err(PointerError::UnknownManifest(_))), "{unknown:?}");
    agree(&store, &created.id).await;
}

async fn a_stale_move_is_refused_and_a_repeated_one_is_none(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..3).await;
    let created = bundle(&books, "1").await;
    advance(&books, "1", 0).await;
    let wanted = head("1", exactly(0), 1);
    assert!(books.move_pointer(&wanted, &stamp(2)).await.expect("moved").is_moved);
    let again = books.move_pointer(&wanted, &stamp(3)).await.expect("it leads there");
    assert_eq!((again.is_moved, again.pointer.version), (false, 3));
    match books.move_pointer(&head("1", exactly(0), 2), &stamp(4)).await {
        Err(PointerError::Moved(now)) => assert_eq!(now.manifest, Some(manifest(1))),
        other => panic!("{other:?}"),
    }
    let kept = books.delete_pointer(&created.id, exactly(0), &stamp(5)).await;
    assert!(matches!(kept, Err(PointerError::Moved(_))), "{kept:?}");
    agree(&store, &created.id).await;
}

async fn a_pointer_of_another_tenant_is_not_there(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..1).await;
    manifests(&world, "other", 0..2).await;
    let columns =
        "tenant, id, namespace, name, kind, description, version, created_by, created_at_ms, moved_at_ms";
    let theirs = "'other', 'ptr_9', 'project/a', '1', 'bundle', '', 1, 'eve', 0, 0";
    world.sql(&format!("INSERT INTO pointers ({columns}) VALUES ({theirs})")).await;
    let id = PointerId::new("ptr_9");
    assert_eq!(store.pointer(&id).await.expect("read"), None);
    assert_eq!(store.pointer_named(&path("1")).await.expect("read"), None);
    assert!(store.pointers(&Default::default(), 10).await.expect("read").is_empty());
    let moved = books.move_pointer(&head("9", ExpectedHead::Any, 0), &stamp(1)).await;
    assert!(matches!(moved, Err(PointerError::Unknown)), "{moved:?}");
    let deleted = books.delete_pointer(&id, ExpectedHead::Any, &stamp(1)).await;
    assert!(matches!(deleted, Err(PointerError::Unknown)), "{deleted:?}");
    bundle(&books, "1").await;
    let foreign = books.move_pointer(&head("1", ExpectedHead::Any, 1), &stamp(1)).await;
    assert!(
        matches!(foreign, Err(PointerError::UnknownManifest(_))),
        "their manifest is none of ours: {foreign:?}"
    );
}
