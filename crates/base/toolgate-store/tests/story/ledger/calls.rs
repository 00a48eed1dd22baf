//! Calls, one entry for each, and the events of traffic.

use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::governance::{Approvals, Ledger, Warrant};
use toolgate_store::{
    AskedApproval, Books, CallCursor, CallFilter, CallPage, CallStanding, ExportFormat, SAVED_VIEWS_MAX,
    SavedView, SavedViewOutcome,
};

use super::*;
use crate::desk;
use crate::world::StoreWorld;

crate::on_both!(
    a_call_is_one_entry_however_many_events_it_has,
    every_filter_of_calls_leaves_what_it_says,
    pages_of_calls_follow_one_another_without_gap_or_repeat,
    calls_under_way_come_first_and_leave_when_they_end,
    a_call_that_people_are_asked_about_waits,
    a_call_stands_where_policy_judged_it_last,
    ends_of_calls_are_read_once,
    calls_are_found_by_any_part_of_their_text,
    calls_are_counted_by_what_they_have,
    people_keep_views_of_their_own,
    an_export_ends_where_the_ledger_ended_when_it_began,
);

async fn calls(store: &Store, filter: &CallFilter) -> CallPage {
    store.calls(filter, None, 50).await.expect("read")
}

fn told(page: &CallPage) -> Vec<String> {
    page.calls.iter().map(|call| format!("{} {}", call.id.as_str(), call.state.as_str())).collect()
}

fn by(events: EventFilter) -> CallFilter {
    CallFilter { events, ..CallFilter::default() }
}

fn standing(standing: CallStanding) -> CallFilter {
    CallFilter { standing: Some(standing), ..CallFilter::default() }
}

/// A call with its three events; every third fails, every fifth is by another caller on another server.
async fn whole_call(writer: &LedgerWriter, number: i64) {
    let call = format!("tc_{number:03}");
    let mut events = vec![decided(&call), started(&call), completed(&call, Outcome::Succeeded)];
    for event in &mut events {
        event.at_ms += number * 1_000;
        if number % 5 == 0 {
            let about = Arc::make_mut(&mut event.about);
            about.server = Some(ServerName::new("mail").expect("a legal name"));
            about.tool = Some(CanonicalName::recorded("mail:send"));
            event.principal = PrincipalId::new("other");
        }
    }
    if number % 3 == 0 {
        events[2].outcome = Some(Outcome::Failed);
    }
    events[2].duration_us = Some(2_000);
    writer.append(entry(events)).await.expect("recorded");
}

async fn a_call_is_one_entry_however_many_events_it_has(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for number in 1..4 {
        whole_call(&writer, number).await;
    }
    let page = calls(&store, &CallFilter::default()).await;
    assert_eq!(told(&page), ["tc_003 failed", "tc_002 succeeded", "tc_001 succeeded"]);
    let first = &page.calls[0];
    assert_eq!((first.decision, first.duration_us), (Some(DecisionKind::Permit), Some(2_000)));
    assert_eq!(first.principal, PrincipalId::new("agent"));
    assert_eq!((first.started_at_ms, first.ended_at_ms), (START_MS + 2_998, Some(START_MS + 3_000)));
    assert_eq!(page.next, None);
}

async fn every_filter_of_calls_leaves_what_it_says(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for number in 1..11 {
        whole_call(&writer, number).await;
    }
    let denied = Event { decision: Some(DecisionKind::Deny), ..decided("tc_no") };
    writer.append(entry(vec![denied, completed("tc_no", Outcome::Denied)])).await.expect("recorded");
    let none = EventFilter::default;
    let ids = async |filter: &CallFilter| -> Vec<String> {
        calls(&store, filter).await.calls.iter().map(|call| call.id.to_string()).collect()
    };
    for (filter, expected) in [
        (by(EventFilter { outcomes: vec![Outcome::Failed], ..none() }), vec!["tc_009", "tc_006", "tc_003"]),
        (by(EventFilter { principal: Some(PrincipalId::new("other")), ..none() }), vec!["tc_010", "tc_005"]),
        (
            by(EventFilter { tool: Some(CanonicalName::recorded("mail:send")), ..none() }),
            vec!["tc_010", "tc_005"],
        ),
        (by(EventFilter { server: ServerName::new("mail").ok(), ..none() }), vec!["tc_010", "tc_005"]),
        (by(EventFilter { decision: Some(DecisionKind::Deny), ..none() }), vec!["tc_no"]),
        (by(EventFilter { call: Some(CallId::new("tc_004")), ..none() }), vec!["tc_004"]),
        (by(EventFilter { from_ms: Some(START_MS + 9_000), ..none() }), vec!["tc_010", "tc_009"]),
        (
            by(EventFilter { from_ms: Some(START_MS + 2_000), until_ms: Some(START_MS + 4_000), ..none() }),
            vec!["tc_003", "tc_002"],
        ),
        (
            by(EventFilter {
                decision: Some(DecisionKind::Permit),
                outcomes: vec![Outcome::Failed],
                principal: Some(PrincipalId::new("agent")),
                ..none()
            }),
            vec!["tc_009", "tc_006", "tc_003"],
        ),
        (standing(CallStanding::Running), vec![]),
        (standing(CallStanding::Waiting), vec![]),
    ] {
        assert_eq!(ids(&filter).await, expected, "{filter:?}");
    }
    assert_eq!(ids(&standing(CallStanding::Ended)).await.len(), 11);
}

async fn pages_of_calls_follow_one_another_without_gap_or_repeat(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for number in 0..25 {
        whole_call(&writer, number).await;
    }
    for number in 0..5 {
        let start = on_disk(vec![started(&format!("tc_open_{number}"))]);
        writer.start(start, Warrant::NoneNeeded).await.expect("started");
    }
    for filter in [
        CallFilter::default(),
        by(EventFilter { decision: Some(DecisionKind::Permit), ..EventFilter::default() }),
    ] {
        let expected = if filter.events.decision.is_some() { 25 } else { 30 };
        let (mut ids, mut cursor): (Vec<String>, Option<CallCursor>) = (Vec::new(), None);
        loop {
            let page = store.calls(&filter, cursor.as_ref(), 3).await.expect("read");
            assert!(page.calls.len() <= 3);
            ids.extend(page.calls.iter().map(|call| call.id.to_string()));
            let Some(next) = page.next else { break };
            // In its text form.
            cursor = Some(next.to_string().parse().expect("a cursor"));
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((ids.len(), count), (expected, expected), "{filter:?}");
    }
}

async fn calls_under_way_come_first_and_leave_when_they_end(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    whole_call(&writer, 1).await;
    for call in ["tc_a", "tc_b"] {
        let start = on_disk(vec![decided(call), started(call)]);
        writer.start(start, Warrant::NoneNeeded).await.expect("started");
    }
    writer.append(entry(vec![event(EventKind::CallPaused, "tc_b")])).await.expect("paused");
    let all = CallFilter::default();
    assert_eq!(
        told(&calls(&store, &all).await),
        ["tc_b input_required", "tc_a dispatched", "tc_001 succeeded"]
    );
    assert_eq!(told(&calls(&store, &standing(CallStanding::Running)).await), ["tc_a dispatched"]);
    assert_eq!(told(&calls(&store, &standing(CallStanding::Waiting)).await), ["tc_b input_required"]);
    assert_eq!(told(&calls(&store, &standing(CallStanding::Ended)).await), ["tc_001 succeeded"]);
    let one = by(EventFilter { call: Some(CallId::new("tc_a")), ..EventFilter::default() });
    assert_eq!(told(&calls(&store, &one).await), ["tc_a dispatched"]);

    writer.append(entry(vec![completed("tc_a", Outcome::ToolError)])).await.expect("ended");
    let page = calls(&store, &all).await;
    assert_eq!(told(&page), ["tc_b input_required", "tc_a tool_error", "tc_001 succeeded"]);
    assert_eq!(page.calls[0].decision, Some(DecisionKind::Permit));
    store.sweep("one").await.expect("swept");
    world.sql("UPDATE open_calls SET paused_at_ms = NULL").await;
    store.sweep("one").await.expect("swept");
    let swept = calls(&store, &all).await;
    assert_eq!(told(&swept)[0], "tc_b unknown");
    assert_eq!(swept.calls[0].principal, PrincipalId::new("agent"), "the gateway only ended it");
}

async fn ask(books: &Books, id: &str, amount: u32) -> Approval {
    books.open(desk::proposal(id, amount)).await.expect("asked").approval
}

async fn a_call_that_people_are_asked_about_waits(world: StoreWorld) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    let approval = ask(&books, "1", 100).await;
    let joined = ask(&books, "2", 100).await;
    assert_eq!(approval.id, joined.id);
    let (one, two) = (desk::call("1"), desk::call("2"));
    let states = async |filter: CallFilter| {
        let mut told = told(&calls(&store, &filter).await);
        told.sort_unstable();
        told
    };
    let waiting =
        [format!("{} awaiting_approval", one.as_str()), format!("{} awaiting_approval", two.as_str())];
    assert_eq!(states(CallFilter::default()).await, waiting);
    assert_eq!(states(standing(CallStanding::Waiting)).await, waiting);
    assert_eq!(states(standing(CallStanding::Running)).await, Vec::<String>::new());
    let of_approval = CallFilter { approval: Some(approval.id.clone()), ..CallFilter::default() };
    assert_eq!(states(of_approval.clone()).await, [waiting[0].clone()]);

    // Its client is told to come back: it has ended, and still waits for a person.
    let told_so = completed(one.as_str(), Outcome::PendingApproval);
    books.append(entry(vec![told_so])).await.expect("ended");
    let first = format!("{} pending_approval", one.as_str());
    assert_eq!(states(CallFilter::default()).await, [first.clone(), waiting[1].clone()]);
    assert_eq!(states(standing(CallStanding::Waiting)).await, [first.clone(), waiting[1].clone()]);

    let approved = desk::approve(&books, &approval.id).await.expect("approved").approval;
    desk::start(&books, &approved, "2").await.expect("started");
    let sent = format!("{} dispatched", two.as_str());
    assert_eq!(states(CallFilter::default()).await, [first.clone(), sent.clone()]);
    assert_eq!(states(of_approval).await, [first, sent]);
    assert_eq!(states(standing(CallStanding::Waiting)).await, Vec::<String>::new());
    let ended = calls(&store, &standing(CallStanding::Ended)).await.calls[0].clone();
    assert_eq!(ended.asked, Some(AskedApproval { state: ApprovalState::Used, used_by: Some(two) }));
}

async fn a_call_stands_where_policy_judged_it_last(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    writer.append(entry(vec![decided("tc_1"), decided("tc_1"), started("tc_1")])).await.expect("recorded");
    writer.append(entry(vec![completed("tc_1", Outcome::Succeeded)])).await.expect("recorded");
    let permitted = by(EventFilter { decision: Some(DecisionKind::Permit), ..EventFilter::default() });
    assert_eq!(told(&calls(&store, &permitted).await), ["tc_1 succeeded"]);
    let denied = by(EventFilter { decision: Some(DecisionKind::Deny), ..EventFilter::default() });
    assert_eq!(told(&calls(&store, &denied).await), Vec::<String>::new());
}

async fn ends_of_calls_are_read_once(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let before = store.ledger_before(START_MS).await.expect("read");
    for number in 1..4 {
        whole_call(&writer, number).await;
    }
    let first = store.call_ends(&before).await.expect("read");
    assert_eq!((first.ends.len(), first.is_complete), (3, true));
    assert_eq!(first.ends[2].outcome, Outcome::Failed);
    assert_eq!(first.ends[2].server.as_deref(), Some("files"));
    assert_eq!(store.call_ends(&first.last).await.expect("read").ends, []);
    writer.append(entry(vec![started("tc_x")])).await.expect("recorded");
    let nothing = store.call_ends(&first.last).await.expect("read");
    assert!(nothing.ends.is_empty() && nothing.last != first.last, "{nothing:?}");
    whole_call(&writer, 4).await;
    assert_eq!(store.call_ends(&nothing.last).await.expect("read").ends.len(), 1);
    assert_eq!(store.ledger_size().await.expect("read"), 13);
    let late = store.ledger_before(START_MS + DAY_MS).await.expect("read");
    assert_eq!(store.call_ends(&late).await.expect("read").ends, []);
}

async fn an_export_ends_where_the_ledger_ended_when_it_began(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for number in 0..500 {
        whole_call(&writer, number).await;
    }
    for (format, member) in [(ExportFormat::Jsonl, "number"), (ExportFormat::CloudEvents, "specversion")] {
        let mut export = store.export_ledger(EventFilter::default(), format).await.expect("begun");
        whole_call(&writer, 1_000).await;
        let (mut lines, mut pages) = (0, 0);
        while let Some(some) = export.next().await.expect("read") {
            pages += 1;
            lines += some.events;
            let values =
                some.text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
            assert!(values.into_iter().all(|value| value.get(member).is_some()));
        }
        let expected = if format == ExportFormat::Jsonl { 1_500 } else { 1_503 };
        assert_eq!((lines, pages), (expected, 2));
        assert_eq!(export.next().await.expect("read"), None, "it stays at its end");
    }
    let failed = EventFilter { outcomes: vec![Outcome::Failed], ..EventFilter::default() };
    let mut export = store.export_ledger(failed, ExportFormat::Jsonl).await.expect("begun");
    assert_eq!(export.next().await.expect("read").expect("some").events, 167);
}

async fn calls_are_found_by_any_part_of_their_text(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let arguments = body(r#"{"note":"Rent for \"May\"","amount":7}"#, START_MS + DAY_MS);
    let answer = body(r#"{"content":[{"type":"text","text":"no such Account"}]}"#, START_MS + DAY_MS);
    for number in 0..100 {
        whole_call(&writer, number).await;
    }
    let mut events = vec![started("tc_rent"), completed("tc_rent", Outcome::ToolError)];
    events[0].input = Some(arguments.digest);
    events[1].output = Some(answer.digest);
    events[1].detail =
        Some(RawJson::from_composed(r#"{"code":"server_timeout","message":"took too long"}"#.into()));
    let with_bodies = LedgerEntry { bodies: vec![arguments, answer], ..on_disk(events) };
    writer.append(with_bodies).await.expect("recorded");
    for number in 100..220 {
        whole_call(&writer, number).await;
    }
    let found = async |text: &str| {
        let filter = CallFilter { text: Some(text.to_owned()), ..CallFilter::default() };
        let (mut cursor, mut ids) = (None, Vec::new());
        for _ in 0..20 {
            let page = store.calls(&filter, cursor.as_ref(), 50).await.expect("read");
            ids.extend(page.calls.iter().map(|call| call.id.to_string()));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        ids
    };
    for text in ["RENT for", "for \"may\"", "such account", "server_timeout", "Too Long", "tc_ren"] {
        assert_eq!(found(text).await, ["tc_rent"], "{text}");
    }
    assert_eq!(found("mail:SEND").await.len(), 44, "every fifth is by another tool");
    assert_eq!(found("nothing has this").await, Vec::<String>::new());
    let error = calls(&store, &CallFilter { text: Some("too long".into()), ..CallFilter::default() }).await;
    let error = error.calls[0].error.clone().expect("it failed");
    assert_eq!(
        (error.code.as_deref(), error.message.as_deref()),
        (Some("server_timeout"), Some("took too long"))
    );
}

async fn calls_are_counted_by_what_they_have(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for number in 0..30 {
        whole_call(&writer, number).await;
    }
    let all = store.count_calls(&CallFilter::default()).await.expect("counted");
    assert_eq!((all.calls, all.more), (30, false));
    assert_eq!((all.outcomes["failed"], all.outcomes["succeeded"]), (10, 20));
    assert_eq!((all.tools["mail:send"], all.principals["other"], all.servers["mail"]), (6, 6, 6));
    let text = CallFilter { text: Some("mail".into()), ..CallFilter::default() };
    let some = store.count_calls(&text).await.expect("counted");
    assert_eq!((some.calls, some.tools.len(), some.tools["mail:send"]), (6, 1, 6));
    let decided = EventFilter { decision: Some(DecisionKind::Permit), ..EventFilter::default() };
    assert_eq!(store.count_calls(&by(decided)).await.expect("counted").calls, 30);
}

async fn people_keep_views_of_their_own(world: StoreWorld) {
    let store = world.open().await;
    let (ann, bob) = (PrincipalId::new("ann"), PrincipalId::new("bob"));
    let view = |name: &str, query: &str| SavedView { name: name.into(), query: query.into() };
    for view in [view("b", "tool=x"), view("a", ""), view("b", "tool=y")] {
        assert_eq!(store.save_view(&ann, &view, 1).await.expect("saved"), SavedViewOutcome::Saved);
    }
    assert_eq!(store.saved_views(&ann).await.expect("listed"), [view("a", ""), view("b", "tool=y")]);
    assert_eq!(store.saved_views(&bob).await.expect("listed"), []);
    for number in 2..SAVED_VIEWS_MAX {
        store.save_view(&ann, &view(&number.to_string(), ""), 1).await.expect("saved");
    }
    let one_more = store.save_view(&ann, &view("one more", ""), 1).await.expect("answered");
    assert_eq!(one_more, SavedViewOutcome::TooMany);
    assert_eq!(store.save_view(&ann, &view("a", "q=1"), 1).await.expect("saved"), SavedViewOutcome::Saved);
    assert!(!store.remove_view(&bob, "a").await.expect("answered"), "it is not his");
    assert!(store.remove_view(&ann, "a").await.expect("removed"));
}
