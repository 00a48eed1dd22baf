//! Pages: every filter, both orders, from any place.

use serde_json::{Value, json};
use toolgate_core::event::{DecisionKind, EventFilter, Outcome, Position};
use toolgate_core::governance::Ledger;
use toolgate_core::id::RunId;
use toolgate_store::Tampering;

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    every_filter_finds_what_it_says_and_nothing_else,
    decisions_are_found_in_blocks_of_both_forms,
    a_cursor_goes_on_where_the_page_ended,
    who_follows_misses_nothing_that_others_write,
);

/// Three blocks of events that differ in everything a filter knows, some out of the order of time, and some of a fourth.
fn mixed() -> Vec<Event> {
    let mixed = (0..800i64).map(|number| {
        let pick = |count: i64| number % count;
        let server = ServerName::new(&format!("server-{}", pick(4))).expect("a legal name");
        let about = EventSubject {
            session: (pick(3) == 0).then(|| SessionId::new(format!("ses_{}", pick(9)))),
            run: (pick(5) == 0).then(|| RunId::new(format!("run_{}", pick(10)))),
            call: (pick(7) != 0).then(|| CallId::new(format!("tc_{}", number / 3))),
            tool: (pick(11) != 0).then(|| CanonicalName::of(&server, &format!("tool_{}", pick(8)))),
            server: (pick(11) != 0).then_some(server),
            ..EventSubject::default()
        };
        let kind = EventKind::ALL[number as usize % EventKind::ALL.len()];
        let at_ms = START_MS + number * 20_000 - pick(6) * 45_000;
        let principal = PrincipalId::new(["agent", "other", "gateway"][pick(3) as usize]);
        let code = ["server_timeout", "denied", "tool_error"][pick(3) as usize];
        Event {
            detail: (pick(4) != 0).then(|| RawJson::from(json!({ "code": code }))),
            outcome: (pick(2) == 0).then(|| Outcome::ALL[number as usize % Outcome::ALL.len()]),
            decision: (pick(4) == 0).then(|| DecisionKind::ALL[number as usize % DecisionKind::ALL.len()]),
            ..Event::new(kind, at_ms, principal, Arc::new(about))
        }
    });
    mixed.collect()
}

fn passes(filter: &EventFilter, event: &Event) -> bool {
    fn fits<T: PartialEq>(wanted: &Option<T>, found: Option<&T>) -> bool {
        wanted.as_ref().is_none_or(|wanted| found == Some(wanted))
    }
    filter.from_ms.is_none_or(|from| event.at_ms >= from)
        && filter.until_ms.is_none_or(|until| event.at_ms < until)
        && fits(&filter.kind, Some(&event.kind))
        && fits(&filter.principal, Some(&event.principal))
        && fits(&filter.session, event.about.session.as_ref())
        && fits(&filter.run, event.about.run.as_ref())
        && fits(&filter.call, event.about.call.as_ref())
        && fits(&filter.tool, event.about.tool.as_ref())
        && fits(&filter.server, event.about.server.as_ref())
        && (filter.outcomes.is_empty() || event.outcome.is_some_and(|one| filter.outcomes.contains(&one)))
        && fits(&filter.decision, event.decision.as_ref())
        && fits(&filter.error, error_of(event).as_ref())
}

/// The name of the error of a call that failed or was refused.
fn error_of(event: &Event) -> Option<String> {
    let failed = [Outcome::Failed, Outcome::Unknown, Outcome::Invalid];
    let refused =
        [Outcome::Denied, Outcome::Rejected, Outcome::ChangesRequested, Outcome::Expired, Outcome::Refused];
    let outcome = event.outcome.filter(|_| event.kind == EventKind::CallCompleted)?;
    match outcome {
        Outcome::ToolError => Some("tool_error".to_owned()),
        one if failed.contains(&one) || refused.contains(&one) => {
            let detail: Option<Value> = event.detail.as_ref().and_then(|detail| detail.decode().ok());
            let code = detail.and_then(|detail| detail["code"].as_str().map(str::to_owned));
            Some(code.unwrap_or_else(|| one.as_str().to_owned()))
        }
        _ => None,
    }
}

/// For every event, filters that it passes: one for each field it has, and some for several.
fn filters(events: &[Event]) -> Vec<EventFilter> {
    let none = EventFilter::default;
    let mut filters = vec![none()];
    for event in events.iter().step_by(17) {
        let about = &event.about;
        filters.extend([
            EventFilter { from_ms: Some(event.at_ms), ..none() },
            EventFilter { until_ms: Some(event.at_ms), ..none() },
            EventFilter { from_ms: Some(event.at_ms), until_ms: Some(event.at_ms + 60_000), ..none() },
            EventFilter { kind: Some(event.kind), ..none() },
            EventFilter { principal: Some(event.principal.clone()), ..none() },
            EventFilter { session: about.session.clone(), ..none() },
            EventFilter { run: about.run.clone(), ..none() },
            EventFilter { call: about.call.clone(), ..none() },
            EventFilter { tool: about.tool.clone(), ..none() },
            EventFilter { server: about.server.clone(), ..none() },
            EventFilter { outcomes: event.outcome.into_iter().collect(), ..none() },
            EventFilter { outcomes: vec![Outcome::Failed, Outcome::Denied], ..none() },
            EventFilter { outcomes: vec![Outcome::Succeeded, Outcome::Denied], ..none() },
            EventFilter { decision: event.decision, ..none() },
            EventFilter { error: error_of(event), ..none() },
            EventFilter { error: error_of(event), tool: about.tool.clone(), ..none() },
            EventFilter {
                server: about.server.clone(),
                outcomes: event.outcome.into_iter().collect(),
                from_ms: Some(event.at_ms),
                ..none()
            },
            EventFilter { principal: Some(event.principal.clone()), kind: Some(event.kind), ..none() },
        ]);
    }
    for error in ["server_timeout", "denied", "tool_error", "failed", "nothing"] {
        filters.push(EventFilter { error: Some(error.to_owned()), ..none() });
    }
    filters.push(EventFilter { principal: Some(PrincipalId::new("nobody")), ..none() });
    filters.push(EventFilter { from_ms: Some(START_MS * 2), ..none() });
    filters
}

async fn every_filter_finds_what_it_says_and_nothing_else(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let events = mixed();
    for some in events.chunks(50) {
        writer.append(entry(some.to_vec())).await.expect("written");
    }
    for filter in filters(&events) {
        let mut expected: Vec<&Event> = events.iter().filter(|event| passes(&filter, event)).collect();
        let found = page(&store, &filter, LedgerOrder::OldestFirst).await;
        assert_eq!(found.iter().map(|one| &one.event).collect::<Vec<_>>(), expected, "{filter:?}");
        expected.reverse();
        let found = page(&store, &filter, LedgerOrder::NewestFirst).await;
        assert_eq!(found.iter().map(|one| &one.event).collect::<Vec<_>>(), expected, "{filter:?}");
    }
}

/// Blocks of the first form lack the term of decisions.
async fn decisions_are_found_in_blocks_of_both_forms(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let events = mixed();
    writer.append(entry(events.clone())).await.expect("written");
    let term =
        if world.is_postgres() { "'kpolicy.decided'::BYTEA" } else { "CAST('kpolicy.decided' AS BLOB)" };
    let forget = format!("DELETE FROM ledger_terms WHERE block < 2 AND term = {term}");
    assert!(world.sql(&forget).await > 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.map(|fault| fault.what);
    assert_eq!(fault, Some(Tampering::TermForged), "the blocks say that they have it");
    assert!(world.sql("UPDATE ledger_blocks SET form = 1 WHERE block < 2").await > 1);
    assert_sound(&store).await;
    let tool = events.iter().find_map(|event| event.about.tool.clone());
    for tool in [None, tool] {
        let filter = EventFilter { kind: Some(EventKind::PolicyDecided), tool, ..EventFilter::default() };
        let mut expected: Vec<&Event> = events.iter().filter(|event| passes(&filter, event)).collect();
        for order in [LedgerOrder::OldestFirst, LedgerOrder::NewestFirst] {
            let found = page(&store, &filter, order).await;
            assert_eq!(found.iter().map(|one| &one.event).collect::<Vec<_>>(), expected, "{filter:?}");
            expected.reverse();
        }
    }
}

async fn a_cursor_goes_on_where_the_page_ended(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    writer.append(entry(mixed())).await.expect("written");
    let filter = EventFilter { principal: Some(PrincipalId::new("agent")), ..EventFilter::default() };
    for order in [LedgerOrder::NewestFirst, LedgerOrder::OldestFirst] {
        let whole = page(&store, &filter, order).await;
        let (mut read, mut after): (Vec<RecordedEvent>, Option<Position>) = (Vec::new(), None);
        loop {
            let page = store.ledger_page(&filter, after.as_ref(), 7, order).await.expect("read");
            assert!(page.len() <= 7);
            let Some(last) = page.last() else { break };
            after = Some(last.position.to_string().parse().expect("a position"));
            read.extend(page);
        }
        assert_eq!(read, whole);
    }
}

async fn who_follows_misses_nothing_that_others_write(world: StoreWorld) {
    const EACH: usize = 40;
    let store = world.open().await;
    let mut writing = Vec::new();
    for number in 0..4 {
        let store = world.open().await;
        writing.push(tokio::spawn(async move {
            let writer = writer(&store, &format!("stream {number}")).await;
            for call in 0..EACH {
                writer
                    .append(entry(vec![decided(&format!("tc_{number}_{call}")); 3]))
                    .await
                    .expect("written");
            }
        }));
    }
    let (mut seen, mut after): (Vec<RecordedEvent>, Option<Position>) = (Vec::new(), None);
    loop {
        let is_over = writing.iter().all(|one| one.is_finished());
        // A position goes through the hands of clients as text.
        let from = after.as_ref();
        let page = store
            .ledger_page(&EventFilter::default(), from, 50, LedgerOrder::OldestFirst)
            .await
            .expect("read");
        after = page.last().map(|last| last.position.to_string().parse().expect("a position")).or(after);
        let is_empty = page.is_empty();
        seen.extend(page);
        if is_over && is_empty {
            break;
        }
    }
    for one in writing {
        one.await.expect("no panic");
    }
    for number in 0..4 {
        let of_stream = seen.iter().filter(|one| *one.stream == *format!("stream {number}"));
        let numbers: Vec<i64> = of_stream.map(|one| one.number).collect();
        assert_eq!(numbers, (1..=EACH as i64 * 3).collect::<Vec<_>>(), "each once, in its order");
    }
    let whole = all(&store).await;
    assert!(whole.is_sorted_by(|one, two| (one.time, &one.stream) < (two.time, &two.stream)));
    assert_eq!(whole.len(), seen.len());
}
