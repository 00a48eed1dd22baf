//! Signed webhooks.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use toolgate_core::approval::Binding;
use toolgate_core::decision::{ApprovalRequirement, OnTimeout};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::governance::{Approvals, NewApproval};
use toolgate_core::id::CallId;
use toolgate_core::moment::rfc3339;
use toolgate_core::signature::{BadSigningKey, SigningKey};
use toolgate_core::{CanonicalName, Digest, Principal, PrincipalId, RawJson, Role};

use super::ledger::TestLedger;
use super::listener::Listener;
use super::{PATIENCE, Running, SECRET, quick, start, until};
use crate::follower::FollowerPace;
use crate::{BadReceiver, Courier, MeterWebhook, Receiver, ReceiverBoard, StartError, Webhook};

const SINK: &str = "webhook:ops";

fn webhook(url: String) -> Receiver {
    Receiver::Webhook(Webhook {
        name: "ops".into(),
        url,
        secret: SECRET.into(),
        events: vec![EventKind::CallCompleted, EventKind::ApprovalRequested],
        link: Some("https://gate.example/approvals/{id}?from=hook".into()),
        egress: Arc::default(),
    })
}

fn ids(places: std::ops::RangeInclusive<i32>) -> Vec<String> {
    places.map(|place| format!("one/{place}")).collect()
}

#[tokio::test]
async fn events_arrive_signed_and_in_order() {
    let listener = Listener::start(|_| StatusCode::NO_CONTENT).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.append_calls(0..300).await;
    let running = start(&ledger, webhook(listener.url("/hook?secret=no"))).await;
    until("everything is delivered", || listener.taken().len() == 300).await;
    running.stop().await;
    assert_eq!(listener.taken(), ids(1..=300));
    let key = SigningKey::parse(SECRET).expect("a secret");
    for one in listener.received() {
        let (id, time) = (one.header("webhook-id"), one.header("webhook-timestamp"));
        assert!(key.verifies(id, time, &one.body, one.header("webhook-signature")));
        assert_eq!(one.header("content-type"), "application/cloudevents+json");
        assert_eq!((one.path.as_str(), one.json()["id"].as_str()), ("/hook", Some(id)));
    }
}

#[tokio::test]
async fn only_the_wanted_kinds_are_sent() {
    let listener = Listener::start(|_| StatusCode::OK).await;
    let ledger = TestLedger::open(SINK).await;
    let about = Arc::new(EventSubject::default());
    ledger.append(vec![Event::new(EventKind::TokenCreated, 1, PrincipalId::local(), about)]).await;
    ledger.append_calls(0..1).await;
    let running = start(&ledger, webhook(listener.url("/"))).await;
    until("the wanted one is delivered", || listener.taken().len() == 1).await;
    running.stop().await;
    assert_eq!(listener.taken(), ["one/2"]);
}

#[tokio::test]
async fn a_failed_delivery_is_tried_again_and_holds_back_what_comes_after_it() {
    let answering = |before| match before {
        1 => StatusCode::INTERNAL_SERVER_ERROR,
        2 => StatusCode::TOO_MANY_REQUESTS,
        3 => StatusCode::REQUEST_TIMEOUT,
        _ => StatusCode::OK,
    };
    let listener = Listener::start(answering).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.append_calls(0..3).await;
    let running = start(&ledger, webhook(listener.url("/"))).await;
    until("everything is delivered", || listener.taken().len() == 3).await;
    let board = running.board.clone();
    running.stop().await;
    assert_eq!(listener.ids(), ["one/1", "one/2", "one/2", "one/2", "one/2", "one/3"]);
    let standing = board.standing(SINK);
    assert_eq!((standing.delivered, standing.failures, standing.passed_over), (3, 0, 0));
    assert!(standing.last_error.is_some_and(|error| error.contains("408")), "the last failure is remembered");
}

#[tokio::test]
async fn what_a_receiver_will_not_have_is_skipped_after_some_attempts() {
    for status in [StatusCode::BAD_REQUEST, StatusCode::GONE, StatusCode::FOUND] {
        let listener = Listener::start(move |before| if before < 5 { status } else { StatusCode::OK }).await;
        let ledger = TestLedger::open(SINK).await;
        ledger.append_calls(0..2).await;
        let running = start(&ledger, webhook(listener.url("/"))).await;
        until("the second is delivered", || listener.taken().len() == 1).await;
        running.stop().await;
        assert_eq!(listener.taken(), ["one/2"], "{status}");
        assert_eq!(listener.received().len(), 6, "{status}");
    }
}

#[tokio::test]
async fn what_is_still_to_be_delivered_is_counted_and_why_it_is_not() {
    let listener = Listener::start(|_| StatusCode::BAD_GATEWAY).await;
    let ledger = TestLedger::open(SINK).await;
    let kinds = [EventKind::CallCompleted, EventKind::ApprovalRequested];
    ledger.append_calls(0..7).await;
    assert_eq!(ledger.store.outbox_waiting(SINK, &kinds).await.expect("a count"), 7);
    assert_eq!(ledger.store.outbox_waiting(SINK, &[EventKind::RunEnded]).await.expect("a count"), 0);
    let running = start(&ledger, webhook(listener.url("/"))).await;
    let board = running.board.clone();
    until("it failed twice", || board.standing(SINK).failures > 1).await;
    running.stop().await;
    let standing = board.standing(SINK);
    assert_eq!((standing.delivered, standing.delivered_at_ms), (0, None));
    assert!(standing.failed_at_ms.is_some() && standing.last_error.is_some_and(|why| why.contains("502")));
    assert_eq!(ledger.store.outbox_waiting(SINK, &kinds).await.expect("a count"), 7);
}

#[tokio::test]
async fn a_test_arrives_signed_and_says_why_if_it_does_not() {
    let answering = |before| if before == 0 { StatusCode::OK } else { StatusCode::FORBIDDEN };
    let listener = Listener::start(answering).await;
    let Receiver::Webhook(webhook) = webhook(listener.url("/hook")) else { panic!("a webhook") };
    assert_eq!(webhook.clone().test("test_1").await, Ok(()));
    let one = &listener.received()[0];
    assert_eq!(one.json()["type"], "dev.toolgate.webhook.test");
    let key = SigningKey::parse(SECRET).expect("a secret");
    let time = one.header("webhook-timestamp");
    assert!(key.verifies("test_1", time, &one.body, one.header("webhook-signature")));
    let refused = webhook.test("test_2").await.expect_err("it is refused");
    assert!(refused.contains("403"), "{refused}");
}

#[tokio::test]
async fn a_restart_loses_nothing() {
    let ledger = TestLedger::open(SINK).await;
    ledger.append_calls(0..40).await;
    let broken = |before| if before < 20 { StatusCode::OK } else { StatusCode::BAD_GATEWAY };
    let broken = Listener::start(broken).await;
    let running = start(&ledger, webhook(broken.url("/"))).await;
    until("some are delivered, and then none", || broken.received().len() > 25).await;
    running.stop().await;
    assert_eq!(broken.taken(), ids(1..=20));
    let refused: BTreeSet<String> = broken.ids().into_iter().skip(20).collect();
    assert_eq!(refused, BTreeSet::from(["one/21".to_owned()]), "what was taken is not sent again");
    ledger.append_calls(40..60).await;
    let listener = Listener::start(|_| StatusCode::OK).await;
    let running = start(&ledger, webhook(listener.url("/"))).await;
    until("the rest is delivered", || listener.taken().last().is_some_and(|last| last == "one/60")).await;
    running.stop().await;
    let again = listener.taken();
    assert_eq!(
        again,
        ids(61 - i32::try_from(again.len()).expect("a few")..=60),
        "in order and without a gap"
    );
    assert!((40..60).contains(&again.len()), "what was taken is sent again for one batch at most: {again:?}");
}

#[tokio::test]
async fn what_is_left_at_shutdown_is_still_delivered() {
    let listener = Listener::start(|_| StatusCode::OK).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.append_calls(0..150).await;
    let running = start(&ledger, webhook(listener.url("/"))).await;
    running.stop().await;
    assert_eq!(listener.taken(), ids(1..=150));
}

#[tokio::test]
async fn a_receiver_that_never_answers_does_not_hold_up_the_end() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let ledger = TestLedger::open(SINK).await;
    ledger.append_calls(0..1).await;
    let running = start(&ledger, webhook(url)).await;
    let (_silent, _) = listener.accept().await.expect("it connects");
    running.stop().await;
    let left = ledger.store.outbox(SINK, &[EventKind::CallCompleted], 5).await.expect("an outbox");
    assert_eq!(left.events.len(), 1, "it is put back");
}

#[tokio::test]
async fn a_ledger_that_fails_anywhere_is_followed_again() {
    for nth in 1..30 {
        let listener = Listener::start(|_| StatusCode::OK).await;
        let ledger = TestLedger::open(SINK).await;
        ledger.append_calls(0..3).await;
        ledger.store.fail_nth(nth);
        let running = retrying(&ledger, webhook(listener.url("/"))).await;
        until("all are delivered", || listener.taken().last().is_some_and(|last| last == "one/3")).await;
        running.stop().await;
        let seen: Vec<String> = listener.taken().into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(seen, ids(1..=3), "operation {nth}");
    }
}

/// Starts again where the very start failed, as an operator would.
async fn retrying(ledger: &TestLedger, receiver: Receiver) -> Running {
    let (board, shutdown) = (ReceiverBoard::default(), Default::default());
    match Courier::start_at(quick(), &ledger.store, vec![receiver.clone()], &board, &shutdown).await {
        Ok(courier) => Running { courier, board, shutdown },
        Err(_) => start(ledger, receiver).await,
    }
}

#[tokio::test]
async fn a_webhook_for_no_events_is_left_alone() {
    let listener = Listener::start(|_| StatusCode::OK).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.append_calls(0..1).await;
    let Receiver::Webhook(all) = webhook(listener.url("/")) else { panic!("it is a webhook") };
    start(&ledger, Receiver::Webhook(Webhook { events: Vec::new(), ..all })).await.stop().await;
    assert_eq!(listener.ids(), Vec::<String>::new());
}

#[tokio::test]
async fn a_nudge_is_heard_at_once() {
    let listener = Listener::start(|_| StatusCode::OK).await;
    let ledger = TestLedger::open(SINK).await;
    let (board, shutdown) = (ReceiverBoard::default(), Default::default());
    let pace = FollowerPace { idle: PATIENCE * 2, ..quick() };
    let receivers = vec![webhook(listener.url("/"))];
    let started = Courier::start_at(pace, &ledger.store, receivers, &board, &shutdown).await;
    let courier = started.expect("it starts");
    for call in 0..3 {
        ledger.append_calls(call..call + 1).await;
        courier.nudge();
        until("it is delivered", || listener.taken().len() > usize::try_from(call).expect("small")).await;
    }
    Running { courier, board, shutdown }.stop().await;
}

#[tokio::test]
async fn an_approval_is_told_with_what_a_person_needs() {
    let listener = Listener::start(|_| StatusCode::OK).await;
    let ledger = TestLedger::open(SINK).await;
    let opened = ledger.books.open(new_approval()).await.expect("it is asked");
    let id = opened.approval.id.as_str();
    let running = start(&ledger, webhook(listener.url("/"))).await;
    until("it is delivered", || listener.taken().len() == 1).await;
    running.stop().await;
    let message = listener.received()[0].json();
    assert_eq!(message["type"], "dev.toolgate.approval.requested");
    let data = &message["data"];
    assert_eq!(data["link"], format!("https://gate.example/approvals/{id}?from=hook"));
    assert_eq!((data["id"].as_str(), data["state"].as_str()), (Some(id), Some("pending")));
    assert_eq!((data["tool"].as_str(), data["principal"].as_str()), (Some("bank:transfer"), Some("agent-7")));
    assert_eq!(data["requirement"]["quorum"], 2);
    assert_eq!(data["expires_at"], rfc3339(opened.approval.expires_at_ms));
    let body = String::from_utf8(listener.received()[0].body.to_vec()).expect("text");
    assert!(body.contains(r#""arguments":{"amount":5.00,"pin":"[redacted]"}"#), "as it was proposed: {body}");
}

pub(super) fn new_approval() -> NewApproval {
    let digest = Digest::of("x");
    let principal = Principal::new(PrincipalId::new("agent-7"), Role::Agent);
    NewApproval {
        call: CallId::new("tc_1"),
        binding: Binding {
            principal: principal.id.clone(),
            tool: CanonicalName::recorded("bank:transfer"),
            tool_version: digest,
            proposed: digest,
            policies: digest,
        },
        requester: principal,
        arguments: RawJson::from_composed(r#"{"amount":5.00,"pin":"[redacted]"}"#.into()),
        attachments: Vec::new(),
        credentials: Vec::new(),
        complete: false,
        requirement: ApprovalRequirement {
            gates: Vec::new(),
            approvers: vec![vec!["finance".into()]],
            quorum: 2,
            timeout_seconds: None,
            on_timeout: OnTimeout::Deny,
            editable: false,
            unattended: false,
            excluded: Vec::new(),
        },
        policy_version: Some(digest),
        session: None,
        opened_by: None,
        agent: None,
        template: None,
        run: None,
        task: None,
        timeout: Duration::from_secs(60),
    }
}

#[tokio::test]
async fn receivers_that_cannot_work_are_refused_before_any_starts() {
    let good = || webhook("http://127.0.0.1:9/".into());
    let meter = |url: &str, secret: &str| {
        Receiver::MeterWebhook(MeterWebhook {
            url: url.into(),
            secret: secret.into(),
            egress: Arc::default(),
        })
    };
    let cases = [
        (vec![good(), good()], BadReceiver::Twice { sink: SINK.into() }),
        (vec![good(), meter("nowhere", "s")], BadReceiver::Address { address: "nowhere".into() }),
        (
            vec![meter("http://127.0.0.1/", "")],
            BadReceiver::Secret { sink: "meter:webhook".into(), cause: BadSigningKey::Empty },
        ),
    ];
    let ledger = TestLedger::open(SINK).await;
    for (receivers, expected) in cases {
        match Courier::start(&ledger.store, receivers, &ReceiverBoard::default(), &Default::default()).await {
            Err(StartError::Receiver(refused)) => assert_eq!(refused, expected),
            _ => panic!("it should have been refused: {expected}"),
        }
    }
}
