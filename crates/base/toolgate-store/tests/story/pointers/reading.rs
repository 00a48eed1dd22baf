//! Pages of pointers, and the time at which a pointer left a manifest.

use toolgate_store::PointerFilter;

use super::*;

crate::on_both!(pages_are_sorted_and_leave_out_what_is_deleted, a_manifest_is_left_when_the_next_one_comes);

async fn pages_are_sorted_and_leave_out_what_is_deleted(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for (number, (namespace, name)) in
        [("b", "x"), ("a", "Z"), ("a/c", "x"), ("a", "b"), ("a", "a"), ("B", "x")].iter().enumerate()
    {
        let path = PointerPath::new(namespace, name).expect("a name");
        let kind = if number == 3 { PointerKind::Corpus } else { PointerKind::Bundle };
        create(&books, Pointer { path, ..pointer(&number.to_string(), "x", kind, None) }).await;
    }
    books.delete_pointer(&PointerId::new("ptr_0"), ExpectedHead::Any, &stamp(1)).await.expect("deleted");
    let names = async |filter: &PointerFilter, limit: usize| -> Vec<String> {
        let page = store.pointers(filter, limit).await.expect("read");
        page.iter().map(|one| one.path.to_string()).collect()
    };
    let all = ["B:x", "a:Z", "a:a", "a:b", "a/c:x"];
    assert_eq!(names(&PointerFilter::default(), 10).await, all);
    let after = PointerPath::new("a", "a").ok();
    assert_eq!(names(&PointerFilter { after, ..Default::default() }, 1).await, ["a:b"]);
    let from_namespace = "a".to_owned();
    assert_eq!(names(&PointerFilter { from_namespace, ..Default::default() }, 10).await, all[1..]);
    let kind = Some(PointerKind::Corpus);
    assert_eq!(names(&PointerFilter { kind, ..Default::default() }, 10).await, ["a:b"]);
}

async fn a_manifest_is_left_when_the_next_one_comes(world: StoreWorld) {
    let (store, books) = place(&world).await;
    manifests(&world, "default", 0..2).await;
    let id = bundle(&books, "1").await.id;
    for (at, to) in [(10, 0), (20, 1)] {
        books.move_pointer(&head("1", ExpectedHead::Any, to), &stamp(at)).await.expect("moved");
    }
    for (number, at) in [(0, Some(NOW_MS + 20)), (1, Some(NOW_MS + 20)), (2, None)] {
        assert_eq!(store.pointer_last_at(&id, manifest(number)).await.expect("read"), at, "{number}");
    }
    let page = store.pointer_moves(&id, Some(3), 1).await.expect("read");
    assert_eq!(page.iter().map(|one| one.version).collect::<Vec<_>>(), [2]);
}
