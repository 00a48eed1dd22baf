//! Grants: calls that need no further approval.

use toolgate_core::approval::{ArgumentPin, Ballot, Grant};
use toolgate_core::governance::{Approvals, DecideError, Ledger, StartRefused, VoteSubmission, Warrant};
use toolgate_core::id::GrantId;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{Books, ErasureRequest, ErasureScope, GrantFilter};

use crate::desk::{
    agent, binding, books, call, deciding, digest, kinds, ledger, proposal, requirement, started, terms,
};
use crate::world::StoreWorld;

crate::on_both!(
    a_yes_with_terms_makes_a_grant,
    a_grant_is_used_up,
    many_calls_at_once_use_no_more_than_there_is,
    a_grant_that_was_revoked_or_has_expired_lets_nothing_pass,
    a_grant_is_for_one_principal_and_one_version_of_a_tool,
    one_person_cannot_grant_what_two_must_agree_to,
    a_round_is_taken_up_once,
    an_erasure_leaves_no_digest_of_an_argument,
);

async fn granted(books: &Books, uses: Option<u32>) -> Grant {
    let id = books.open(proposal("1", 100)).await.expect("asked").approval.id;
    let vote = VoteSubmission { grant: Some(terms(uses)), ..deciding(&id, "alice", Ballot::Approve) };
    books.decide(vote).await.expect("approved").grant.expect("a grant")
}

async fn live(books: &Books) -> Vec<Grant> {
    let binding = binding(100);
    books.grants(&binding.principal, &binding.tool, binding.tool_version).await.expect("read")
}

async fn start(books: &Books, grant: &Grant, id: &str) -> Result<(), StartRefused> {
    books.start(started(id), Warrant::Grant { id: grant.id.clone() }).await
}

async fn a_yes_with_terms_makes_a_grant(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let id = books.open(proposal("1", 100)).await.expect("asked").approval.id;
    let mut terms = terms(Some(2));
    terms.pins = vec![ArgumentPin { path: "/amount".into(), value: digest(100) }];
    let vote = VoteSubmission { grant: Some(terms.clone()), ..deciding(&id, "alice", Ballot::Approve) };
    let decided = books.decide(vote.clone()).await.expect("approved");
    let grant = decided.grant.clone().expect("a grant");
    assert!(grant.id.as_str().starts_with("grt_"));
    assert_eq!((&grant.principal, &grant.created_by), (&agent().id, &PrincipalId::new("alice")));
    assert_eq!((&grant.pins, grant.uses_left, &grant.approval), (&terms.pins, Some(2), &id));
    assert_eq!(grant.gates, [Digest::of("gate")]);
    assert!(grant.covers(&requirement()));
    assert_eq!(live(&books).await, std::slice::from_ref(&grant));
    assert_eq!(store.get_grant(&grant.id).await.expect("read"), Some(grant.clone()));
    assert_eq!(books.decide(vote).await.expect("said before"), decided);
    assert_eq!(
        kinds(&store).await,
        ["approval.requested", "approval.voted", "approval.resolved", "grant.created"]
    );
    // A denial with terms is a denial.
    let other = books.open(proposal("2", 200)).await.expect("asked").approval.id;
    let no = VoteSubmission { grant: Some(terms), ..deciding(&other, "alice", Ballot::Deny) };
    assert_eq!(books.decide(no).await.expect("denied").grant, None);
}

async fn a_grant_is_used_up(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let grant = granted(&books, Some(2)).await;
    start(&books, &grant, "2").await.expect("once");
    assert_eq!(live(&books).await[0].uses_left, Some(1));
    start(&books, &grant, "3").await.expect("twice");
    assert_eq!(start(&books, &grant, "4").await, Err(StartRefused::Grant));
    assert_eq!(live(&books).await, []);
    assert_eq!(store.list_grants(GrantFilter::Live).await.expect("listed"), []);
    assert_eq!(store.list_grants(GrantFilter::All).await.expect("listed")[0].uses_left, Some(0));
    let told = ledger(&store).await;
    let used: Vec<_> = told.iter().filter(|one| one.event.kind.as_str() == "grant.used").collect();
    assert_eq!(used.len(), 2);
    assert_eq!(used[1].event.about.call, Some(call("3")));
    assert_eq!(used[1].event.principal, agent().id);
    assert!(used[1].event.detail.as_ref().expect("a detail").as_str().contains(grant.id.as_str()));
    assert!(told.iter().all(|one| one.event.about.call != Some(call("4"))), "nothing of the refused call");
}

async fn many_calls_at_once_use_no_more_than_there_is(world: StoreWorld) {
    let (store, other) = (world.open().await, world.open().await);
    let one = books(&store).await;
    let two = other.books(crate::desk::settings("two")).await.expect("opened");
    let grant = granted(&one, Some(5)).await;
    let calls = (0..24).map(|number| {
        let (books, grant) = (if number % 2 == 0 { one.clone() } else { two.clone() }, grant.clone());
        tokio::spawn(async move { start(&books, &grant, &format!("c{number}")).await })
    });
    let mut passed = 0;
    for call in calls.collect::<Vec<_>>() {
        match call.await.expect("no panic") {
            Ok(()) => passed += 1,
            Err(refused) => assert_eq!(refused, StartRefused::Grant),
        }
    }
    assert_eq!(passed, 5);
    let kinds = kinds(&store).await;
    assert_eq!(kinds.iter().filter(|kind| **kind == "grant.used").count(), 5);
    assert_eq!(kinds.iter().filter(|kind| **kind == "tool.call.started").count(), 5);
}

async fn a_grant_that_was_revoked_or_has_expired_lets_nothing_pass(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let grant = granted(&books, None).await;
    start(&books, &grant, "2").await.expect("no limit");
    assert_eq!(live(&books).await[0].uses_left, None);
    let operator = PrincipalId::new("operator");
    assert!(books.revoke_grant(&grant.id, &operator).await.expect("asked"));
    assert!(!books.revoke_grant(&grant.id, &operator).await.expect("asked"), "once is enough");
    assert!(!books.revoke_grant(&GrantId::new("grt_none"), &operator).await.expect("asked"));
    assert_eq!(start(&books, &grant, "3").await, Err(StartRefused::Grant));
    assert_eq!(live(&books).await, []);
    let last = ledger(&store).await.pop().expect("events");
    assert_eq!((last.event.kind.as_str(), last.event.principal), ("grant.revoked", operator));

    let id = books.open(proposal("4", 400)).await.expect("asked").approval.id;
    let mut over = terms(None);
    over.expires_at_ms = 1;
    let vote = VoteSubmission { grant: Some(over), ..deciding(&id, "alice", Ballot::Approve) };
    let expired = books.decide(vote).await.expect("approved").grant.expect("a grant");
    assert_eq!(start(&books, &expired, "5").await, Err(StartRefused::Grant));
    assert_eq!(live(&books).await, []);
}

async fn a_grant_is_for_one_principal_and_one_version_of_a_tool(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let grant = granted(&books, Some(1)).await;
    let binding = binding(100);
    let other = books.grants(&PrincipalId::new("other"), &binding.tool, binding.tool_version).await;
    assert_eq!(other.expect("read"), []);
    let newer = books.grants(&binding.principal, &binding.tool, Digest::of("tool 2")).await;
    assert_eq!(newer.expect("read"), []);
    let mut foreign = started("2");
    foreign.events[0].principal = PrincipalId::new("other");
    let refused = books.start(foreign, Warrant::Grant { id: grant.id.clone() }).await;
    assert_eq!(refused, Err(StartRefused::Grant));
    start(&books, &grant, "3").await.expect("for its own principal");
}

async fn one_person_cannot_grant_what_two_must_agree_to(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut two_people = proposal("1", 100);
    two_people.requirement.quorum = 2;
    let mut two_groups = proposal("2", 200);
    two_groups.requirement.approvers.push(vec!["legal".into()]);
    for new in [two_people, two_groups] {
        let opened = books.open(new).await.expect("asked").approval;
        let vote =
            VoteSubmission { grant: Some(terms(None)), ..deciding(&opened.id, "alice", Ballot::Approve) };
        assert_eq!(books.decide(vote).await, Err(DecideError::GrantNeedsQuorumOfOne));
        assert_eq!(books.get(&opened.id).await.expect("read"), Some(opened), "not even the vote counts");
    }
    assert_eq!(store.list_grants(GrantFilter::All).await.expect("listed"), []);
    assert_eq!(kinds(&store).await, ["approval.requested", "approval.requested"]);
}

async fn a_round_is_taken_up_once(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    books.start(started("1"), Warrant::NoneNeeded).await.expect("started");
    let round = Warrant::Round { call: call("1"), round: 1 };
    let mut resumed = started("1");
    resumed.events[0].kind = toolgate_core::event::EventKind::CallResumed;
    assert_eq!(books.start(resumed.clone(), round.clone()).await, Err(StartRefused::Round), "it runs");
    let mut paused = started("1");
    paused.events[0].kind = toolgate_core::event::EventKind::CallPaused;
    books.append(paused).await.expect("paused");
    books.start(resumed.clone(), round.clone()).await.expect("taken up");
    assert_eq!(books.start(resumed, round).await, Err(StartRefused::Round));
    assert_eq!(kinds(&store).await, ["tool.call.started", "tool.call.paused", "tool.call.resumed"]);
}

/// Of a grant that is still of use the digests go; one that has ended goes itself.
async fn an_erasure_leaves_no_digest_of_an_argument(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let id = books.open(proposal("1", 100)).await.expect("asked").approval.id;
    let mut pinned = terms(None);
    pinned.pins = vec![ArgumentPin { path: "/amount".into(), value: digest(100) }];
    let vote = VoteSubmission { grant: Some(pinned), ..deciding(&id, "alice", Ballot::Approve) };
    let grant = books.decide(vote).await.expect("approved").grant.expect("a grant");
    let erase = async || {
        let scope = ErasureScope { principal: agent().id, session: None, call: None };
        let found = store.find_erasable(&scope).await.expect("found").erased.grants;
        let request = ErasureRequest { scope, by: PrincipalId::new("admin"), reason: None };
        let erased = store.erase("cli", &request).await.expect("erased").erased.grants;
        assert_eq!(found, erased);
        erased
    };
    assert_eq!(erase().await, 1);
    let blank = store.get_grant(&grant.id).await.expect("read").expect("it is live");
    assert_eq!((&*blank.pins[0].path, blank.pins[0].value), ("/amount", Digest::from_bytes([0; 32])));
    assert_eq!(erase().await, 0, "nothing is left to blank");
    assert!(books.revoke_grant(&grant.id, &PrincipalId::new("operator")).await.expect("asked"));
    assert_eq!(erase().await, 1);
    assert_eq!(store.get_grant(&grant.id).await.expect("read"), None);
}
