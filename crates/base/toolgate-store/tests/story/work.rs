//! Long work: one open row for each kind and key, one holder at a time, and whoever dies is replaced.

use serde_json::json;
use toolgate_core::PrincipalId;
use toolgate_core::id::{CallId, RunId, SessionId, WorkId};
use toolgate_store::{Actor, NewWork, Store, WorkFilter, WorkRow, WorkState};

use crate::world::StoreWorld;

crate::on_both!(
    work_goes_from_queued_to_running_to_its_end,
    whoever_asks_for_open_work_joins_it,
    of_many_who_open_the_same_work_one_opens_it,
    of_many_gateways_one_gets_each_work,
    work_whose_lease_ran_out_is_anybodys,
    only_the_holder_renews_and_ends_work,
    interrupted_work_is_given_back_and_failed_work_counts,
    a_gateway_that_comes_back_frees_its_own_work,
    other_kinds_are_left_alone,
    a_look_that_finds_nothing_is_one_statement,
    old_work_is_forgotten_and_open_work_is_not,
);

const NOW_MS: i64 = 1_790_000_000_000;
const LEASE_MS: i64 = 30_000;
const WRITERS: usize = 12;
const KINDS: &[&str] = &["parse"];

fn ada() -> Actor {
    Actor {
        principal: PrincipalId::new("ada"),
        session: Some(SessionId::new("ses_1")),
        run: Some(RunId::new("run_of_session")),
        call: Some(CallId::new("tc_1")),
    }
}

fn new(number: usize, key: &str) -> NewWork {
    NewWork {
        id: WorkId::new(format!("wrk_{number:03}")),
        kind: "parse".to_owned(),
        key: key.to_owned(),
        input: json!({ "text": "a\0b", "number": number }),
        run: RunId::new(format!("run_{number:03}")),
        actor: ada(),
        at_ms: NOW_MS + i64::try_from(number).expect("small"),
    }
}

async fn open(store: &Store, number: usize, key: &str) -> WorkId {
    let opened = store.open_work(&new(number, key)).await.expect("opened");
    assert!(!opened.joined, "{opened:?}");
    opened.work.id
}

async fn claim(store: &Store, holder: &str, now_ms: i64) -> Option<WorkRow> {
    store.claim_work(KINDS, holder, now_ms, now_ms + LEASE_MS).await.expect("asked")
}

async fn read(store: &Store, id: &WorkId) -> WorkRow {
    store.work(id).await.expect("read").expect("it is there")
}

async fn work_goes_from_queued_to_running_to_its_end(world: StoreWorld) {
    let store = world.open().await;
    let id = open(&store, 1, "a\0key").await;
    let queued = read(&store, &id).await;
    assert_eq!((queued.state, queued.attempts, queued.holder.as_deref()), (WorkState::Queued, 0, None));
    assert_eq!((&queued.input, &queued.actor), (&new(1, "").input, &ada()));
    assert_eq!(queued.key, "a\u{fffd}key", "Postgres takes no NUL");
    let claimed = claim(&store, "one", NOW_MS).await.expect("it is due");
    assert_eq!((&claimed.id, claimed.state, claimed.attempts), (&id, WorkState::Running, 1));
    assert_eq!((claimed.holder.as_deref(), claimed.lease_until_ms), (Some("one"), NOW_MS + LEASE_MS));
    assert!(store.renew_work(&id, "one", NOW_MS + 99_000, 3, 10).await.expect("renewed"));
    let running = read(&store, &id).await;
    assert_eq!((running.done, running.total, running.lease_until_ms), (3, 10, NOW_MS + 99_000));
    assert!(store.renew_work(&id, "one", NOW_MS + 99_000, 1, 10).await.expect("renewed"));
    assert_eq!(read(&store, &id).await.done, 3, "a late renewal takes no progress back");
    let result = json!({ "documents": 10 });
    assert!(store.end_work(&id, "one", WorkState::Done, &result).await.expect("ended"));
    let done = read(&store, &id).await;
    assert_eq!((done.state, done.result, done.done), (WorkState::Done, Some(result), 3));
    assert!(!store.end_work(&id, "one", WorkState::Failed, &json!(null)).await.expect("asked"));
    assert!(!store.renew_work(&id, "one", NOW_MS, 0, 0).await.expect("asked"));
    assert_eq!(claim(&store, "one", NOW_MS + 999_000).await, None, "it has ended");
    assert_eq!(store.work(&WorkId::new("wrk_other")).await.expect("read"), None);
}

async fn whoever_asks_for_open_work_joins_it(world: StoreWorld) {
    let store = world.open().await;
    let id = open(&store, 1, "corpus").await;
    for state in [WorkState::Queued, WorkState::Running] {
        let joined = store.open_work(&new(2, "corpus")).await.expect("asked");
        assert!(joined.joined);
        assert_eq!((&joined.work.id, joined.work.state), (&id, state));
        assert_eq!(joined.work.run, RunId::new("run_001"), "it has the run of the first");
        if state == WorkState::Queued {
            claim(&store, "one", NOW_MS + 9).await.expect("it is due");
        }
    }
    assert_eq!(open(&store, 3, "another").await, WorkId::new("wrk_003"));
    let found = store.open_work_of("parse", "corpus").await.expect("read").expect("it is open");
    assert_eq!(found.id, id);
    store.end_work(&id, "one", WorkState::Failed, &json!({})).await.expect("ended");
    assert_eq!(store.open_work_of("parse", "corpus").await.expect("read"), None);
    assert_eq!(open(&store, 4, "corpus").await, WorkId::new("wrk_004"), "the key is free again");
}

async fn of_many_who_open_the_same_work_one_opens_it(world: StoreWorld) {
    let (one, two) = (world.open().await, world.open().await);
    let writers = (0..WRITERS).map(|number| {
        let store = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { store.open_work(&new(number, "corpus")).await.expect("opened") })
    });
    let (mut opened, mut ids) = (0, Vec::new());
    for writer in writers.collect::<Vec<_>>() {
        let answer = writer.await.expect("no panic");
        opened += usize::from(!answer.joined);
        ids.push(answer.work.id);
    }
    assert_eq!(opened, 1);
    ids.dedup();
    assert_eq!(ids.len(), 1, "all have the same: {ids:?}");
    assert_eq!(one.works(&WorkFilter::default(), 99).await.expect("read").len(), 1);
}

async fn of_many_gateways_one_gets_each_work(world: StoreWorld) {
    let (one, two) = (world.open().await, world.open().await);
    for number in 0..WRITERS / 2 {
        open(&one, number, &format!("key {number}")).await;
    }
    let gateways = (0..WRITERS).map(|number| {
        let store = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { claim(&store, &format!("gateway {number}"), NOW_MS + 50).await })
    });
    let mut got = Vec::new();
    for gateway in gateways.collect::<Vec<_>>() {
        got.extend(gateway.await.expect("no panic").map(|work| work.id));
    }
    // A row that another holds at that moment is skipped; a second look finds what is left.
    while let Some(work) = claim(&one, "late", NOW_MS + 50).await {
        got.push(work.id);
    }
    got.sort();
    let all: Vec<WorkId> = (0..WRITERS / 2).map(|number| WorkId::new(format!("wrk_{number:03}"))).collect();
    assert_eq!(got, all, "each of them once");
}

async fn work_whose_lease_ran_out_is_anybodys(world: StoreWorld) {
    let store = world.open().await;
    let id = open(&store, 1, "corpus").await;
    claim(&store, "dead", NOW_MS + 9).await.expect("it is due");
    let end_ms = NOW_MS + 9 + LEASE_MS;
    assert_eq!(claim(&store, "other", end_ms - 1).await, None, "the lease holds");
    let taken = claim(&store, "other", end_ms).await.expect("the lease is over");
    assert_eq!((&taken.id, taken.attempts, taken.holder.as_deref()), (&id, 2, Some("other")));
    // The first was only slow.
    assert!(!store.renew_work(&id, "dead", end_ms + LEASE_MS, 1, 1).await.expect("asked"));
    assert!(!store.end_work(&id, "dead", WorkState::Done, &json!({})).await.expect("asked"));
    assert!(!store.release_work(&id, "dead", 0).await.expect("asked"));
    assert!(store.end_work(&id, "other", WorkState::Done, &json!({})).await.expect("ended"));
}

async fn only_the_holder_renews_and_ends_work(world: StoreWorld) {
    let store = world.open().await;
    let id = open(&store, 1, "corpus").await;
    assert!(!store.renew_work(&id, "one", NOW_MS, 1, 1).await.expect("asked"), "nobody holds it yet");
    assert!(!store.end_work(&id, "one", WorkState::Done, &json!({})).await.expect("asked"));
    claim(&store, "one", NOW_MS + 9).await.expect("it is due");
    assert!(!store.renew_work(&id, "two", NOW_MS, 1, 1).await.expect("asked"));
    assert!(!store.end_work(&id, "two", WorkState::Done, &json!({})).await.expect("asked"));
    assert_eq!(read(&store, &id).await.state, WorkState::Running);
}

async fn interrupted_work_is_given_back_and_failed_work_counts(world: StoreWorld) {
    let store = world.open().await;
    let id = open(&store, 1, "corpus").await;
    claim(&store, "one", NOW_MS + 9).await.expect("it is due");
    assert!(store.release_work(&id, "one", NOW_MS + 500).await.expect("given back"));
    let back = read(&store, &id).await;
    assert_eq!((back.state, back.attempts, back.holder), (WorkState::Queued, 0, None));
    assert_eq!(claim(&store, "two", NOW_MS + 499).await, None, "it is put off");
    claim(&store, "two", NOW_MS + 500).await.expect("it is due again");
    assert!(store.retry_work(&id, "two", 0).await.expect("given back"));
    assert_eq!(read(&store, &id).await.attempts, 1, "that attempt counts");
    assert_eq!(claim(&store, "two", NOW_MS).await.expect("it is due").attempts, 2);
}

async fn a_gateway_that_comes_back_frees_its_own_work(world: StoreWorld) {
    let store = world.open().await;
    for number in 0..3 {
        open(&store, number, &format!("key {number}")).await;
    }
    for holder in ["one", "one", "two"] {
        claim(&store, holder, NOW_MS + 9).await.expect("it is due");
    }
    assert_eq!(store.release_work_of("one").await.expect("given back"), 2);
    let free = [claim(&store, "new", NOW_MS + 9).await, claim(&store, "new", NOW_MS + 9).await];
    assert!(free.iter().all(Option::is_some));
    assert_eq!(claim(&store, "new", NOW_MS + 9).await, None, "that of the other gateway stays");
}

/// An idle gateway looks twice a second.
async fn a_look_that_finds_nothing_is_one_statement(world: StoreWorld) {
    let store = world.open().await;
    store.fail_nth(2);
    assert_eq!(claim(&store, "one", NOW_MS + 9).await, None);
    store.fail_never();
    open(&store, 1, "corpus").await;
    store.fail_nth(2);
    let taken = store.claim_work(KINDS, "one", NOW_MS + 9, NOW_MS + 99).await;
    assert!(taken.is_err(), "what is there is taken in a transaction");
    store.fail_never();
    assert!(claim(&store, "one", NOW_MS + 9).await.is_some());
}

async fn other_kinds_are_left_alone(world: StoreWorld) {
    let store = world.open().await;
    let other = NewWork { kind: "index_ingest".to_owned(), ..new(1, "corpus") };
    store.open_work(&other).await.expect("opened");
    open(&store, 2, "corpus").await;
    assert_eq!(store.claim_work(&[], "one", NOW_MS + 9, NOW_MS + 99).await.expect("asked"), None);
    assert_eq!(claim(&store, "one", NOW_MS + 9).await.expect("it is due").kind, "parse");
    assert_eq!(claim(&store, "one", NOW_MS + 9).await, None);
    let both = store.claim_work(&["other", "index_ingest"], "one", NOW_MS + 9, NOW_MS + 99).await;
    assert_eq!(both.expect("asked").expect("it is due").kind, "index_ingest");
    let filter = WorkFilter { kind: Some("parse".to_owned()), ..WorkFilter::default() };
    let listed = store.works(&filter, 9).await.expect("read");
    assert_eq!(listed.iter().map(|work| work.id.as_str()).collect::<Vec<_>>(), ["wrk_002"]);
    let run = WorkFilter { run: Some(RunId::new("run_001")), ..WorkFilter::default() };
    assert_eq!(store.works(&run, 9).await.expect("read").len(), 1);
    let failed = WorkFilter { state: Some(WorkState::Failed), ..WorkFilter::default() };
    assert_eq!(store.works(&failed, 9).await.expect("read"), []);
}

async fn old_work_is_forgotten_and_open_work_is_not(world: StoreWorld) {
    let store = world.open().await;
    let ended = open(&store, 1, "ended").await;
    claim(&store, "one", NOW_MS + 9).await.expect("it is due");
    store.end_work(&ended, "one", WorkState::Done, &json!({})).await.expect("ended");
    let still = open(&store, 2, "open").await;
    assert_eq!(store.forget_work(NOW_MS, 9).await.expect("asked"), 0, "it ended a moment ago");
    assert_eq!(store.forget_work(i64::MAX, 9).await.expect("forgotten"), 1);
    assert_eq!(store.work(&ended).await.expect("read"), None);
    assert_eq!(read(&store, &still).await.state, WorkState::Queued);
}
