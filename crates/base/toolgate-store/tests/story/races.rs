//! Everything at the same moment: one outcome, and every waiter learns it.

use std::time::{Duration, Instant};

use toolgate_core::approval::{ApprovalRefusal, ApprovalState, Ballot, WithdrawalReason};
use toolgate_core::event::EventKind;
use toolgate_core::governance::{Approvals, DecideError};
use toolgate_core::id::ApprovalId;
use toolgate_store::{Books, Store};

use crate::desk::{agent, approve, books, deciding, deny, kinds, ledger, proposal, settings, settled, start};
use crate::world::StoreWorld;

crate::on_both!(
    many_who_contradict_each_other_have_one_outcome,
    approve_and_cancel_have_one_outcome,
    many_identical_calls_are_asked_about_once,
    a_quorum_is_reached_once,
    many_starts_under_one_approval_send_one_call,
    expiry_and_approval_have_one_outcome,
    a_decision_here_wakes_at_once,
    a_decision_elsewhere_wakes_soon,
    waiting_ends_for_many_and_leaves_nothing_behind,
);

/// Two gateways on one database.
async fn replicas(world: &StoreWorld) -> (Store, Store, Books, Books) {
    let (first, second) = (world.open().await, world.open().await);
    let one = books(&first).await;
    let two = second.books(settings("two")).await.expect("opened");
    (first, second, one, two)
}

/// The states that the ledger tells of the approval's end.
async fn resolutions(store: &Store, id: &ApprovalId) -> Vec<String> {
    let all = ledger(store).await.into_iter();
    let of_this = all.filter(|one| {
        one.event.kind == EventKind::ApprovalResolved && one.event.approval.as_ref() == Some(id)
    });
    of_this
        .map(|one| {
            let detail: serde_json::Value = one.event.detail.expect("a detail").decode().expect("JSON");
            detail["state"].as_str().expect("a state").to_owned()
        })
        .collect()
}

async fn many_who_contradict_each_other_have_one_outcome(world: StoreWorld) {
    let (store, _other, one, two) = replicas(&world).await;
    for round in 0..4 {
        let id = one.open(proposal("1", round)).await.expect("asked").approval.id;
        let votes = (0..16).map(|voter| {
            let books = if voter % 2 == 0 { one.clone() } else { two.clone() };
            let ballot = if voter % 3 == 0 { Ballot::Deny } else { Ballot::Approve };
            let vote = deciding(&id, &format!("voter {voter}"), ballot);
            tokio::spawn(async move { books.decide(vote).await })
        });
        let mut winners = Vec::new();
        let mut losers = Vec::new();
        for vote in votes.collect::<Vec<_>>() {
            match vote.await.expect("no panic") {
                Ok(decided) => winners.push(decided.approval.state),
                Err(error) => losers.push(error),
            }
        }
        assert_eq!((winners.len(), losers.len()), (1, 15));
        let state = store.get_approval(&id).await.expect("read").expect("is there").state;
        assert_eq!(winners, [state]);
        assert!(losers.iter().all(|lost| *lost == settled(state)), "{losers:?}");
        assert_eq!(resolutions(&store, &id).await, [state.as_str()]);
    }
}

async fn approve_and_cancel_have_one_outcome(world: StoreWorld) {
    let (store, _other, one, two) = replicas(&world).await;
    for round in 0..8 {
        let opened = one.open(proposal("1", round)).await.expect("asked").approval;
        let by = agent().id;
        let (approved, cancelled) =
            tokio::join!(approve(&one, &opened.id), two.cancel(&opened.id, &by, WithdrawalReason::ByCaller));
        cancelled.expect("whichever came first, it is not wanted any more");
        let state = store.get_approval(&opened.id).await.expect("read").expect("is there").state;
        match approved {
            Ok(_) => assert_eq!(state, ApprovalState::Lapsed),
            Err(error) => {
                let withdrawn = ApprovalRefusal::Withdrawn(WithdrawalReason::ByCaller);
                assert_eq!(error, DecideError::Refused(withdrawn));
                assert_eq!(state, ApprovalState::Cancelled);
            }
        }
        let refused = start(&one, &opened, "1").await;
        assert_eq!(refused, Err(ApprovalRefusal::Settled(state).into()));
        let again = two.cancel(&opened.id, &by, WithdrawalReason::ByCaller).await;
        assert_eq!(again, Err(settled(state)));
    }
}

async fn many_identical_calls_are_asked_about_once(world: StoreWorld) {
    let (store, _other, one, two) = replicas(&world).await;
    let calls = (0..16).map(|number| {
        let books = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { books.open(proposal(&format!("c{number}"), 100)).await.expect("asked") })
    });
    let mut opened = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        opened.push(call.await.expect("no panic"));
    }
    assert_eq!(opened.iter().filter(|opened| !opened.joined).count(), 1);
    assert!(opened.iter().all(|one| one.approval.id == opened[0].approval.id));
    let kinds = kinds(&store).await;
    assert_eq!(kinds.iter().filter(|kind| **kind == "approval.requested").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| **kind == "approval.joined").count(), 15);
}

async fn a_quorum_is_reached_once(world: StoreWorld) {
    let (store, _other, one, two) = replicas(&world).await;
    let mut new = proposal("1", 100);
    new.requirement.quorum = 5;
    let id = one.open(new).await.expect("asked").approval.id;
    let votes = (0..12).map(|voter| {
        let books = if voter % 2 == 0 { one.clone() } else { two.clone() };
        let vote = deciding(&id, &format!("voter {voter}"), Ballot::Approve);
        tokio::spawn(async move { books.decide(vote).await })
    });
    let (mut counted, mut late) = (0, 0);
    for vote in votes.collect::<Vec<_>>() {
        match vote.await.expect("no panic") {
            Ok(_) => counted += 1,
            Err(error) => {
                assert_eq!(error, settled(ApprovalState::Approved));
                late += 1;
            }
        }
    }
    assert_eq!((counted, late), (5, 7));
    let approval = store.get_approval(&id).await.expect("read").expect("is there");
    assert_eq!((approval.state, approval.votes.len()), (ApprovalState::Approved, 5), "no vote was lost");
    assert_eq!(resolutions(&store, &id).await.len(), 1);
}

async fn many_starts_under_one_approval_send_one_call(world: StoreWorld) {
    let (store, _other, one, two) = replicas(&world).await;
    let id = one.open(proposal("1", 100)).await.expect("asked").approval.id;
    let approved = approve(&one, &id).await.expect("approved").approval;
    let starts = (0..16).map(|number| {
        let (books, approved) = (if number % 2 == 0 { one.clone() } else { two.clone() }, approved.clone());
        tokio::spawn(async move { start(&books, &approved, &format!("c{number}")).await })
    });
    let mut sent = 0;
    for start in starts.collect::<Vec<_>>() {
        match start.await.expect("no panic") {
            Ok(()) => sent += 1,
            Err(refused) => {
                assert_eq!(refused, ApprovalRefusal::Settled(ApprovalState::Used).into());
            }
        }
    }
    assert_eq!(sent, 1);
    let kinds = kinds(&store).await;
    assert_eq!(kinds.iter().filter(|kind| **kind == "tool.call.started").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| **kind == "approval.consumed").count(), 1);
}

async fn expiry_and_approval_have_one_outcome(world: StoreWorld) {
    let (store, _other, one, two) = replicas(&world).await;
    for round in 0..8 {
        let opened = one.open(proposal("1", round)).await.expect("asked").approval;
        let (approved, expired) =
            tokio::join!(approve(&one, &opened.id), two.expire_due_at(opened.expires_at_ms));
        let expired = expired.expect("swept");
        let state = store.get_approval(&opened.id).await.expect("read").expect("is there").state;
        match approved {
            Ok(_) => assert_eq!(state, ApprovalState::Approved),
            Err(error) => {
                assert_eq!((error, state), (settled(ApprovalState::Expired), ApprovalState::Expired))
            }
        }
        let was_expired = expired.iter().any(|one| one.id == opened.id);
        assert_eq!(was_expired, state == ApprovalState::Expired);
        assert_eq!(resolutions(&store, &opened.id).await.len(), 1);
    }
}

async fn a_decision_here_wakes_at_once(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let id = books.open(proposal("1", 100)).await.expect("asked").approval.id;
    let waiting = tokio::spawn(books.left(&id, ApprovalState::Pending));
    let later = tokio::time::timeout(Duration::from_millis(400), books.left(&id, ApprovalState::Pending));
    assert!(later.await.is_err(), "nobody decided yet");
    approve(&books, &id).await.expect("approved");
    let start = Instant::now();
    assert_eq!(waiting.await.expect("woken").state, ApprovalState::Approved);
    assert!(start.elapsed() < Duration::from_millis(140), "without being looked for: {:?}", start.elapsed());
    let over = books.left(&id, ApprovalState::Pending).await;
    assert_eq!(over.state, ApprovalState::Approved, "what is over is known at once");
}

async fn a_decision_elsewhere_wakes_soon(world: StoreWorld) {
    let (_store, _other, one, two) = replicas(&world).await;
    for round in 0..3 {
        let id = one.open(proposal("1", round)).await.expect("asked").approval.id;
        let waiting = tokio::spawn(one.left(&id, ApprovalState::Pending));
        deny(&two, &id).await.expect("denied");
        let start = Instant::now();
        assert_eq!(waiting.await.expect("woken").state, ApprovalState::Denied);
        assert!(start.elapsed() < Duration::from_millis(1_000), "{:?}", start.elapsed());
    }
}

async fn waiting_ends_for_many_and_leaves_nothing_behind(world: StoreWorld) {
    let (_store, _other, one, two) = replicas(&world).await;
    let mut ids = Vec::new();
    let mut waiting = Vec::new();
    for amount in 0..20 {
        let id = one.open(proposal("1", amount)).await.expect("asked").approval.id;
        for _ in 0..5 {
            waiting.push(tokio::spawn(one.left(&id, ApprovalState::Pending)));
        }
        ids.push(id);
    }
    // Some leave before anything is decided.
    for gone in waiting.drain(..10) {
        gone.abort();
    }
    for (place, id) in ids.iter().enumerate() {
        let books = if place % 2 == 0 { &one } else { &two };
        let decided: Result<_, DecideError> = deny(books, id).await;
        decided.expect("denied");
    }
    for woken in waiting {
        assert_eq!(woken.await.expect("woken").state, ApprovalState::Denied);
    }
}
