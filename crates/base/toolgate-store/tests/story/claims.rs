//! Claims: revisions and evidence that stay, decisions that are bound to both, and each step in the ledger.

use serde_json::{Value, json};
use toolgate_core::claim::{
    Claim, ClaimEscalation, ClaimSeverity, ClaimSource, ClaimSourceKind, ClaimState, EvidenceKind,
    EvidenceLocation, EvidenceRelation, EvidenceStanding, EvidenceStrength, ResolutionOption, RevisionWords,
    bound_digest,
};
use toolgate_core::decision::OnTimeout;
use toolgate_core::id::{ApprovalId, CallId, ClaimId, EvidenceId, RunId};
use toolgate_core::{Digest, PrincipalId, RawJson};
use toolgate_store::{
    Actor, Books, ClaimChangeError, ClaimFilter, ClaimRevising, ClaimSuperseding, ClaimTypeError,
    ClaimTypeWrite, CollectionTerms, LinkedEvidence, MarkKind, NewClaim, NewDecision, NewEvidence,
    RemovalStep, Store,
};

use crate::desk;
use crate::world::StoreWorld;

crate::on_both!(
    a_claim_goes_from_draft_to_decided_and_every_step_is_told,
    a_change_makes_a_decision_stale_and_it_is_made_again,
    evidence_is_linked_once_and_stays,
    a_decision_is_bound_to_what_was_seen,
    a_claim_gives_way_to_one_that_stands,
    of_two_claims_that_supersede_each_other_one_stays,
    a_type_changes_by_the_version_that_was_seen,
    linkers_number_evidence_without_a_gap,
    claims_are_listed_newest_first,
    what_a_claim_cites_is_not_collected,
    a_step_of_a_claim_that_fails_leaves_nothing,
);

const NOW_MS: i64 = 1_790_000_000_000;
const LINKERS: u64 = 8;
/// More operations than a step has.
const OPERATIONS_MAX: u64 = 60;

async fn place(world: &StoreWorld) -> (Store, Books) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    (store, books)
}

fn ada() -> Actor {
    Actor { call: Some(CallId::new("tc_1")), ..Actor::person(&PrincipalId::new("ada")) }
}

fn bob() -> Actor {
    Actor::person(&PrincipalId::new("bob"))
}

fn words(statement: &str) -> RevisionWords {
    RevisionWords {
        statement: statement.to_owned(),
        severity: ClaimSeverity::High,
        source: ClaimSource {
            kind: ClaimSourceKind::AiDetected,
            model: Some("small".to_owned()),
            confidence: Some(0.75),
        },
        quantification: Some(RawJson::from(json!({ "amount": 12 }))),
    }
}

fn new_claim(id: &str) -> NewClaim {
    let (id, kind) = (ClaimId::new(id), "general".to_owned());
    NewClaim { id, kind, words: words("the rent\0 is due"), is_submitted: true, at_ms: NOW_MS }
}

async fn create(books: &Books, id: &str) -> Claim {
    books.create_claim(&new_claim(id), &ada()).await.expect("created")
}

fn said(claim: &str, number: u64, relation: EvidenceRelation) -> NewEvidence {
    NewEvidence {
        id: EvidenceId::new(format!("evd_{claim}_{number}")),
        claim: ClaimId::new(claim),
        kind: EvidenceKind::ExpertOpinion,
        relation,
        strength: EvidenceStrength::Strong,
        summary: Some(format!("number {number}")),
        location: EvidenceLocation::Word,
        standing: EvidenceStanding::Stated,
        at_ms: NOW_MS + 10,
    }
}

fn cited(claim: &str, artifact: Digest) -> NewEvidence {
    let citation = RawJson::from(json!({ "item": "#/texts/0" }));
    NewEvidence {
        id: EvidenceId::new("evd_cited"),
        kind: EvidenceKind::Document,
        location: EvidenceLocation::Citation { artifact, docir: Digest::of("docir"), citation },
        standing: EvidenceStanding::Verified,
        ..said(claim, 0, EvidenceRelation::Supports)
    }
}

async fn link(books: &Books, new: &NewEvidence) -> LinkedEvidence {
    books.link_evidence(new, &bob()).await.expect("linked")
}

fn deciding(claim: &Claim, option: &str) -> NewDecision {
    NewDecision {
        claim: claim.id.clone(),
        option: option.to_owned(),
        rationale: "it is so".to_owned(),
        conditions: vec!["pay".to_owned()],
        follow_ups: Vec::new(),
        digest: claim.digest,
        type_version: 1,
        approval: Some(ApprovalId::new("apr_1")),
        approvers: vec![PrincipalId::new("carol")],
        at_ms: NOW_MS + 20,
    }
}

fn submission(claim: &Claim) -> ClaimRevising {
    let (id, seen) = (claim.id.clone(), claim.revision.number);
    ClaimRevising { id, seen, words: None, is_submitted: true, at_ms: NOW_MS + 1 }
}

async fn told(store: &Store) -> Vec<&'static str> {
    desk::ledger(store).await.iter().map(|one| one.event.kind.as_str()).collect()
}

async fn last_detail(store: &Store) -> Value {
    let events = desk::ledger(store).await;
    events.last().expect("an event").event.detail.as_ref().expect("a detail").decode().expect("JSON")
}

/// Bytes and their artifact, which belong to nobody.
async fn artifact(world: &StoreWorld, content: &str) -> Digest {
    let digest = Digest::of(content);
    let hex: String = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let bytes = if world.is_postgres() { format!("'\\x{hex}'::BYTEA") } else { format!("x'{hex}'") };
    let row = format!(
        "INSERT INTO artifacts (digest, name, media_type, bytes, owner, created_at_ms)
         VALUES ({bytes}, 'a', 'text/plain', 23, 'ada', 1)"
    );
    assert_eq!(world.sql(&row).await, 1);
    let blob = format!("INSERT INTO blobs (digest, bytes, touched_at_ms) VALUES ({bytes}, 23, 1)");
    assert_eq!(world.sql(&blob).await, 1);
    digest
}

async fn a_claim_goes_from_draft_to_decided_and_every_step_is_told(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let draft = NewClaim { is_submitted: false, ..new_claim("clm_1") };
    let draft = books.create_claim(&draft, &ada()).await.expect("created");
    assert_eq!((draft.state, draft.revision.number), (ClaimState::Draft, 1));
    assert_eq!(draft.revision.statement, "the rent\u{fffd} is due", "Postgres takes no NUL");
    assert_eq!(store.claim(&draft.id).await.expect("read"), Some(draft.clone()));
    let early = books.decide_claim(&deciding(&draft, "confirmed"), &bob()).await;
    assert!(matches!(early, Err(ClaimChangeError::State { state: ClaimState::Draft })), "{early:?}");
    let claim = books.revise_claim(&submission(&draft), &ada()).await.expect("submitted");
    assert_eq!((claim.state, claim.digest), (ClaimState::Submitted, draft.digest), "nothing is said anew");
    let twice = books.revise_claim(&submission(&claim), &ada()).await;
    assert!(matches!(twice, Err(ClaimChangeError::State { state: ClaimState::Submitted })), "{twice:?}");
    let claim = books.review_claim(&claim.id, NOW_MS + 2, &bob()).await.expect("begun");
    assert_eq!((claim.state, claim.state_by.as_str()), (ClaimState::UnderReview, "bob"));
    assert_eq!(books.review_claim(&claim.id, NOW_MS + 3, &bob()).await.expect("goes on"), claim);
    let (claim, decision) =
        books.decide_claim(&deciding(&claim, "confirmed"), &bob()).await.expect("decided");
    assert_eq!((claim.state, claim.is_settled, claim.decisions), (ClaimState::Decided, true, 1));
    assert_eq!(store.claim_decisions(&claim.id).await.expect("read"), std::slice::from_ref(&decision));
    assert_eq!((decision.digest, decision.stale_since_ms), (draft.digest, None));
    assert_eq!(store.claim_revisions(&claim.id).await.expect("read"), [draft.revision]);
    let kinds = ["claim.created", "claim.changed", "claim.changed", "claim.decided"];
    assert_eq!(told(&store).await, kinds);
    let detail = last_detail(&store).await;
    assert_eq!(
        (&detail["option"], &detail["approvers"]),
        (&json!("confirmed"), &json!(["carol"])),
        "{detail}"
    );
    assert!(!detail.to_string().contains("it is so"), "a rationale may be anything: {detail}");
    let nothing = books.review_claim(&ClaimId::new("clm_0"), NOW_MS, &bob()).await;
    assert!(matches!(nothing, Err(ClaimChangeError::Unknown(_))), "{nothing:?}");
}

async fn a_change_makes_a_decision_stale_and_it_is_made_again(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let claim = create(&books, "clm_1").await;
    let (claim, _) = books.decide_claim(&deciding(&claim, "confirmed"), &bob()).await.expect("decided");
    let again = books.decide_claim(&deciding(&claim, "rejected"), &bob()).await;
    assert!(matches!(again, Err(ClaimChangeError::State { state: ClaimState::Decided })), "{again:?}");
    let linked = link(&books, &said("clm_1", 2, EvidenceRelation::Refutes)).await;
    assert!(linked.made_stale && !linked.claim.is_settled);
    assert_eq!((linked.claim.state, linked.claim.evidence), (ClaimState::Decided, 1));
    let stale = store.claim_decisions(&claim.id).await.expect("read").remove(0);
    assert_eq!((stale.stale_since_ms, stale.option.as_str()), (Some(NOW_MS + 10), "confirmed"));
    assert_eq!(last_detail(&store).await["made_stale"], true);
    let (claim, second) =
        books.decide_claim(&deciding(&linked.claim, "rejected"), &bob()).await.expect("decided again");
    assert_eq!((second.number, claim.is_settled), (2, true));
    let revising =
        ClaimRevising { words: Some(words("the rent was paid")), is_submitted: false, ..submission(&claim) };
    let revised = books.revise_claim(&revising, &ada()).await.expect("revised");
    assert_eq!((revised.revision.number, revised.is_settled), (2, false));
    assert_eq!(revised.digest, bound_digest(revised.revision.digest, &[linked.evidence.digest]));
    let late = books.revise_claim(&revising, &ada()).await;
    assert!(matches!(late, Err(ClaimChangeError::OtherRevision { revision: 2 })), "{late:?}");
    let statements: Vec<String> =
        store.claim_revisions(&claim.id).await.expect("read").into_iter().map(|one| one.statement).collect();
    assert_eq!(statements[1], "the rent was paid");
    assert_eq!(statements.len(), 2, "the first one stays");
    let states: Vec<bool> = store
        .claim_decisions(&claim.id)
        .await
        .expect("read")
        .iter()
        .map(|one| one.stale_since_ms.is_some())
        .collect();
    assert_eq!(states, [true, true]);
}

async fn evidence_is_linked_once_and_stays(world: StoreWorld) {
    let (store, books) = place(&world).await;
    create(&books, "clm_1").await;
    let first = link(&books, &said("clm_1", 1, EvidenceRelation::Supports)).await;
    let same =
        NewEvidence { id: EvidenceId::new("evd_other"), ..said("clm_1", 1, EvidenceRelation::Supports) };
    let same = link(&books, &same).await;
    assert_eq!((same.is_duplicate, &same.evidence), (true, &first.evidence));
    assert_eq!(same.claim.digest, first.claim.digest);
    link(&books, &said("clm_1", 2, EvidenceRelation::Refutes)).await;
    let run = NewEvidence {
        id: EvidenceId::new("evd_run"),
        kind: EvidenceKind::Calculation,
        location: EvidenceLocation::Run(RunId::new("run_1")),
        standing: EvidenceStanding::Verified,
        ..said("clm_1", 3, EvidenceRelation::Context)
    };
    link(&books, &run).await;
    let gone = books.link_evidence(&cited("clm_1", Digest::of("nothing")), &bob()).await;
    assert!(matches!(gone, Err(ClaimChangeError::ArtifactGone(_))), "{gone:?}");
    let digest = artifact(&world, "a lease").await;
    let of_document = link(&books, &cited("clm_1", digest)).await;
    let all = store.claim_evidence(&ClaimId::new("clm_1")).await.expect("read");
    assert_eq!(all.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!((&all[0], &all[3]), (&first.evidence, &of_document.evidence));
    let relations: Vec<EvidenceRelation> = all.iter().map(|one| one.relation).collect();
    assert!(relations.contains(&EvidenceRelation::Refutes), "counter-evidence stays: {relations:?}");
    assert_eq!(last_detail(&store).await["artifact"], json!(digest));
    assert_eq!(told(&store).await.len(), 5);
}

async fn a_decision_is_bound_to_what_was_seen(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let seen = create(&books, "clm_1").await;
    link(&books, &said("clm_1", 2, EvidenceRelation::Refutes)).await;
    let stale = books.decide_claim(&deciding(&seen, "confirmed"), &bob()).await;
    assert!(matches!(stale, Err(ClaimChangeError::Stale { .. })), "{stale:?}");
    assert!(store.claim_decisions(&seen.id).await.expect("read").is_empty());
    assert_eq!(store.claim(&seen.id).await.expect("read").expect("there").state, ClaimState::Submitted);
}

async fn a_claim_gives_way_to_one_that_stands(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (old, new) = (create(&books, "clm_2").await, create(&books, "clm_1").await);
    let superseding = |id: &Claim, by: &Claim| ClaimSuperseding {
        id: id.id.clone(),
        by: by.id.clone(),
        reason: Some("said better".to_owned()),
        at_ms: NOW_MS + 5,
    };
    let gone = books.supersede_claim(&superseding(&old, &new), &ada()).await.expect("superseded");
    assert_eq!((gone.state, gone.superseded_by), (ClaimState::Superseded, Some(new.id.clone())));
    assert_eq!(gone.revision, old.revision);
    assert_eq!(store.claim(&new.id).await.expect("read").expect("there").state, ClaimState::Submitted);
    for refused in [
        books.supersede_claim(&superseding(&new, &old), &ada()).await.map(drop),
        books.supersede_claim(&superseding(&old, &new), &ada()).await.map(drop),
        books.link_evidence(&said("clm_2", 1, EvidenceRelation::Context), &bob()).await.map(drop),
        books.decide_claim(&deciding(&old, "confirmed"), &bob()).await.map(drop),
        books
            .revise_claim(&ClaimRevising { words: Some(words("b")), ..submission(&old) }, &ada())
            .await
            .map(drop),
    ] {
        let refused = refused.expect_err("it has ended");
        assert!(matches!(refused, ClaimChangeError::State { state: ClaimState::Superseded }), "{refused:?}");
    }
    assert_eq!(last_detail(&store).await["superseded_by"], "clm_1");
}

async fn of_two_claims_that_supersede_each_other_one_stays(world: StoreWorld) {
    let (store, books) = place(&world).await;
    create(&books, "clm_1").await;
    create(&books, "clm_2").await;
    let other = world.open().await;
    let others = other.books(desk::settings("two")).await.expect("the books open");
    let superseding = |id: &str, by: &str| ClaimSuperseding {
        id: ClaimId::new(id),
        by: ClaimId::new(by),
        reason: None,
        at_ms: NOW_MS + 5,
    };
    let (there, back) = (superseding("clm_1", "clm_2"), superseding("clm_2", "clm_1"));
    let (ada, bob) = (ada(), bob());
    let (one, two) = tokio::join!(books.supersede_claim(&there, &ada), others.supersede_claim(&back, &bob));
    assert_ne!(one.is_ok(), two.is_ok(), "{one:?} {two:?}");
    let (claims, _) = store.claims(&ClaimFilter::default(), None, 10).await.expect("read");
    let ended = claims.iter().filter(|claim| claim.state == ClaimState::Superseded).count();
    assert_eq!(ended, 1);
}

async fn a_type_changes_by_the_version_that_was_seen(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let option = ResolutionOption {
        name: "accepted".to_owned(),
        title: None,
        requires_approval: true,
        approval_roles: vec!["risk".to_owned()],
        quorum: 2,
        timeout_seconds: Some(60),
        on_timeout: OnTimeout::Escalate,
    };
    let escalation = ClaimEscalation {
        severity: ClaimSeverity::Critical,
        approval_roles: vec!["board".to_owned()],
        quorum: 3,
    };
    let write = ClaimTypeWrite {
        name: "breach".to_owned(),
        title: Some("A breach".to_owned()),
        description: None,
        options: vec![option.clone()],
        escalation: vec![escalation],
        seen: None,
        at_ms: NOW_MS,
    };
    let first = books.put_claim_type(&write, &ada()).await.expect("registered");
    assert_eq!(store.claim_type("breach").await.expect("read"), Some(first.clone()));
    let taken = books.put_claim_type(&write, &ada()).await;
    assert!(matches!(&taken, Err(ClaimTypeError::Other(other)) if **other == first), "{taken:?}");
    let changed = ClaimTypeWrite { seen: Some(1), title: None, ..write.clone() };
    assert_eq!(books.put_claim_type(&changed, &ada()).await.expect("changed").version, 2);
    let late = books.put_claim_type(&changed, &ada()).await;
    assert!(matches!(&late, Err(ClaimTypeError::Other(other)) if other.version == 2), "{late:?}");
    let nowhere = ClaimTypeWrite { name: "other".to_owned(), ..changed };
    let nowhere = books.put_claim_type(&nowhere, &ada()).await;
    assert!(matches!(nowhere, Err(ClaimTypeError::Unknown)), "{nowhere:?}");
    assert_eq!(store.claim_types().await.expect("read").len(), 1);
    assert_eq!(told(&store).await, ["claim_type.changed", "claim_type.changed"]);
}

async fn linkers_number_evidence_without_a_gap(world: StoreWorld) {
    let (store, books) = place(&world).await;
    create(&books, "clm_1").await;
    let other = world.open().await;
    let others = other.books(desk::settings("two")).await.expect("the books open");
    let linkers = (1..=LINKERS).map(|number| {
        let books = if number % 2 == 0 { books.clone() } else { others.clone() };
        tokio::spawn(async move { link(&books, &said("clm_1", number, EvidenceRelation::Supports)).await })
    });
    for linker in linkers.collect::<Vec<_>>() {
        linker.await.expect("no panic");
    }
    let all = store.claim_evidence(&ClaimId::new("clm_1")).await.expect("read");
    assert_eq!(all.iter().map(|one| one.number).collect::<Vec<_>>(), (1..=LINKERS).collect::<Vec<_>>());
    let claim = store.claim(&ClaimId::new("clm_1")).await.expect("read").expect("there");
    let digests: Vec<Digest> = all.iter().map(|one| one.digest).collect();
    assert_eq!(claim.digest, bound_digest(claim.revision.digest, &digests));
}

async fn claims_are_listed_newest_first(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for number in 1..=3i64 {
        let new = NewClaim { at_ms: NOW_MS + number, ..new_claim(&format!("clm_{number}")) };
        books.create_claim(&new, &ada()).await.expect("created");
    }
    let other = NewClaim { kind: "breach".to_owned(), is_submitted: false, ..new_claim("clm_9") };
    books.create_claim(&other, &ada()).await.expect("created");
    let general = ClaimFilter { kind: Some("general".to_owned()), state: None };
    let (page, next) = store.claims(&general, None, 2).await.expect("read");
    assert_eq!(page.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["clm_3", "clm_2"]);
    let (page, end) = store.claims(&general, next.as_ref(), 2).await.expect("read");
    assert_eq!((page[0].id.as_str(), end), ("clm_1", None));
    let drafts = ClaimFilter { kind: None, state: Some(ClaimState::Draft) };
    let (page, _) = store.claims(&drafts, None, 10).await.expect("read");
    assert_eq!((page.len(), page[0].id.as_str()), (1, "clm_9"));
}

async fn what_a_claim_cites_is_not_collected(world: StoreWorld) {
    let (store, books) = place(&world).await;
    create(&books, "clm_1").await;
    let kept = artifact(&world, "cited").await;
    artifact(&world, "not cited").await;
    artifact(&world, "docir").await;
    link(&books, &cited("clm_1", kept)).await;
    let later = NOW_MS + 10 * 86_400_000;
    let terms = CollectionTerms { now_ms: later, untouched_since_ms: later - 1, moves_since_ms: later - 1 };
    let turn = store.begin_collection(&terms).await.expect("begun").expect("nobody else collects");
    store.end_marking(&turn).await.expect("nothing to mark");
    let removed = books.remove_unreached(&turn, &terms, MarkKind::Artifact, None, 100, &ada()).await;
    let RemovalStep::Removed(rows, _) = removed.expect("removed") else { panic!("a manifest has no mark") };
    assert_eq!((rows.count, rows.first), (1, vec![Digest::of("not cited")]));
}

/// Each operation on the database fails once: a step has been, with its event, or it has not.
async fn a_step_of_a_claim_that_fails_leaves_nothing(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let claim = create(&books, "clm_1").await;
    books.decide_claim(&deciding(&claim, "confirmed"), &bob()).await.expect("decided");
    let new = said("clm_1", 1, EvidenceRelation::Refutes);
    for operation in 1..OPERATIONS_MAX {
        store.fail_nth(operation);
        let answer = books.link_evidence(&new, &bob()).await;
        store.fail_never();
        let events = told(&store).await.iter().filter(|kind| **kind == "claim.evidence.linked").count();
        let now = store.claim(&claim.id).await.expect("read").expect("there");
        let evidence = store.claim_evidence(&claim.id).await.expect("read").len();
        let stale = store.claim_decisions(&claim.id).await.expect("read")[0].stale_since_ms.is_some();
        let done = (now.evidence == 1, evidence == 1, stale, !now.is_settled, events == 1);
        match done {
            (true, true, true, true, true) => break,
            (false, false, false, false, false) => assert!(answer.is_err(), "{answer:?}"),
            half => panic!("half done: {half:?}"),
        }
    }
    assert_eq!(store.claim(&claim.id).await.expect("read").expect("there").evidence, 1);
    assert_eq!(store.verify_ledger(|_| ()).await.expect("read").fault, None);
}
