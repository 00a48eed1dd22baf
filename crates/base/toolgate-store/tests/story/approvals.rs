//! People are asked, decide, and are not asked again.

use std::time::Duration;

use toolgate_core::approval::{ApprovalRefusal, ApprovalState, Ballot, WithdrawalReason};
use toolgate_core::decision::{OnTimeout, PolicyTemplate};
use toolgate_core::event::EventKind;
use toolgate_core::governance::{Approvals, DecideError, Ledger, NewApproval, StartRefused, VoteSubmission};
use toolgate_core::id::ApprovalId;
use toolgate_core::{CanonicalName, PrincipalId};
use toolgate_store::{ApprovalFilter, Store};

use crate::desk::{
    TOOL, agent, approve, binding, books, call, completed, deciding, deny, digest, edit, kinds, ledger,
    person, proposal, requirement, settings, settled, start, word,
};
use crate::world::StoreWorld;

crate::on_both!(
    an_approved_call_runs_once,
    a_yes_counts_for_what_its_giver_saw,
    a_no_needs_no_second_look,
    all_for_whom_one_sender_speaks_count_once,
    every_step_is_in_the_ledger_with_its_actor,
    an_identical_call_joins_and_any_difference_does_not,
    a_denied_call_never_runs_and_may_be_asked_again,
    edited_arguments_are_what_may_run,
    two_people_must_agree_where_the_gate_says_so,
    who_may_not_vote_changes_nothing,
    nothing_else_runs_under_an_approval,
    an_approval_that_nobody_decides_expires,
    escalation_asks_others_once_and_then_expires,
    a_yes_that_nobody_uses_lapses,
    an_identical_call_after_the_time_is_asked_anew,
    a_restart_loses_nothing,
    pages_are_newest_first_and_stable,
    an_approval_that_does_not_exist_is_unknown,
    odd_names_are_kept,
);

async fn state(store: &Store, id: &ApprovalId) -> ApprovalState {
    store.get_approval(id).await.expect("read").expect("is there").state
}

async fn an_approved_call_runs_once(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let opened = books.open(proposal("1", 100)).await.expect("asked");
    assert!(!opened.joined && opened.approval.id.as_str().starts_with("apr_"));
    let pending = start(&books, &opened.approval, "1").await;
    assert_eq!(pending, Err(ApprovalRefusal::Settled(ApprovalState::Pending).into()));

    let decided = approve(&books, &opened.approval.id).await.expect("approved").approval;
    assert_eq!(decided.state, ApprovalState::Approved);
    start(&books, &decided, "1").await.expect("started");
    assert_eq!(start(&books, &decided, "2").await, Err(ApprovalRefusal::Settled(ApprovalState::Used).into()));
    books.append(completed("1")).await.expect("completed");
    let kept = books.get(&decided.id).await.expect("read").expect("is there");
    assert_eq!((kept.state, kept.used_by), (ApprovalState::Used, Some(call("1"))));
}

async fn every_step_is_in_the_ledger_with_its_actor(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let opened = books.open(proposal("1", 100)).await.expect("asked").approval;
    assert_eq!(
        (&opened.agent, opened.template),
        (&proposal("1", 100).agent, Some(PolicyTemplate::Regulated))
    );
    assert_eq!(store.get_approval(&opened.id).await.expect("read").as_ref(), Some(&opened));
    books.open(proposal("2", 100)).await.expect("joined");
    let decided = approve(&books, &opened.id).await.expect("approved").approval;
    start(&books, &decided, "2").await.expect("started");

    let ledger = ledger(&store).await;
    let told: Vec<_> = ledger
        .iter()
        .map(|one| {
            let call = one.event.about.call.as_ref().expect("a call").as_str();
            (one.event.kind.as_str(), one.event.principal.as_str(), call)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("approval.requested", "agent", "tc_1"),
            ("approval.joined", "agent", "tc_2"),
            ("approval.voted", "alice", "tc_1"),
            ("approval.resolved", "alice", "tc_1"),
            ("approval.consumed", "agent", "tc_2"),
            ("tool.call.started", "agent", "tc_2"),
        ]
    );
    for one in &ledger[..5] {
        assert_eq!(one.event.approval.as_ref(), Some(&opened.id));
        assert_eq!(one.event.policy_version, opened.policy_version);
        let about = &one.event.about;
        assert_eq!(about.tool.as_ref().map(CanonicalName::as_str), Some(TOOL));
        assert_eq!(about.server.as_ref().map(|server| server.as_str()), Some("bank"));
        assert_eq!(about.tool_version, Some(opened.binding.tool_version));
        assert_eq!(about.task.as_deref(), Some("pay"));
    }
    let detail = |place: usize| -> serde_json::Value {
        ledger[place].event.detail.as_ref().expect("a detail").decode().expect("JSON")
    };
    assert_eq!(detail(0)["quorum"], 1);
    assert_eq!(detail(0)["expires_at_ms"], opened.expires_at_ms);
    assert_eq!(
        detail(2),
        serde_json::json!({ "ballot": "approve", "via": "api", "reason": "because", "edited": false })
    );
    let plain = digest(100).to_string();
    assert!(ledger.iter().all(|one| !format!("{one:?}").contains(&plain)), "no line has a plain digest");
    let waited_ms = ledger[3].event.at_ms - ledger[0].event.at_ms;
    assert_eq!(detail(3), serde_json::json!({ "state": "approved", "waited_ms": waited_ms }));
}

async fn an_identical_call_joins_and_any_difference_does_not(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let first = books.open(proposal("1", 100)).await.expect("asked").approval;
    let second = books.open(proposal("2", 100)).await.expect("asked");
    assert!(second.joined);
    assert_eq!(second.approval, first);

    let mut others = vec![proposal("3", 101)];
    for change in 0..4 {
        let mut other = proposal("3", 100);
        match change {
            0 => other.binding.principal = PrincipalId::new("another"),
            1 => other.binding.tool = CanonicalName::recorded("bank:balance"),
            2 => other.binding.tool_version = digest(1),
            _ => other.binding.policies = digest(1),
        }
        others.push(other);
    }
    for other in others {
        let opened = books.open(other.clone()).await.expect("asked");
        assert!(!opened.joined, "{:?}", other.binding);
    }
    // Also while it is approved and not used: the returning caller finds the approval.
    approve(&books, &first.id).await.expect("approved");
    let later = books.open(proposal("4", 100)).await.expect("asked");
    assert!(later.joined);
    assert_eq!((later.approval.id, later.approval.state), (first.id, ApprovalState::Approved));
}

async fn a_denied_call_never_runs_and_may_be_asked_again(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let first = books.open(proposal("1", 100)).await.expect("asked").approval;
    let denied = deny(&books, &first.id).await.expect("denied").approval;
    assert_eq!((denied.state, denied.reason()), (ApprovalState::Denied, Some("because")));
    assert_eq!(approve(&books, &first.id).await, Err(settled(ApprovalState::Denied)));
    // The same vote again is not a contradiction.
    assert_eq!(deny(&books, &first.id).await.expect("said before").approval, denied);
    let refused = start(&books, &denied, "1").await;
    assert_eq!(refused, Err(ApprovalRefusal::Settled(ApprovalState::Denied).into()));

    let missed = books.open(proposal("2", 100)).await.expect("told").approval;
    assert_eq!(
        (&missed.id, missed.state),
        (&first.id, ApprovalState::Denied),
        "its caller has not heard of it"
    );
    books.told(&first.id).await.expect("noted");
    let again = books.open(proposal("2", 100)).await.expect("asked");
    assert!(!again.joined && again.approval.id != first.id);
    let sent_back = deciding(&again.approval.id, "bob", Ballot::RequestChanges);
    let sent_back = books.decide(sent_back).await.expect("sent back").approval;
    assert_eq!(sent_back.state, ApprovalState::ChangesRequested);
    assert_eq!(
        kinds(&store).await,
        [
            "approval.requested",
            "approval.voted",
            "approval.resolved",
            "approval.requested",
            "approval.voted",
            "approval.resolved"
        ]
    );
}

async fn edited_arguments_are_what_may_run(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let first = books.open(proposal("1", 100)).await.expect("asked").approval;
    let edited = books.decide(deciding(&first.id, "alice", edit(50))).await.expect("edited").approval;
    assert_eq!((edited.state, edited.effective), (ApprovalState::Approved, digest(50)));
    assert_eq!(edited.proposed_arguments.as_ref(), Some(&first.arguments));
    let proposed = start(&books, &first, "1").await;
    assert_eq!(proposed, Err(ApprovalRefusal::Changed.into()));
    start(&books, &edited, "1").await.expect("the edited call runs");

    let mut strict = proposal("2", 200);
    strict.requirement.editable = false;
    let strict = books.open(strict).await.expect("asked").approval;
    let refused = books.decide(deciding(&strict.id, "alice", edit(50))).await;
    assert_eq!(refused, Err(DecideError::Refused(ApprovalRefusal::NotEditable)));
    assert_eq!(books.get(&strict.id).await.expect("read"), Some(strict));
}

async fn two_people_must_agree_where_the_gate_says_so(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut new = proposal("1", 100);
    new.requirement.quorum = 2;
    let id = books.open(new).await.expect("asked").approval.id;
    assert_eq!(approve(&books, &id).await.expect("counted").approval.state, ApprovalState::Pending);
    assert_eq!(approve(&books, &id).await.expect("repeated").approval.votes.len(), 1);
    let second = deciding(&id, "bob", Ballot::Approve);
    assert_eq!(books.decide(second).await.expect("agreed").approval.state, ApprovalState::Approved);
    assert_eq!(
        kinds(&store).await,
        ["approval.requested", "approval.voted", "approval.voted", "approval.resolved"]
    );
}

/// An edit of a call that two people must agree to.
fn edit_for_two(amount: u32) -> Ballot {
    let mut ballot = edit(amount);
    if let Ballot::Edit { requirement, .. } = &mut ballot {
        requirement.quorum = 2;
    }
    ballot
}

async fn a_yes_counts_for_what_its_giver_saw(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut new = proposal("1", 100);
    new.requirement.quorum = 2;
    let opened = books.open(new).await.expect("asked").approval;
    let id = opened.id;
    let yes = |shown| {
        let mut vote = deciding(&id, "bob", Ballot::Approve);
        vote.word.shown = shown;
        vote
    };
    let edited = books.decide(deciding(&id, "alice", edit_for_two(50))).await.expect("edited").approval;
    assert_eq!((edited.state, edited.agreed()), (ApprovalState::Pending, 1));
    for unseen in [Some(opened.effective), None] {
        let refused = books.decide(yes(unseen)).await;
        assert_eq!(refused, Err(DecideError::Refused(ApprovalRefusal::Edited)));
    }
    assert_eq!(books.get(&id).await.expect("read").as_ref(), Some(&edited), "nothing has changed");
    let agreed = books.decide(yes(Some(edited.effective))).await.expect("seen").approval;
    assert_eq!((agreed.state, agreed.agreed()), (ApprovalState::Approved, 2));
}

async fn a_no_needs_no_second_look(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut new = proposal("1", 100);
    new.requirement.quorum = 2;
    let id = books.open(new).await.expect("asked").approval.id;
    books.decide(deciding(&id, "alice", edit_for_two(50))).await.expect("edited");
    let rejected = books.decide(deciding(&id, "bob", Ballot::Deny)).await.expect("a no").approval;
    assert_eq!(rejected.state, ApprovalState::Denied);
}

async fn all_for_whom_one_sender_speaks_count_once(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut new = proposal("1", 100);
    new.requirement.quorum = 2;
    let id = books.open(new).await.expect("asked").approval.id;
    let through = |who: &str| {
        let mut vote = deciding(&id, who, Ballot::Approve);
        vote.word.counts_as = Some("webhook:chat".into());
        vote
    };
    for who in ["alice", "bob", "carol"] {
        let approval = books.decide(through(who)).await.expect("counted").approval;
        assert_eq!((approval.state, approval.agreed()), (ApprovalState::Pending, 1), "{who}");
    }
    let own = books.decide(deciding(&id, "bob", Ballot::Approve)).await.expect("bob himself").approval;
    assert_eq!((own.state, own.agreed()), (ApprovalState::Approved, 2));
}

async fn who_may_not_vote_changes_nothing(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let opener = person("olga", &["finance"]);
    let new = NewApproval { opened_by: Some(opener.id.clone()), ..proposal("1", 100) };
    let opened = books.open(new).await.expect("asked").approval;
    let vote = |voter| VoteSubmission {
        word: word(voter, Ballot::Approve),
        ..deciding(&opened.id, "alice", Ballot::Approve)
    };
    let refusals = [
        (agent(), ApprovalRefusal::Requester),
        (opener, ApprovalRefusal::Requester),
        (person("carol", &["lunch"]), ApprovalRefusal::NotInGroup),
        (
            toolgate_core::Principal {
                kind: toolgate_core::PrincipalKind::Service,
                ..person("bot", &["finance"])
            },
            ApprovalRefusal::NotAPerson,
        ),
    ];
    for (voter, refusal) in refusals {
        assert_eq!(books.decide(vote(voter)).await, Err(DecideError::Refused(refusal)));
    }
    assert_eq!(books.get(&opened.id).await.expect("read"), Some(opened));
    assert_eq!(kinds(&store).await, ["approval.requested"]);
}

async fn nothing_else_runs_under_an_approval(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let opened = books.open(proposal("1", 100)).await.expect("asked").approval;
    let approved = approve(&books, &opened.id).await.expect("approved").approval;
    let mut other = approved.clone();
    other.binding = binding(101);
    let mut edited = approved.clone();
    edited.effective = digest(101);
    let mut foreign = approved.clone();
    foreign.id = ApprovalId::new("apr_none");
    for wrong in [other, edited, foreign] {
        assert_eq!(start(&books, &wrong, "1").await, Err(ApprovalRefusal::Changed.into()));
    }
    assert!(!kinds(&store).await.contains(&"tool.call.started"));
    start(&books, &approved, "1").await.expect("the right one still runs");
}

async fn an_approval_that_nobody_decides_expires(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let opened = books.open(NewApproval { timeout: Duration::ZERO, ..proposal("1", 100) }).await;
    let opened = opened.expect("asked").approval;
    let id = opened.id.clone();
    assert_eq!(approve(&books, &id).await, Err(DecideError::Refused(ApprovalRefusal::Expired)));
    let kept = books.open(proposal("2", 200)).await.expect("asked").approval.id;
    let expired = books.expire_due().await.expect("swept");
    assert_eq!(
        expired.iter().map(|one| (&one.id, one.state)).collect::<Vec<_>>(),
        [(&id, ApprovalState::Expired)]
    );
    assert_eq!(state(&store, &kept).await, ApprovalState::Pending);
    assert_eq!(books.expire_due().await.expect("swept"), []);
    assert_eq!(approve(&books, &id).await, Err(settled(ApprovalState::Expired)));
    let last = ledger(&store).await.pop().expect("events");
    assert_eq!((last.event.kind, last.event.principal.as_str()), (EventKind::ApprovalResolved, "gateway"));
    let detail: serde_json::Value = last.event.detail.expect("a detail").decode().expect("JSON");
    let waited_ms = last.event.at_ms - opened.created_at_ms;
    assert_eq!(detail, serde_json::json!({ "state": "expired", "waited_ms": waited_ms }));
}

async fn escalation_asks_others_once_and_then_expires(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut new = proposal("1", 100);
    new.requirement.on_timeout = OnTimeout::Escalate;
    let opened = books.open(new).await.expect("asked").approval;
    let first = books.expire_due_at(opened.expires_at_ms).await.expect("swept");
    assert_eq!(first[0].escalated_to.as_deref(), Some(&["bosses".to_owned()][..]));
    assert_eq!(first[0].state, ApprovalState::Pending);
    assert!(first[0].expires_at_ms > opened.expires_at_ms);
    let second = books.expire_due_at(first[0].expires_at_ms).await.expect("swept");
    assert_eq!(second[0].state, ApprovalState::Expired);
    assert_eq!(kinds(&store).await, ["approval.requested", "approval.escalated", "approval.resolved"]);
}

async fn a_yes_that_nobody_uses_lapses(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let opened = books.open(proposal("1", 100)).await.expect("asked").approval;
    let approved = approve(&books, &opened.id).await.expect("approved").approval;
    let lapsed = books.expire_due_at(approved.expires_at_ms).await.expect("swept");
    assert_eq!(lapsed[0].state, ApprovalState::Lapsed);
    let refused = start(&books, &approved, "1").await;
    assert_eq!(refused, Err(ApprovalRefusal::Settled(ApprovalState::Lapsed).into()));
}

async fn an_identical_call_after_the_time_is_asked_anew(world: StoreWorld) {
    let store = world.open().await;
    let quick = toolgate_store::BooksSettings { approved_valid: Duration::ZERO, ..settings("one") };
    let books = store.books(quick).await.expect("opened");
    let first = books.open(NewApproval { timeout: Duration::ZERO, ..proposal("1", 100) }).await;
    let first = first.expect("asked").approval.id;
    let missed = books.open(proposal("2", 100)).await.expect("told").approval;
    assert_eq!((&missed.id, missed.state), (&first, ApprovalState::Expired), "nobody swept it up yet");
    assert_eq!(state(&store, &first).await, ApprovalState::Expired);
    books.told(&first).await.expect("noted");
    let second = books.open(proposal("2", 100)).await.expect("asked");
    assert!(!second.joined, "it was told");
    let approved = approve(&books, &second.approval.id).await.expect("approved").approval;
    assert_eq!(start(&books, &approved, "2").await, Err(ApprovalRefusal::Expired.into()));
    assert!(!books.open(proposal("3", 100)).await.expect("asked").joined);
    assert_eq!(state(&store, &approved.id).await, ApprovalState::Lapsed);
}

async fn a_restart_loses_nothing(world: StoreWorld) {
    let store = world.open().await;
    let before = books(&store).await;
    let mut new = proposal("1", 100);
    new.requirement.quorum = 2;
    let id = before.open(new.clone()).await.expect("asked").approval.id;
    let voted = approve(&before, &id).await.expect("counted").approval;
    drop((before, store));

    let store = world.open().await;
    let after = books(&store).await;
    let joined = after.open(NewApproval { call: call("2"), ..new }).await.expect("asked");
    assert!(joined.joined);
    assert_eq!(joined.approval, voted);
    let second = after.decide(deciding(&id, "bob", Ballot::Approve)).await.expect("agreed").approval;
    start(&after, &second, "2").await.expect("runs");
    assert_eq!(state(&store, &id).await, ApprovalState::Used);
}

async fn pages_are_newest_first_and_stable(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut ids = Vec::new();
    for amount in 0..7 {
        ids.push(books.open(proposal("1", amount)).await.expect("asked").approval.id);
    }
    deny(&books, &ids[2]).await.expect("denied");
    ids.reverse();
    let everything = ApprovalFilter::default();
    let (page, cursor) = store.list_approvals(&everything, None, 3).await.expect("listed");
    assert_eq!(page.iter().map(|one| &one.id).collect::<Vec<_>>(), ids[..3].iter().collect::<Vec<_>>());
    books.open(proposal("1", 99)).await.expect("one more in front");
    let (page, cursor) = store.list_approvals(&everything, cursor.as_deref(), 3).await.expect("listed");
    assert_eq!(page.iter().map(|one| &one.id).collect::<Vec<_>>(), ids[3..6].iter().collect::<Vec<_>>());
    let (page, cursor) = store.list_approvals(&everything, cursor.as_deref(), 3).await.expect("listed");
    assert_eq!((page.len(), cursor), (1, None));

    let listed =
        async |filter: ApprovalFilter| store.list_approvals(&filter, None, 50).await.expect("listed").0;
    let rejected = ApprovalFilter { state: Some(ApprovalState::Denied), ..everything.clone() };
    assert_eq!(listed(rejected.clone()).await.iter().map(|one| &one.id).collect::<Vec<_>>(), [&ids[4]]);
    let mine = ApprovalFilter { principal: Some(agent().id), ..rejected.clone() };
    assert_eq!(listed(mine).await.len(), 1);
    let others = ApprovalFilter { principal: Some(PrincipalId::new("other")), ..rejected };
    assert_eq!(listed(others).await, []);
    let tool = ApprovalFilter { tool: Some(CanonicalName::recorded(TOOL)), ..everything.clone() };
    assert_eq!(listed(tool).await.len(), 8);
    let (page, _) = store.list_approvals(&everything, Some("nonsense\0"), 0).await.expect("listed");
    assert!(page.len() <= 1);
}

async fn an_approval_that_does_not_exist_is_unknown(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    for id in ["apr_none", "", "\0"].map(ApprovalId::new) {
        assert_eq!(books.get(&id).await.expect("read"), None);
        assert_eq!(approve(&books, &id).await, Err(DecideError::Unknown(id.clone())));
        let cancelled = books.cancel(&id, &agent().id, WithdrawalReason::ByCaller).await;
        assert_eq!(cancelled, Err(DecideError::Unknown(id)));
    }
    assert_eq!(kinds(&store).await, Vec::<&str>::new());
}

async fn odd_names_are_kept(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut odd = proposal("1\0", 100);
    odd.binding.tool = CanonicalName::recorded(&format!("bank:\0{}", "x".repeat(5_000)));
    odd.requirement = requirement();
    let opened = books.open(odd.clone()).await.expect("asked").approval;
    assert_eq!(store.get_approval(&opened.id).await.expect("read"), Some(opened.clone()));
    assert!(books.open(odd).await.expect("asked").joined);
    approve(&books, &opened.id).await.expect("approved");
    let refused: Result<(), StartRefused> = start(&books, &opened, "1").await;
    refused.expect("runs");
    ledger(&store).await;
}
