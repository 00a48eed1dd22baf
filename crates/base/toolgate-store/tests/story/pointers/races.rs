//! Many writers at the same moment: one winner, and nobody's move is lost.

use super::*;

crate::on_both!(
    of_sixty_four_writers_one_wins_each_round,
    writers_that_try_again_all_get_there,
    of_many_that_take_a_name_one_gets_it,
);

const WRITERS: usize = 64;
const ROUNDS: usize = 3;

async fn of_sixty_four_writers_one_wins_each_round(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    manifests(&world, "default", 0..ROUNDS * WRITERS + 1).await;
    let created = bundle(&one, "1").await;
    let mut current = advance(&one, "1", ROUNDS * WRITERS).await.pointer.manifest;
    for round in 0..ROUNDS {
        let tries = (0..WRITERS).map(|writer| {
            let books = if writer % 2 == 0 { one.clone() } else { two.clone() };
            let wanted = head("1", ExpectedHead::Exactly(current), round * WRITERS + writer);
            tokio::spawn(async move { books.move_pointer(&wanted, &stamp(2)).await })
        });
        let (mut winners, mut losers) = (Vec::new(), Vec::new());
        for tried in tries.collect::<Vec<_>>() {
            match tried.await.expect("no panic") {
                Ok(moved) => winners.push(moved.pointer.manifest),
                Err(PointerError::Moved(now)) => losers.push(now.manifest),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!((winners.len(), losers.len()), (1, WRITERS - 1));
        assert!(losers.iter().all(|lost| *lost == winners[0]), "everybody learns who was faster");
        current = winners[0];
    }
    assert_eq!(
        store.pointer(&created.id).await.expect("read").map(|one| one.version),
        Some(2 + ROUNDS as u64)
    );
    agree(&store, &created.id).await;
}

async fn writers_that_try_again_all_get_there(world: StoreWorld) {
    const MANY: usize = 16;
    let (store, one, two) = replicas(&world).await;
    manifests(&world, "default", 0..MANY).await;
    let created = bundle(&one, "1").await;
    let writers = (0..MANY).map(|writer| {
        let books = if writer % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move {
            let mut expected = ExpectedHead::Exactly(None);
            for _ in 0..=MANY {
                match books.move_pointer(&head("1", expected, writer), &stamp(1)).await {
                    Ok(moved) => return moved.is_moved,
                    Err(PointerError::Moved(now)) => expected = ExpectedHead::Exactly(now.manifest),
                    Err(other) => panic!("{other:?}"),
                }
            }
            false
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        assert!(writer.await.expect("no panic"));
    }
    let mut reached: Vec<_> =
        moves(&store, &created.id).await.into_iter().filter_map(|one| one.new).collect();
    let mut expected: Vec<_> = (0..MANY).map(manifest).collect();
    reached.sort();
    expected.sort();
    assert_eq!(reached, expected, "each exactly once");
    agree(&store, &created.id).await;
}

async fn of_many_that_take_a_name_one_gets_it(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let tries = (0..16).map(|number| {
        let books = if number % 2 == 0 { one.clone() } else { two.clone() };
        let wanted = pointer(&number.to_string(), "draft", PointerKind::Bundle, None);
        tokio::spawn(async move { books.create_pointer(wanted, &stamp(0)).await })
    });
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    for tried in tries.collect::<Vec<_>>() {
        match tried.await.expect("no panic") {
            Ok(created) => winners.push(created.id),
            Err(PointerError::NameTaken(taken)) => losers.push(taken.id),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((winners.len(), losers.len()), (1, 15));
    assert!(losers.iter().all(|taken| *taken == winners[0]));
    assert_eq!(told(&store, EventKind::PointerCreated).await.len(), 1);
}
