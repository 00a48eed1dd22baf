//! Whom a server's question reaches on a connection that several requests share.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::port::AskKind;

use crate::kit::{Agent, Gateway, someone};
use crate::neighbour::child;

fn able(principal: &str, client: u64) -> Arc<Agent> {
    Agent { can: vec![AskKind::Elicitation], ..Agent::new(principal, client) }.shared()
}

async fn with_hanging_call_of(gateway: &Gateway, caller: &Arc<Agent>) -> tokio::task::JoinHandle<()> {
    let call = gateway.call("hang", "{}", caller);
    let hanging = tokio::spawn(async move { drop(call.await) });
    gateway
        .recorder
        .until("the call", |told| told.stderr.iter().any(|line| line.starts_with("hanging")))
        .await;
    hanging
}

#[tokio::test]
async fn a_question_reaches_the_only_client_under_way() {
    let gateway = Gateway::with(child("legacy"));
    let caller = able("a", 7);
    assert!(gateway.text("ask", &caller).await.contains(r#""client": 7"#));
    assert_eq!(caller.questions(), 1);
    gateway.end().await;
}

#[tokio::test]
async fn a_client_is_not_asked_in_place_of_one_that_cannot_answer() {
    let gateway = Gateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let bystander = able("a", 7);
    let hanging = with_hanging_call_of(&gateway, &bystander).await;
    let answer = gateway.text("ask", &someone()).await;
    assert!(answer.contains("-32603") && answer.contains("isolation"), "{answer}");
    assert_eq!(bystander.questions(), 0);
    hanging.abort();
    gateway.end().await;
}

#[tokio::test]
async fn a_question_that_could_be_for_two_clients_reaches_neither() {
    let gateway = Gateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let (one, other) = (able("a", 1), able("a", 2));
    let hanging = with_hanging_call_of(&gateway, &one).await;
    let answer = gateway.text("ask", &other).await;
    assert!(answer.contains("-32603") && answer.contains("isolation"), "{answer}");
    assert_eq!((one.questions(), other.questions()), (0, 0));
    hanging.abort();
    gateway.end().await;
}

#[tokio::test]
async fn a_missing_capability_is_named() {
    let gateway = Gateway::with(child("legacy"));
    let answer = gateway.text("ask_roots", &able("a", 1)).await;
    assert!(answer.contains("-32601") && answer.contains("the client does not support roots"), "{answer}");
    gateway.end().await;
}

#[tokio::test]
async fn a_question_ends_with_the_call_it_belongs_to() {
    let gateway = Gateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let caller = Agent {
        can: vec![AskKind::Elicitation],
        answer_after: Duration::from_secs(1000),
        ..Agent::new("a", 1)
    }
    .shared();
    let call = tokio::spawn(gateway.call("ask", "{}", &caller));
    crate::kit::eventually("the question", || caller.questions() == 1).await;
    call.abort();
    crate::kit::eventually("the end of the question", || Arc::strong_count(&caller) == 1).await;
    gateway.end().await;
}
