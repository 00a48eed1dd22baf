//! Everything at the same moment: one outcome.

use toolgate_core::run::Run;
use toolgate_store::RunEnding;

use super::*;

crate::on_both!(
    many_admits_let_in_as_many_as_the_budget_has,
    many_admits_in_a_tree_let_in_as_many_as_its_root_has,
    many_answers_have_one_winner,
    an_answer_and_a_cancellation_have_one_outcome,
    the_same_question_of_many_is_one,
    nothing_is_let_in_after_the_end,
);

const MANY: usize = 40;

async fn let_in(tasks: Vec<tokio::task::JoinHandle<Result<(), RunError>>>) -> usize {
    let mut count = 0;
    for task in tasks {
        match task.await.expect("no panic") {
            Ok(()) => count += 1,
            Err(RunError::Exhausted(exhausted)) => assert_eq!(exhausted.limit, "calls"),
            Err(other) => panic!("{other:?}"),
        }
    }
    count
}

async fn many_admits_let_in_as_many_as_the_budget_has(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let run = create(&one, Run { budget: with_calls(7), ..a_run("1") }).await.id;
    let admits = (0..MANY).map(|number| {
        let (books, run) = (if number % 2 == 0 { one.clone() } else { two.clone() }, run.clone());
        tokio::spawn(async move { admit(&books, &run, &number.to_string()).await })
    });
    assert_eq!(let_in(admits.collect()).await, 7);
    assert_eq!(read(&store, &run).await.used.calls, 7);
    assert_eq!(store.run_calls(&run).await.expect("read").len(), 7);
    assert_eq!(story_of(&store, &run).await, ["run.created", "run.started"]);
}

async fn many_admits_in_a_tree_let_in_as_many_as_its_root_has(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let root = create(&one, Run { budget: with_calls(9), ..a_run("root") }).await.id;
    let children = [create_child(&one, "a", &root).await.id, create_child(&two, "b", &root).await.id];
    let leaf = create_child(&one, "leaf", &children[1]).await.id;
    let runs = [&root, &children[0], &children[1], &leaf];
    let admits = (0..MANY).map(|number| {
        let books = if number % 3 == 0 { one.clone() } else { two.clone() };
        let run = runs[number % runs.len()].clone();
        tokio::spawn(async move {
            let call = number.to_string();
            let admitted = admit(&books, &run, &call).await;
            if admitted.is_ok() {
                finish(&books, &run, &call).await;
            }
            admitted
        })
    });
    assert_eq!(let_in(admits.collect()).await, 9);
    let mut sum = 0;
    for run in runs {
        sum += store.run_calls(run).await.expect("read").len();
    }
    assert_eq!(sum, 9);
    let used = read(&store, &root).await.used;
    assert_eq!((used.calls, used.bytes), (9, 900));
}

async fn many_answers_have_one_winner(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for round in 0..3 {
        let run = create(&one, a_run(&round.to_string())).await.id;
        look_first(&one, &run).await;
        let asked = ask(&one, &round.to_string(), &run, a_slot("a")).await.expect("asked").id;
        let answers = (0..16).map(|number| {
            let (books, asked) = (if number % 2 == 0 { one.clone() } else { two.clone() }, asked.clone());
            tokio::spawn(
                async move { answer(&books, &asked, &format!("p{number}"), &number.to_string()).await },
            )
        });
        let (mut winners, mut losers) = (Vec::new(), Vec::new());
        for answered in answers.collect::<Vec<_>>() {
            match answered.await.expect("no panic") {
                Ok(input) => winners.push(input),
                Err(RunError::Resolved(input)) => losers.push(*input),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!((winners.len(), losers.len()), (1, 15));
        assert!(losers.iter().all(|lost| *lost == winners[0]), "everybody learns who was faster");
        let story = story_of(&store, &run).await;
        assert_eq!(story.iter().filter(|kind| **kind == "input.resolved").count(), 1);
        check_question(&store, &run).await;
        trace(&store, &run).await;
    }
}

async fn an_answer_and_a_cancellation_have_one_outcome(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let by = ada();
    for round in 0..6 {
        let run = create(&one, a_run(&round.to_string())).await.id;
        look_first(&one, &run).await;
        let asked = ask(&one, &round.to_string(), &run, a_slot("a")).await.expect("asked").id;
        let ending = RunEnding::Cancelled { reason: "operator".to_owned() };
        let (answered, ended) =
            tokio::join!(answer(&one, &asked, "bob", "x"), two.end_run(&run, &ending, None, later(&by, 60)));
        let ended = ended.expect("whichever came first, it can be cancelled");
        let state = store.input(&asked).await.expect("read").expect("there").state;
        match answered {
            Ok(_) => assert_eq!((state, ended.cancelled.len()), (InputState::Answered, 0)),
            Err(RunError::Resolved(input)) => {
                assert_eq!((state, input.state, ended.cancelled.len()), (InputState::Cancelled, state, 1));
            }
            Err(other) => panic!("{other:?}"),
        }
        check_question(&store, &run).await;
        trace(&store, &run).await;
    }
}

async fn the_same_question_of_many_is_one(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let run = create(&one, a_run("1")).await.id;
    look_first(&one, &run).await;
    let asks = (0..16).map(|number| {
        let (books, run) = (if number % 2 == 0 { one.clone() } else { two.clone() }, run.clone());
        tokio::spawn(async move { ask(&books, &number.to_string(), &run, a_slot("a")).await.expect("asked") })
    });
    let mut asked = Vec::new();
    for one in asks.collect::<Vec<_>>() {
        asked.push(one.await.expect("no panic").id);
    }
    assert!(asked.iter().all(|id| *id == asked[0]), "{asked:?}");
    let story = story_of(&store, &run).await;
    assert_eq!(story.iter().filter(|kind| **kind == "input.requested").count(), 1);
}

async fn nothing_is_let_in_after_the_end(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for round in 0..4 {
        let run = create(&one, a_run(&round.to_string())).await.id;
        let admits = (0..12).map(|number| {
            let (books, run) = (if number % 2 == 0 { one.clone() } else { two.clone() }, run.clone());
            tokio::spawn(async move { admit(&books, &run, &number.to_string()).await.is_ok() })
        });
        let admits: Vec<_> = admits.collect();
        let completed = complete(&two, &run, None).await;
        let mut admitted = 0;
        for admit in admits {
            admitted += usize::from(admit.await.expect("no panic"));
        }
        match completed {
            // It came before all of them, or nothing was admitted.
            Ok(_) => assert_eq!(admitted, 0),
            Err(RunError::InFlight(calls)) => assert!(!calls.is_empty() && admitted == 12),
            Err(other) => panic!("{other:?}"),
        }
        assert_eq!(store.run_calls(&run).await.expect("read").len(), admitted);
        trace(&store, &run).await;
    }
}
