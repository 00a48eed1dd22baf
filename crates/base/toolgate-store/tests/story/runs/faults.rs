//! The database fails at any operation: confirmed steps hold, and nothing is half done.

use toolgate_store::RunEnding;

use super::*;

crate::on_both!(any_single_operation_may_fail, the_database_may_go_away_at_any_operation);

/// More operations than the story has.
const OPERATIONS_MAX: u64 = 300;

/// The progress of a story, by the answers that its teller got.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum RunStory {
    #[default]
    Nothing,
    Created,
    Asked,
    Answered,
    Ended,
}

/// A run with a child run asks, gets its answer, asks again, and is cancelled from above.
async fn story(books: &Books, name: &str) -> RunStory {
    try_story(books, name).await.unwrap_or_else(|(told, error)| {
        assert!(matches!(error, RunError::Store(_)), "{error:?}");
        told
    })
}

async fn try_story(books: &Books, name: &str) -> Result<RunStory, (RunStory, RunError)> {
    let (by, root, child) = (ada(), id(name), id(&format!("{name}-child")));
    let act = later(&by, 0);
    books
        .create_run(Run { id: root.clone(), ..a_run("") }, act)
        .await
        .map_err(|error| (RunStory::Nothing, error))?;
    let inner = Run { id: child.clone(), parent: Some(root.clone()), ..a_run("") };
    books.create_run(inner, act).await.map_err(|error| (RunStory::Nothing, error))?;
    let asked = async |slot: &str| {
        for call in ["first", "second"] {
            admit(books, &child, call).await?;
            books.finish_run_call(&child, &call_id(call), DONE, NOW_MS + 20).await?;
        }
        ask(books, &format!("{name}-{slot}"), &child, a_slot(slot)).await
    };
    let input = asked("a").await.map_err(|error| (RunStory::Created, error))?;
    answer(books, &input.id, "bob", "x").await.map_err(|error| (RunStory::Asked, error))?;
    asked("b").await.map_err(|error| (RunStory::Answered, error))?;
    let ending = RunEnding::Cancelled { reason: "operator".to_owned() };
    books.end_run(&root, &ending, None, act).await.map_err(|error| (RunStory::Answered, error))?;
    Ok(RunStory::Ended)
}

async fn check(store: &Store, told: &RunStory, name: &str) {
    let (root, child) = (id(name), id(&format!("{name}-child")));
    let known = store.run(&child).await.expect("read");
    let Some(known) = known else {
        assert_eq!(*told, RunStory::Nothing);
        return;
    };
    for run in [&root, &child] {
        trace(store, run).await;
        check_question(store, run).await;
    }
    let outer = read(store, &root).await;
    assert_eq!(outer.state.is_final(), known.state.is_final(), "they end together");
    assert_eq!(outer.used.calls, known.used.calls, "what is counted is counted above as well");
    if *told >= RunStory::Answered {
        let input = store.input(&InputId::new(format!("inp_{name}-a"))).await.expect("read").expect("asked");
        assert_eq!(input.state, InputState::Answered);
    }
    if *told == RunStory::Ended {
        assert_eq!((outer.state, known.reason.as_deref()), (RunState::Cancelled, Some("parent")));
    }
}

async fn sweep(world: &StoreWorld, fail: impl Fn(&Store, u64)) -> u64 {
    let (store, books) = place(world).await;
    for n in 1..OPERATIONS_MAX {
        let name = format!("n{n}");
        fail(&store, n);
        let told = Box::pin(story(&books, &name)).await;
        let clean = store.is_fault_to_come();
        store.fail_never();
        check(&store, &told, &name).await;
        if clean {
            assert_eq!(told, RunStory::Ended);
            prove_ledger(&store).await;
            return n;
        }
    }
    panic!("the story has no end");
}

async fn any_single_operation_may_fail(world: StoreWorld) {
    let operations = sweep(&world, |store, n| store.fail_nth(n)).await;
    assert!(operations > 60, "the failures were real: {operations}");
}

async fn the_database_may_go_away_at_any_operation(world: StoreWorld) {
    let operations = sweep(&world, |store, n| store.fail_from_nth(n)).await;
    assert!(operations > 60, "the failures were real: {operations}");
}
