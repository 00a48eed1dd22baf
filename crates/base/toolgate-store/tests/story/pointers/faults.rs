//! The database fails at any operation: a pointer, its moves and its events stay one story.

use super::*;

crate::on_both!(any_single_operation_may_fail, the_database_may_go_away_at_any_operation);

/// More operations than the story has.
const OPERATIONS_MAX: u64 = 200;

/// Creates, moves, moves again, deletes. Returns the number of confirmed steps.
async fn story(books: &Books, name: &str) -> usize {
    let id = PointerId::new(format!("ptr_{name}"));
    let steps = async |done: &mut usize| -> Result<(), PointerError> {
        books.create_pointer(pointer(name, name, PointerKind::Bundle, None), &stamp(0)).await?;
        *done += 1;
        for to in [0, 1] {
            books.move_pointer(&head(name, ExpectedHead::Any, to), &stamp(1)).await?;
            *done += 1;
        }
        books.delete_pointer(&id, exactly(1), &stamp(2)).await?;
        *done += 1;
        Ok(())
    };
    let mut done = 0;
    if let Err(error) = steps(&mut done).await {
        assert!(matches!(error, PointerError::Store(_)), "{error:?}");
    }
    done
}

async fn sweep(world: &StoreWorld, fail: impl Fn(&Store, u64)) -> u64 {
    let (store, books) = place(world).await;
    manifests(world, "default", 0..2).await;
    for n in 1..OPERATIONS_MAX {
        let name = format!("n{n}");
        fail(&store, n);
        let done = Box::pin(story(&books, &name)).await;
        let clean = store.is_fault_to_come();
        store.fail_never();
        let id = PointerId::new(format!("ptr_{name}"));
        match store.pointer(&id).await.expect("read") {
            None => assert_eq!(done, 0),
            // A commit whose answer is lost may have been.
            Some(pointer) => {
                assert!((done..=done + 1).contains(&(pointer.version as usize)), "{done}: {pointer:?}");
                agree(&store, &id).await;
            }
        }
        if clean {
            assert_eq!(done, 4);
            assert_eq!(store.verify_ledger(|_| ()).await.expect("verified").fault, None);
            return n;
        }
    }
    panic!("the story has no end");
}

async fn any_single_operation_may_fail(world: StoreWorld) {
    let operations = sweep(&world, |store, n| store.fail_nth(n)).await;
    assert!(operations > 20, "the failures were real: {operations}");
}

async fn the_database_may_go_away_at_any_operation(world: StoreWorld) {
    let operations = sweep(&world, |store, n| store.fail_from_nth(n)).await;
    assert!(operations > 20, "the failures were real: {operations}");
}
