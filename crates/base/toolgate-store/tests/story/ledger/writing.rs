//! Writing: alone, together, and beside other processes.

use std::collections::BTreeSet;

use toolgate_core::event::{DecisionKind, EventFilter, Outcome};
use toolgate_core::governance::{Ledger, StartRefused, Warrant};
use toolgate_core::id::{ApprovalId, GrantId, RunId};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    an_event_is_read_back_as_it_was_written,
    everybody_is_answered_and_nothing_is_missing,
    a_refused_call_takes_nobody_down_with_it,
    two_processes_write_to_one_stream_and_to_their_own,
    a_round_is_taken_up_once,
    bodies_are_kept_once_and_for_the_longest_time,
    an_odd_text_does_not_spoil_the_batch,
    what_is_handed_over_before_the_end_is_written,
);

async fn an_event_is_read_back_as_it_was_written(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let about = EventSubject {
        run: Some(RunId::new("run_1")),
        task: Some("a task".into()),
        trace: Some("00-1-2-01".into()),
        ..(*about("tc_1")).clone()
    };
    let full = Event {
        approval: Some(ApprovalId::new("apr_1")),
        policy_version: Some(Digest::of("policy")),
        decision: Some(DecisionKind::Approve),
        outcome: Some(Outcome::ChangesRequested),
        duration_us: Some(i64::MAX),
        input: Some(Digest::of("input")),
        output: Some(Digest::of("output")),
        meta: Some(Digest::of("meta")),
        detail: Some(RawJson::from_composed("{\"n\": 1.0, \"ä\": \"\\u0000\"}".into())),
        ..Event::new(EventKind::CallCompleted, -1, PrincipalId::new("agent"), Arc::new(about))
    };
    let bare = Event::new(EventKind::PolicyLoaded, 0, PrincipalId::gateway(), Arc::default());
    writer.append(on_disk(vec![full.clone(), bare.clone()])).await.expect("written");
    let read = all(&store).await;
    let Event { input, output, meta, .. } = read[0].event;
    assert!(meta.is_some_and(|meta| meta != Digest::of("meta")), "{read:?}");
    assert!(input.is_some_and(|input| input != Digest::of("input")) && output.is_some(), "{read:?}");
    let full = Event { input, output, meta, ..full };
    assert_eq!(read.iter().map(|one| one.event.clone()).collect::<Vec<_>>(), [full, bare]);
    assert_eq!(read.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(read[0].previous, Digest::from_bytes([0; 32]));
    assert_eq!(read[1].previous, read[0].hash);
    assert!(read.iter().all(|one| &*one.stream == "one"));
    assert_sound(&store).await;
}

async fn everybody_is_answered_and_nothing_is_missing(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let calls = (0..300).map(|number| {
        let writer = writer.clone();
        tokio::spawn(async move {
            let call = format!("tc_{number:03}");
            let start = on_disk(vec![decided(&call), started(&call)]);
            writer.start(start, Warrant::NoneNeeded).await.expect("started");
            writer.append(entry(vec![completed(&call, Outcome::Succeeded)])).await.expect("ended");
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.expect("no panic");
    }
    let read = all(&store).await;
    assert_eq!(read.len(), 900);
    assert_eq!(read.iter().map(|one| one.number).collect::<Vec<_>>(), (1..=900).collect::<Vec<_>>());
    assert!(read.is_sorted_by(|one, two| one.time < two.time));
    let ended = EventFilter { kind: Some(EventKind::CallCompleted), ..EventFilter::default() };
    let ended = page(&store, &ended, LedgerOrder::NewestFirst).await;
    assert_eq!(
        ended.iter().filter_map(|one| one.event.about.call.clone()).collect::<BTreeSet<_>>().len(),
        300
    );
    assert_eq!(world.sql("DELETE FROM open_calls").await, 0);
    assert_sound(&store).await;
}

async fn a_refused_call_takes_nobody_down_with_it(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let starts = (0..60).map(|number| {
        let writer = writer.clone();
        let call = format!("tc_{number:02}");
        let warrant = match number % 3 {
            0 => Warrant::NoneNeeded,
            1 => Warrant::Round { call: CallId::new(&*call), round: 1 },
            _ => Warrant::Grant { id: GrantId::new("grt_none") },
        };
        tokio::spawn(async move { writer.start(on_disk(vec![started(&call)]), warrant).await })
    });
    for (number, start) in starts.collect::<Vec<_>>().into_iter().enumerate() {
        let expected = [Ok(()), Err(StartRefused::Round), Err(StartRefused::Grant)][number % 3].clone();
        assert_eq!(start.await.expect("no panic"), expected);
    }
    assert_eq!(all(&store).await.len(), 20);
    assert_eq!(world.sql("DELETE FROM open_calls").await, 20);
    assert_sound(&store).await;
}

async fn two_processes_write_to_one_stream_and_to_their_own(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let writers = [
        writer(&first, "shared").await,
        writer(&second, "shared").await,
        writer(&first, "first").await,
        writer(&second, "second").await,
    ];
    let appends = (0..200).map(|number: usize| {
        let writer = writers[number % writers.len()].clone();
        let entry = entry(vec![decided(&format!("tc_{number}")), started(&format!("tc_{number}"))]);
        tokio::spawn(async move { writer.append(entry).await })
    });
    for append in appends.collect::<Vec<_>>() {
        append.await.expect("no panic").expect("written");
    }
    let read = all(&second).await;
    assert_eq!(read.len(), 400);
    for (stream, count) in [("shared", 200), ("first", 100), ("second", 100)] {
        let places = read.iter().filter(|one| &*one.stream == stream).map(|one| one.number);
        assert_eq!(places.collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>(), "{stream}");
    }
    let verified = first.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((verified.events, verified.streams, verified.fault), (400, 3, None));
}

async fn a_round_is_taken_up_once(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let (one, two) = (writer(&first, "one").await, writer(&second, "two").await);
    let resume = |round| Warrant::Round { call: CallId::new("tc_1"), round };
    let resumed = || on_disk(vec![event(EventKind::CallResumed, "tc_1")]);
    one.start(on_disk(vec![started("tc_1")]), Warrant::NoneNeeded).await.expect("started");
    assert_eq!(one.start(resumed(), resume(0)).await, Err(StartRefused::Round), "it does not wait");
    for round in 1..=3 {
        one.append(entry(vec![event(EventKind::CallPaused, "tc_1")])).await.expect("paused");
        assert_eq!(two.start(resumed(), resume(round + 1)).await, Err(StartRefused::Round), "not yet");
        let taken = tokio::join!(one.start(resumed(), resume(round)), two.start(resumed(), resume(round)));
        assert!(matches!(taken, (Ok(()), Err(StartRefused::Round)) | (Err(StartRefused::Round), Ok(()))));
        assert_eq!(one.start(resumed(), resume(round)).await, Err(StartRefused::Round), "taken up before");
    }
    one.append(entry(vec![completed("tc_1", Outcome::Succeeded)])).await.expect("ended");
    assert_eq!(two.start(resumed(), resume(3)).await, Err(StartRefused::Round), "it has ended");
    assert_eq!(all(&first).await.len(), 1 + 3 + 3 + 1);
}

async fn bodies_are_kept_once_and_for_the_longest_time(world: StoreWorld) {
    let store = world.open().await;
    let one = writer(&store, "one").await;
    let short = body("{\"a\":1}", START_MS);
    let long = body("{\"a\":1}", START_MS + 10 * DAY_MS);
    let other = body("[\"other\"]", START_MS);
    let entry = |bodies: Vec<LedgerBody>| {
        let (input, output) = (Some(short.digest), Some(other.digest));
        LedgerEntry { bodies, ..entry(vec![Event { input, output, ..decided("tc_1") }]) }
    };
    one.append(entry(vec![short.clone(), other.clone(), short.clone(), long.clone()]))
        .await
        .expect("written");
    one.append(entry(vec![short.clone()])).await.expect("written");
    one.append(entry(vec![short.clone(), other.clone()])).await.expect("written");
    let named: BTreeSet<[Option<Digest>; 2]> =
        all(&store).await.iter().map(|one| [one.event.input, one.event.output]).collect();
    let [Some([Some(a), Some(b)]), None] = [named.first().copied(), named.iter().nth(1).copied()] else {
        panic!("all have the same commitments: {named:?}")
    };
    for (digest, body) in [(&a, &short), (&b, &other)] {
        assert_eq!(store.ledger_body(digest).await.expect("read"), Some(body.json.clone()));
    }
    assert_eq!(store.ledger_body(&Digest::of("nothing")).await.expect("read"), None);
    assert_eq!(store.ledger_body(&short.digest).await.expect("read"), None, "not by its plain digest");

    assert_eq!(store.delete_expired_bodies(START_MS).await.expect("deleted"), 0);
    assert_eq!(store.delete_expired_bodies(START_MS + 2 * DAY_MS).await.expect("deleted"), 1);
    assert_eq!(store.ledger_body(&b).await.expect("read"), None);
    assert_eq!(store.ledger_body(&a).await.expect("read"), Some(short.json.clone()));
    let longer = body("{\"a\":1}", START_MS + 20 * DAY_MS);
    one.append(entry(vec![longer])).await.expect("written");
    let last = all(&store).await.pop().and_then(|one| one.event.input).expect("an input");
    assert_ne!(last, a, "what is kept for longer has a row of its own");
    assert_eq!(store.delete_expired_bodies(START_MS + 19 * DAY_MS).await.expect("deleted"), 1);
    assert_eq!(store.ledger_body(&last).await.expect("read"), Some(short.json.clone()));
    assert_eq!(store.delete_expired_bodies(START_MS + 22 * DAY_MS).await.expect("deleted"), 1);
    assert_sound(&store).await;
}

async fn an_odd_text_does_not_spoil_the_batch(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let (odd, plain) = (entry(vec![started("tc_\0odd")]), entry(vec![started("tc_plain")]));
    let both = tokio::join!(writer.append(odd), writer.append(plain));
    assert_eq!(both, (Ok(()), Ok(())));
    assert_eq!(story(&store).await, ["tc_\u{FFFD}odd tool.call.started", "tc_plain tool.call.started"]);
    let found = store.ledger_call(&CallId::new("tc_\0odd")).await.expect("read");
    assert_eq!(found.len(), 1);
    writer.append(entry(vec![completed("tc_\0odd", Outcome::Failed)])).await.expect("written");
    assert_eq!(world.sql("DELETE FROM open_calls").await, 1);
}

async fn what_is_handed_over_before_the_end_is_written(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let waiting: Vec<_> = (0..50)
        .map(|number| tokio::spawn(writer.append(entry(vec![decided(&format!("tc_{number}"))]))))
        .collect();
    for append in waiting {
        append.await.expect("no panic").expect("written");
    }
    writer.close().await;
    assert_eq!(all(&store).await.len(), 50);
    assert!(!writer.is_up());
    assert!(writer.append(entry(vec![decided("tc_late")])).await.is_err());
}
