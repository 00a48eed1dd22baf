//! Loops follow their runs, and a run goes on when what it waits for is resolved.

use toolgate_core::PrincipalId;
use toolgate_core::approval::{Approval, WithdrawalReason};
use toolgate_core::governance::{Approvals as _, NewApproval};
use toolgate_core::run::{ActionKind, LoopState, RequiredAction, RunState};
use toolgate_store::{NewSessionError, RunEnding, StoredSession, clock};

use super::*;
use crate::desk::{approve, deny, proposal};
use crate::runs::{
    a_slot, answer as answer_question, ask as ask_person, look_first, place, prove_ledger, read, story_of,
};
use crate::sessions::{no_more_than, session};

crate::on_both!(
    a_loop_follows_its_run,
    a_loop_ends_with_the_run_above_it,
    a_run_goes_on_however_its_approval_is_resolved,
    runs_that_share_an_approval_all_go_on,
    a_decision_before_the_wait_is_not_missed,
    no_other_approval_lets_it_go_on,
    each_approval_of_its_own_calls_lets_it_go_on,
    a_decision_on_another_call_before_the_wait_is_not_missed,
    an_operators_pause_outlasts_the_approval,
    an_answer_lets_it_go_on,
    an_answer_before_the_wait_is_not_missed,
    a_person_gives_a_stuck_run_another_chance,
    the_session_of_a_run_that_waits_takes_no_place,
);

fn action(kind: ActionKind, id: &str) -> RequiredAction {
    RequiredAction { kind, id: id.to_owned(), since_ms: NOW_MS + 450, how: "decide".to_owned() }
}

async fn wait(books: &Books, lease: &LoopLease, action: RequiredAction) {
    let by = PrincipalId::gateway();
    books.wait_loop(lease, action, &[], later(&by, 500)).await.expect("it waits");
}

/// A run that waits for an approval of this amount, and the approval.
async fn waiting(store: &Store, books: &Books, name: &str, amount: u32) -> (RunId, Approval) {
    let run = driven(books, name).await;
    let lease = claim(store, &run).await;
    ask(books, &lease, 1).await.expect("asked");
    answer(books, &lease, 1, 1).await.expect("answered");
    let approval = books.open(proposal(name, amount)).await.expect("asked").approval;
    let action = action(ActionKind::Approval, approval.id.as_str());
    wait(books, &lease, action.clone()).await;
    let kept = look(store, &run).await;
    assert_eq!((kept.state, kept.action.as_ref()), (LoopState::Waiting, Some(&action)));
    assert_eq!((kept.owner, kept.fence), (None, 1));
    let paused = read(store, &run).await;
    assert_eq!((paused.state, paused.reason.as_deref()), (RunState::Paused, Some("approval")));
    assert_lost(act(books, &lease, 1, 1).await);
    (run, approval)
}

async fn assert_goes_on(store: &Store, run: &RunId) {
    assert_eq!(read(store, run).await.state, RunState::Running);
    let kept = look(store, run).await;
    assert_eq!((kept.state, kept.action, kept.owner), (LoopState::Ready, None, None));
    assert!(store.due_loops(i64::MAX, 100).await.expect("read").contains(run));
}

async fn a_loop_follows_its_run(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, by) = (driven(&books, "1").await, ada());
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    assert!(store.release_loop(&lease, NOW_MS + 60_000).await.expect("asked"));
    books.pause_run(&run, "operator", later(&by, 300)).await.expect("paused");
    assert_eq!(look(&store, &run).await.state, LoopState::Waiting);
    assert_eq!(
        store.claim_loop(&run, "two", UNTIL_MS + 60_000, UNTIL_MS + 60_000).await.expect("asked"),
        None
    );
    books.resume_run(&run, later(&by, 400)).await.expect("resumed");
    assert_eq!(look(&store, &run).await.state, LoopState::Ready);
    assert_eq!(store.due_loops(NOW_MS + 400, 10).await.expect("read"), std::slice::from_ref(&run), "at once");
    let ending = RunEnding::Cancelled { reason: "operator".to_owned() };
    let lease = store.claim_loop(&run, desk::STREAM, NOW_MS + 400, UNTIL_MS).await.expect("asked");
    let lease = lease.expect("claimed").0;
    books.end_run(&run, &ending, None, later(&by, 500)).await.expect("ended");
    assert_eq!(look(&store, &run).await.state, LoopState::Done);
    // Late answers are kept, and lead nowhere.
    answer(&books, &lease, 1, 0).await.expect("kept");
    assert!(ask(&books, &lease, 2).await.is_err());
    wait(&books, &lease, action(ActionKind::Stuck, "")).await;
    assert_eq!((look(&store, &run).await.state, look(&store, &run).await.action), (LoopState::Done, None));
    assert!(store.due_loops(UNTIL_MS * 2, 10).await.expect("read").is_empty());
}

async fn a_loop_ends_with_the_run_above_it(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (root, by) = (create(&books, a_run("root")).await.id, ada());
    crate::runs::create_child(&books, "child", &root).await;
    let child = begin(&books, "child").await;
    let ending = RunEnding::Failed { reason: "operator".to_owned() };
    books.end_run(&root, &ending, None, later(&by, 500)).await.expect("ended");
    assert_eq!(look(&store, &child).await.state, LoopState::Done);
}

async fn a_run_goes_on_however_its_approval_is_resolved(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for (amount, way) in (1..).zip(["approve", "deny", "cancel", "expire", "expire when asked again"]) {
        let (run, approval) = waiting(&store, &books, &amount.to_string(), amount).await;
        assert!(!store.due_loops(i64::MAX, 100).await.expect("read").contains(&run));
        match way {
            "approve" => drop(approve(&books, &approval.id).await.expect("approved")),
            "deny" => drop(deny(&books, &approval.id).await.expect("denied")),
            "cancel" => {
                let by = PrincipalId::new("agent");
                let cancelled = books.cancel(&approval.id, &by, WithdrawalReason::ByCaller).await;
                cancelled.expect("cancelled");
            }
            "expire" => {
                let late_ms = approval.expires_at_ms + 1;
                let ended = books.expire_due_at(late_ms).await.expect("swept");
                assert!(ended.iter().any(|one| one.id == approval.id));
            }
            _ => {
                let text = format!(
                    "UPDATE approvals SET expires_at_ms = 1, body = REPLACE(body, '{}', '1') WHERE id = '{}'",
                    approval.expires_at_ms, approval.id
                );
                assert_eq!(world.sql(&text).await, 1);
                books.open(proposal("again", amount)).await.expect("asked");
            }
        }
        assert_goes_on(&store, &run).await;
        let told = story_of(&store, &run).await;
        assert_eq!(told.last(), Some(&"run.resumed"), "{way}: {told:?}");
        assert_eq!(told.iter().filter(|kind| **kind == "run.resumed").count(), 1, "{way}");
    }
    prove_ledger(&store).await;
}

async fn runs_that_share_an_approval_all_go_on(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (one, approval) = waiting(&store, &books, "1", 7).await;
    let (two, same) = waiting(&store, &books, "2", 7).await;
    assert_eq!(same.id, approval.id, "the same call is asked about once");
    approve(&books, &approval.id).await.expect("approved");
    assert_goes_on(&store, &one).await;
    assert_goes_on(&store, &two).await;
}

async fn a_decision_before_the_wait_is_not_missed(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    let approval = books.open(proposal("1", 1)).await.expect("asked").approval;
    approve(&books, &approval.id).await.expect("approved");
    wait(&books, &lease, action(ActionKind::Approval, approval.id.as_str())).await;
    assert_goes_on(&store, &run).await;
    assert!(!story_of(&store, &run).await.contains(&"run.paused"));
}

async fn no_other_approval_lets_it_go_on(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, approval) = waiting(&store, &books, "1", 1).await;
    let other = books.open(proposal("2", 2)).await.expect("asked").approval;
    approve(&books, &other.id).await.expect("approved");
    assert_eq!(read(&store, &run).await.state, RunState::Paused);
    assert_eq!(look(&store, &run).await.action.map(|action| action.id), Some(approval.id.to_string()));
}

/// An approval that another call of the run asks for.
async fn also(books: &Books, run: &RunId, amount: u32) -> Approval {
    let proposal = NewApproval { run: Some(run.clone()), ..proposal(&format!("also-{amount}"), amount) };
    books.open(proposal).await.expect("asked").approval
}

async fn each_approval_of_its_own_calls_lets_it_go_on(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, first) = waiting(&store, &books, "1", 1).await;
    let (other, _) = waiting(&store, &books, "2", 2).await;
    let second = also(&books, &run, 3).await;
    approve(&books, &second.id).await.expect("approved");
    assert_goes_on(&store, &run).await;
    assert_eq!(read(&store, &other).await.state, RunState::Paused, "it is not about its calls");
    // The first is still open: it waits again.
    let far_ms = clock::now_ms().max(NOW_MS) + 60_000;
    let taken = store.claim_loop(&run, desk::STREAM, far_ms, far_ms + 1_000).await.expect("asked");
    wait(&books, &taken.expect("claimed").0, action(ActionKind::Approval, first.id.as_str())).await;
    assert_eq!(read(&store, &run).await.state, RunState::Paused);
    approve(&books, &first.id).await.expect("approved");
    assert_goes_on(&store, &run).await;
}

async fn a_decision_on_another_call_before_the_wait_is_not_missed(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, by) = (driven(&books, "1").await, PrincipalId::gateway());
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    let (first, second) = (also(&books, &run, 1).await, also(&books, &run, 2).await);
    approve(&books, &second.id).await.expect("approved");
    let first = action(ActionKind::Approval, first.id.as_str());
    books.wait_loop(&lease, first, &[second.id], later(&by, 500)).await.expect("given back");
    assert_goes_on(&store, &run).await;
    assert!(!story_of(&store, &run).await.contains(&"run.paused"));
}

async fn an_operators_pause_outlasts_the_approval(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, by) = (driven(&books, "1").await, ada());
    let lease = claim(&store, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    let approval = books.open(proposal("1", 1)).await.expect("asked").approval;
    books.pause_run(&run, "operator", later(&by, 300)).await.expect("paused");
    wait(&books, &lease, action(ActionKind::Approval, approval.id.as_str())).await;
    approve(&books, &approval.id).await.expect("approved");
    let paused = read(&store, &run).await;
    assert_eq!((paused.state, paused.reason.as_deref()), (RunState::Paused, Some("operator")));
    books.resume_run(&run, later(&by, 600)).await.expect("resumed");
    assert_goes_on(&store, &run).await;
}

async fn an_answer_lets_it_go_on(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    look_first(&books, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    let question = ask_person(&books, "1", &run, a_slot("tone")).await.expect("asked");
    assert_eq!(look(&store, &run).await.state, LoopState::Waiting, "with its run");
    wait(&books, &lease, action(ActionKind::Question, question.id.as_str())).await;
    let paused = read(&store, &run).await;
    assert_eq!((paused.state, paused.reason.as_deref()), (RunState::Paused, Some("input")));
    assert_eq!(look(&store, &run).await.action.map(|action| action.kind), Some(ActionKind::Question));
    answer_question(&books, &question.id, "bob", "dry").await.expect("answered");
    assert_goes_on(&store, &run).await;
}

async fn an_answer_before_the_wait_is_not_missed(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    look_first(&books, &run).await;
    ask(&books, &lease, 1).await.expect("asked");
    let question = ask_person(&books, "1", &run, a_slot("tone")).await.expect("asked");
    answer_question(&books, &question.id, "bob", "dry").await.expect("answered");
    wait(&books, &lease, action(ActionKind::Question, question.id.as_str())).await;
    assert_goes_on(&store, &run).await;
}

async fn a_person_gives_a_stuck_run_another_chance(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, by) = (driven(&books, "1").await, ada());
    let lease = claim(&store, &run).await;
    play(&books, &lease, 1, 1).await;
    books.add_loop_line(&lease, line("hurry"), false, later(&by, 410)).await.expect("added");
    assert!(!look(&store, &run).await.nudged);
    books.add_loop_line(&lease, line("you repeat yourself"), true, later(&by, 420)).await.expect("added");
    assert!(look(&store, &run).await.nudged);
    wait(&books, &lease, action(ActionKind::Stuck, "")).await;
    assert_eq!(read(&store, &run).await.reason.as_deref(), Some("stuck"));
    books.resume_run(&run, later(&by, 600)).await.expect("resumed");
    assert_goes_on(&store, &run).await;
    assert!(!look(&store, &run).await.nudged);
}

async fn the_session_of_a_run_that_waits_takes_no_place(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, approval) = waiting(&store, &books, "1", 7).await;
    let of = |name: &str, run: Option<RunId>| StoredSession { run, ..session(name) };
    let open = async |session: StoredSession| {
        books.create_session(&session, None, &no_more_than(1), Vec::new()).await.map(drop)
    };
    open(of("a", Some(run.clone()))).await.expect("it is the first");
    open(of("b", None)).await.expect("nobody works in the first");
    assert!(matches!(open(of("c", None)).await, Err(NewSessionError::TooMany { max: 1 })));
    approve(&books, &approval.id).await.expect("approved");
    assert_goes_on(&store, &run).await;
    let another = open(of("d", None)).await;
    assert!(matches!(another, Err(NewSessionError::TooMany { max: 1 })), "{another:?}");
}
