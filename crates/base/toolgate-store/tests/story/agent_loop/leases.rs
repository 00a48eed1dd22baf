//! One gateway at a time works on a loop, and the one before it changes nothing any more.

use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};
use toolgate_core::run::{ActionKind, LoopState, RequiredAction};
use toolgate_store::{Folding, RunEnding};

use super::*;
use crate::runs::{events_of, place, replicas};
use crate::world::postgres;

crate::on_both!(
    one_of_two_has_the_lease_until_it_is_over,
    a_lease_that_is_kept_or_given_back_is_as_it_says,
    the_gateway_before_changes_nothing,
    calls_of_a_gateway_whose_lease_ran_out_are_given_up_at_once,
    calls_of_a_gateway_that_gave_its_lease_back_are_waited_for,
    the_leases_of_an_earlier_process_are_given_up_at_once,
    runs_that_were_halted_elsewhere_are_found,
    an_ended_run_is_due_until_the_results_of_its_last_calls_are_written,
    many_claimers_have_one_winner,
    loops_that_wait_are_not_looked_at,
);

const MANY: usize = 64;
const WAITING: usize = 10_000;

async fn one_of_two_has_the_lease_until_it_is_over(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let run = driven(&one, "1").await;
    assert!(store.due_loops(NOW_MS - 1, 10).await.expect("read").is_empty(), "its time has not come");
    assert_eq!(due(&store).await, std::slice::from_ref(&run));
    let lease = claim(&store, &run).await;
    assert_eq!((lease.fence, lease.stream.as_str()), (1, desk::STREAM));
    assert!(due(&store).await.is_empty());
    assert_eq!(store.claim_loop(&run, "two", UNTIL_MS - 1, UNTIL_MS + 1_000).await.expect("asked"), None);
    let (second, kept) =
        store.claim_loop(&run, "two", UNTIL_MS, UNTIL_MS + 1_000).await.expect("asked").expect("claimed");
    assert_eq!((second.fence, kept.owner.as_deref(), kept.fence), (2, Some("two"), 2));
    assert_eq!(kept, look(&store, &run).await);
    assert!(!store.renew_loop(&lease, UNTIL_MS + 9_000).await.expect("asked"));
    assert!(!store.release_loop(&lease, NOW_MS).await.expect("asked"));
    assert_eq!(look(&store, &run).await, kept);
    let nobody = store.claim_loop(&id("none"), "two", UNTIL_MS, UNTIL_MS).await.expect("asked");
    assert_eq!(nobody, None);
}

async fn a_lease_that_is_kept_or_given_back_is_as_it_says(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "1").await;
    let lease = claim(&store, &run).await;
    assert!(store.renew_loop(&lease, UNTIL_MS + 5_000).await.expect("asked"));
    assert!(store.due_loops(UNTIL_MS + 4_999, 10).await.expect("read").is_empty());
    assert_eq!(store.due_loops(UNTIL_MS + 5_000, 10).await.expect("read"), std::slice::from_ref(&run));
    assert!(store.release_loop(&lease, NOW_MS + 700).await.expect("asked"));
    assert!(store.due_loops(NOW_MS + 699, 10).await.expect("read").is_empty());
    assert_eq!(store.due_loops(NOW_MS + 700, 10).await.expect("read"), std::slice::from_ref(&run));
    assert!(!store.release_loop(&lease, NOW_MS).await.expect("asked"), "it is given back once");
    assert_lost(ask(&books, &lease, 1).await);
    assert_eq!(store.claim_loop(&run, "two", NOW_MS + 699, UNTIL_MS).await.expect("asked"), None);
}

async fn the_gateway_before_changes_nothing(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let run = driven(&one, "1").await;
    let old = claim(&store, &run).await;
    play(&one, &old, 1, 1).await;
    ask(&one, &old, 2).await.expect("asked");
    let claimed = store.claim_loop(&run, "two", UNTIL_MS, UNTIL_MS + 9_000).await.expect("asked");
    let (new, kept) = claimed.expect("claimed");
    let before = (messages(&store, &run).await, events_of(&store, &run).await.len());
    let turns = store.loop_turns(&run, 0, 10).await.expect("read");
    let (by, fold) = (ada(), Folding { from: 2, to: 3, stands_for: line("short") });
    let action = RequiredAction {
        kind: ActionKind::Stuck,
        id: String::new(),
        since_ms: NOW_MS,
        how: "resume it".to_owned(),
    };
    let at = later(&by, 500);
    assert_lost(ask(&one, &old, 2).await);
    assert_lost(one.fault_turn(&old, 2, "busy", false, at).await);
    assert_lost(answer(&one, &old, 2, 1).await);
    assert_lost(act(&one, &old, 1, 1).await);
    assert_lost(one.freeze_loop_tools(&old, &[], None, at).await);
    assert_lost(one.add_loop_line(&old, line("hurry"), true, at).await);
    assert_lost(one.fold_loop(&old, fold, at).await);
    assert_lost(one.note_fold_fault(&old).await);
    assert_lost(one.wait_loop(&old, action, &[], at).await);
    // A lease is for the gateway that has it.
    assert_lost(ask(&one, &LoopLease { stream: desk::STREAM.to_owned(), ..new.clone() }, 2).await);
    assert_eq!((messages(&store, &run).await, events_of(&store, &run).await.len()), before);
    assert_eq!(store.loop_turns(&run, 0, 10).await.expect("read"), turns);
    assert_eq!(look(&store, &run).await, kept);
    answer(&two, &new, 2, 0).await.expect("the one that has it goes on");
}

/// A call that a gateway claims and has under way.
async fn begin_call(store: &Store, run: &RunId, call: &str, stream: &str) {
    let claimed = store.claim_batch_call(run, call, Digest::of(call), stream, NOW_MS).await;
    assert!(claimed.expect("asked"), "{call}");
}

async fn is_given_up(store: &Store, run: &RunId, call: &str) -> bool {
    let unknown = RawJson::from(json!({ "status": "unknown" }));
    store.give_up_batch_call(run, call, &unknown, "two").await.expect("asked")
}

async fn record(store: &Store, run: &RunId, call: &str) -> bool {
    let result = RawJson::from(json!({ "status": "succeeded" }));
    store.record_batch_call(run, call, &result).await.expect("asked")
}

async fn calls_of_a_gateway_whose_lease_ran_out_are_given_up_at_once(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let run = driven(&one, "1").await;
    let _alive = store.claim_stream("slow", "a", "a").await.expect("it is free");
    let lease = store.claim_loop(&run, "slow", NOW_MS + 100, UNTIL_MS).await.expect("asked");
    lease.expect("claimed");
    for call in ["1.1", "1.2"] {
        begin_call(&store, &run, call, "slow").await;
        assert!(!is_given_up(&store, &run, call).await, "its gateway lives, and has the lease");
    }
    let taken = store.claim_loop(&run, "two", UNTIL_MS, UNTIL_MS + 9_000).await.expect("asked");
    taken.expect("claimed");
    assert!(record(&store, &run, "1.2").await, "a result that comes first counts");
    assert!(is_given_up(&store, &run, "1.1").await);
    assert!(!is_given_up(&store, &run, "1.2").await);
    assert!(!record(&store, &run, "1.1").await, "a result that comes later changes nothing");
    begin_call(&store, &run, "1.3", "slow").await;
    assert!(!is_given_up(&store, &run, "1.3").await, "it began since, so its gateway lives");
}

async fn calls_of_a_gateway_that_gave_its_lease_back_are_waited_for(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let run = driven(&one, "1").await;
    let alive = store.claim_stream("ends", "a", "a").await.expect("it is free");
    let lease = store.claim_loop(&run, "ends", NOW_MS + 100, UNTIL_MS).await.expect("asked");
    begin_call(&store, &run, "1.1", "ends").await;
    assert!(store.release_loop(&lease.expect("claimed").0, NOW_MS + 200).await.expect("asked"));
    let taken = store.claim_loop(&run, "two", NOW_MS + 200, UNTIL_MS).await.expect("asked");
    taken.expect("claimed");
    assert!(!is_given_up(&store, &run, "1.1").await, "it has time to write the result down");
    alive.release().await;
    assert!(is_given_up(&store, &run, "1.1").await);
}

async fn the_leases_of_an_earlier_process_are_given_up_at_once(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let (own, others) = (driven(&one, "1").await, driven(&one, "2").await);
    let lease = claim(&store, &own).await;
    let kept = store.claim_loop(&others, "two", NOW_MS + 100, UNTIL_MS).await.expect("asked");
    kept.expect("claimed");
    let _alive = store.claim_stream(desk::STREAM, "a", "a").await.expect("it is free");
    begin_call(&store, &own, "1.1", desk::STREAM).await;
    assert!(!is_given_up(&store, &own, "1.1").await);
    assert_eq!(store.give_up_leases(desk::STREAM, NOW_MS + 200).await.expect("asked"), 1);
    assert_eq!(due(&store).await, std::slice::from_ref(&own), "the lease of another gateway holds");
    assert_eq!(look(&store, &others).await.owner.as_deref(), Some("two"));
    assert_lost(ask(&one, &lease, 1).await);
    assert!(is_given_up(&store, &own, "1.1").await, "nobody has it");
    let taken = store.claim_loop(&own, desk::STREAM, NOW_MS + 200, UNTIL_MS).await.expect("asked");
    assert_eq!(taken.expect("claimed").0.fence, lease.fence + 1);
    assert_eq!(store.give_up_leases("three", NOW_MS + 300).await.expect("asked"), 0);
}

async fn runs_that_were_halted_elsewhere_are_found(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let by = ada();
    for (name, state) in [("1", "paused"), ("2", "cancelled"), ("3", "running")] {
        let run = driven(&books, name).await;
        let lease = claim(&store, &run).await;
        ask(&books, &lease, 1).await.expect("asked");
        let ending = RunEnding::Cancelled { reason: "operator".to_owned() };
        match state {
            "paused" => drop(books.pause_run(&run, "operator", later(&by, 300)).await.expect("paused")),
            "cancelled" => drop(books.end_run(&run, &ending, None, later(&by, 300)).await.expect("ended")),
            _ => {}
        }
        let expected = if state == "running" { vec![] } else { vec![run.clone()] };
        assert_eq!(store.halted_loops(desk::STREAM).await.expect("read"), expected, "{state}");
        assert!(store.halted_loops("two").await.expect("read").is_empty());
        assert!(store.release_loop(&lease, NOW_MS).await.expect("asked"));
        assert!(store.halted_loops(desk::STREAM).await.expect("read").is_empty(), "it is driven no more");
    }
}

async fn an_ended_run_is_due_until_the_results_of_its_last_calls_are_written(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let by = ada();
    let ending = RunEnding::Cancelled { reason: "operator".to_owned() };
    for (name, ends_first) in [("1", false), ("2", true)] {
        let run = driven(&one, name).await;
        let lease = claim(&store, &run).await;
        ask(&one, &lease, 1).await.expect("asked");
        if ends_first {
            one.end_run(&run, &ending, None, later(&by, 250)).await.expect("ended");
        }
        answer(&one, &lease, 1, 2).await.expect("answered");
        if !ends_first {
            one.end_run(&run, &ending, None, later(&by, 350)).await.expect("ended");
        }
        assert_eq!(look(&store, &run).await.state, LoopState::Done);
        assert!(due(&store).await.is_empty(), "its gateway writes them down");
        assert_eq!(
            store.due_loops(UNTIL_MS, 10).await.expect("read"),
            std::slice::from_ref(&run),
            "or another one"
        );
        let taken = store.claim_loop(&run, "two", UNTIL_MS, UNTIL_MS + 9_000).await.expect("asked");
        let (taken, _) = taken.expect("claimed");
        assert_lost(act(&one, &lease, 1, 2).await);
        act(&two, &taken, 1, 2).await.expect("written");
        assert!(store.release_loop(&taken, NOW_MS).await.expect("asked"));
        assert!(store.due_loops(i64::MAX, 10).await.expect("read").is_empty(), "once");
        assert_eq!(store.claim_loop(&run, "two", UNTIL_MS, UNTIL_MS).await.expect("asked"), None);
        assert_eq!(store.verify_messages(&run).await.expect("sound"), 3);
    }
}

async fn many_claimers_have_one_winner(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let other = world.open().await;
    for name in ["1", "2"] {
        let run = driven(&one, name).await;
        let claims = (0..MANY).map(|number| {
            let (store, run) = (if number % 2 == 0 { store.clone() } else { other.clone() }, run.clone());
            tokio::spawn(async move {
                let stream = format!("gateway-{number}");
                store.claim_loop(&run, &stream, NOW_MS + 1, UNTIL_MS).await.expect("asked")
            })
        });
        let mut winners = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            winners.extend(claim.await.expect("no panic"));
        }
        assert_eq!(winners.len(), 1);
        let kept = look(&store, &run).await;
        assert_eq!((kept.fence, kept.owner.as_ref()), (1, Some(&winners[0].0.stream)));
    }
}

async fn loops_that_wait_are_not_looked_at(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = driven(&books, "ready").await;
    let numbers = match world.is_postgres() {
        true => format!("generate_series(1, {WAITING}) AS n(number)"),
        false => format!(
            "(WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < {WAITING}) \
             SELECT number FROM n) AS n"
        ),
    };
    let fill = format!(
        "INSERT INTO run_loops (run, model, system, state, turn, last_message, input, cached, written, output, cost, \
         fold_faults, nudged, fence, lease_until_ms, wake_at_ms, created_at_ms) \
         SELECT 'run_w' || n.number, 'writer', '', 'waiting', 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0 FROM {numbers}"
    );
    let filled = world.sql(&fill);
    assert_eq!(filled.await, WAITING as u64);
    world.sql(if world.is_postgres() { "ANALYZE run_loops" } else { "ANALYZE" }).await;
    assert_eq!(due(&store).await, [run]);
    let plan = plan(&world).await;
    assert!(plan.contains("run_loops_ready"), "{plan}");
}

/// The way to the loops that are due.
async fn plan(world: &StoreWorld) -> String {
    let text = "SELECT run FROM run_loops WHERE tenant = 'default' AND (state = 'ready' OR unclosed = 1) \
         AND wake_at_ms <= 5 AND (owner IS NULL OR lease_until_ms <= 5) ORDER BY wake_at_ms, run LIMIT 10";
    if world.is_postgres() {
        let mut connection = postgres(world.url()).await;
        let explain = AssertSqlSafe(format!("EXPLAIN {text}"));
        let rows = sqlx::query(explain).fetch_all(&mut connection).await.expect("a plan");
        return rows.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>().join("\n");
    }
    let options = SqliteConnectOptions::new()
        .filename(world.folder().join("toolgate.db"))
        .busy_timeout(Duration::from_secs(10));
    let mut connection = SqliteConnection::connect_with(&options).await.expect("the database opens");
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {text}"));
    let rows = sqlx::query(explain).fetch_all(&mut connection).await.expect("a plan");
    rows.iter().map(|row| row.get::<String, _>(3)).collect::<Vec<_>>().join("\n")
}
