//! Questions to people, from asking to the answer.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::RefusalKind;
use toolgate_core::id::InputId;
use toolgate_core::run::{CallKind, InputSlot, InputState, Runs as _, SlotType};
use toolgate_runs::{DATA_TOOLS_BEFORE_ASKING, InputQuery, NewQuestion};

use crate::world::{RunsWorld, ada, asking, call, deaf, refused, text, within};

#[tokio::test]
async fn asking_too_early_says_what_is_missing() {
    assert_eq!(DATA_TOOLS_BEFORE_ASKING, 2);
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    let refusal = refused(gateway.ask(&run, "a").await, "too_early");
    assert_eq!(refusal.kind, RefusalKind::Conflict);
    assert!(refusal.message.ends_with("so far none has, so 2 more are missing"), "{refusal}");
    gateway.admit(&run, "look").await.expect("let in");
    gateway.finish(&run, "look").await;
    let refusal = refused(gateway.ask(&run, "a").await, "too_early");
    assert!(refusal.message.ends_with("so far 1 has (files:look), so 1 more is missing"), "{refusal}");
    assert_eq!(gateway.state(&run).await, "running");
}

#[tokio::test]
async fn an_answer_here_wakes_at_once_and_elsewhere_soon() {
    for is_here in [true, false] {
        let world = RunsWorld::new();
        let gateway = match is_here {
            // It never polls: only a notification can wake it.
            true => world.gateway_within("one", deaf()).await,
            false => world.gateway("one").await,
        };
        let other = world.gateway("two").await;
        let run = gateway.run().await;
        gateway.look_first(&run).await;
        let asked = gateway.ask(&run, "a").await.expect("asked");
        let waiting: Vec<_> = (0..5).map(|_| tokio::spawn(gateway.runs.resolved(&asked.id))).collect();
        tokio::task::yield_now().await;
        let by = if is_here { &gateway.runs } else { &other.runs };
        let answered = by.answer(&asked.id, text("the blue one"), None, &ada(), "cli").await.expect("taken");
        for waiting in waiting {
            assert_eq!(within("the answer", waiting).await.expect("no panic"), answered);
        }
        assert_eq!((answered.state, answered.via.as_deref()), (InputState::Answered, Some("cli")));
        assert_eq!(within("what is known", gateway.runs.resolved(&asked.id)).await, answered);
        assert_eq!(gateway.state(&run).await, "running");
    }
}

#[tokio::test]
async fn a_question_outlives_its_gateway() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let run = gateway.run().await;
    gateway.look_first(&run).await;
    gateway.runs.admit(&run, call("asking", CallKind::Ask)).await.expect("let in");
    let asked = gateway.ask(&run, "a").await.expect("asked");
    gateway.crash().await;

    let gateway = world.gateway("one").await;
    assert_eq!(gateway.state(&run).await, "paused");
    gateway.runs.admit(&run, call("again", CallKind::Ask)).await.expect("it may be the same question");
    assert_eq!(gateway.ask(&run, "a").await.expect("attached"), asked);
    let waiting = tokio::spawn(gateway.runs.resolved(&asked.id));
    let answered = gateway.runs.answer(&asked.id, text("x"), None, &ada(), "api").await.expect("taken");
    assert_eq!(within("the answer", waiting).await.expect("no panic"), answered);
    gateway.admit(&run, "next").await.expect("the run goes on");
    assert_eq!(gateway.ask(&run, "a").await.expect("it has its answer"), answered);
}

#[tokio::test]
async fn an_answer_stands() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    gateway.look_first(&run).await;
    let asked = gateway.ask(&run, "a").await.expect("asked");
    let answer = async |value| gateway.runs.answer(&asked.id, value, None, &ada(), "api").await;
    let refusal = refused(answer(json!(7)).await, "bad_answer");
    assert_eq!((refusal.kind, refusal.field.as_deref()), (RefusalKind::Invalid, Some("answer")));
    answer(text("x")).await.expect("taken");
    let refusal = refused(answer(text("y")).await, "input_answered");
    assert_eq!(refusal.kind, RefusalKind::Conflict);
    let expected = format!("the question {} was answered by ada at 2027-01-15T08:00:00", asked.id);
    assert!(refusal.message.starts_with(&expected), "{refusal}");
    let nobody = InputId::new("inp_x");
    let unknown = gateway.runs.answer(&nobody, text("x"), None, &ada(), "api").await;
    assert_eq!(refused(unknown, "unknown_input").kind, RefusalKind::NotFound);
    refused(gateway.runs.input(&nobody).await, "unknown_input");
}

#[tokio::test]
async fn many_who_answer_have_one_winner() {
    let world = RunsWorld::new();
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    let run = one.run().await;
    one.look_first(&run).await;
    let asked = one.ask(&run, "a").await.expect("asked").id;
    let waiting = tokio::spawn(one.runs.resolved(&asked));
    let answers = (0..12).map(|number| {
        let runs = Arc::clone(if number % 2 == 0 { &one.runs } else { &two.runs });
        let asked = asked.clone();
        tokio::spawn(async move { runs.answer(&asked, text(&number.to_string()), None, &ada(), "api").await })
    });
    let mut winners = Vec::new();
    for answer in answers.collect::<Vec<_>>() {
        match answer.await.expect("no panic") {
            Ok(answered) => winners.push(answered),
            lost => drop(refused(lost, "input_answered")),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(within("the answer", waiting).await.expect("no panic"), winners[0]);
}

#[tokio::test]
async fn a_question_is_over_when_nobody_needs_its_answer() {
    let world = RunsWorld::new();
    let gateway = world.gateway_within("one", deaf()).await;
    for cancels in [false, true] {
        let run = gateway.run().await;
        gateway.look_first(&run).await;
        let asked = gateway.ask(&run, "a").await.expect("asked").id;
        let waiting = tokio::spawn(gateway.runs.resolved(&asked));
        tokio::task::yield_now().await;
        match cancels {
            true => gateway.runs.cancel(&run, &ada(), "operator").await.expect("cancelled"),
            false => gateway.runs.resume(&run, &ada()).await.expect("resumed"),
        };
        let over = within("the end of the question", waiting).await.expect("no panic");
        assert_eq!(over.state, InputState::Cancelled);
        let late = gateway.runs.answer(&asked, text("x"), None, &ada(), "api").await;
        assert_eq!(refused(late, "input_cancelled").kind, RefusalKind::Gone);
        let again = gateway.ask(&run, "a").await;
        match cancels {
            true => drop(refused(again, "run_ended")),
            false => assert_ne!(again.expect("asked anew").id, asked),
        }
    }
}

#[tokio::test]
async fn a_paused_run_names_the_question_it_waits_for() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    gateway.look_first(&run).await;
    let asked = gateway.ask(&run, "colour").await.expect("asked");
    for result in [
        gateway.admit(&run, "more").await,
        gateway.runs.admit(&run, call("store", CallKind::Control)).await,
        gateway.ask(&run, "other").await.map(drop),
    ] {
        let refusal = refused(result, "run_paused");
        let named = format!("waits for an answer to {} (\"Which one?\")", asked.id);
        assert!(refusal.message.contains(&named) && refusal.hint.contains("\"colour\""), "{refusal:?}");
    }
    let slot = InputSlot { prompt_key: "Why?".to_owned(), ..asking(&run, "colour").slot };
    let taken = gateway.runs.ask(NewQuestion { slot, ..asking(&run, "colour") }).await;
    assert_eq!(refused(taken, "slot_taken").field.as_deref(), Some("slot_id"));
    let slot = InputSlot { slot_type: SlotType::Choice, ..asking(&run, "b").slot };
    let bad = gateway.runs.ask(NewQuestion { slot, ..asking(&run, "b") }).await;
    assert_eq!(refused(bad, "bad_slot").kind, RefusalKind::Invalid);
}

#[tokio::test]
async fn questions_are_listed() {
    let gateway = RunsWorld::new().gateway("one").await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        let run = gateway.run().await;
        gateway.look_first(&run).await;
        asked.push(gateway.ask(&run, "a").await.expect("asked"));
    }
    gateway.runs.answer(&asked[0].id, text("x"), None, &ada(), "api").await.expect("taken");
    let query = InputQuery { state: Some(InputState::Pending), limit: 1, ..InputQuery::default() };
    let first = gateway.runs.inputs(query.clone()).await.expect("read");
    let second = gateway.runs.inputs(InputQuery { cursor: first.next, ..query.clone() }).await.expect("read");
    assert_eq!([&first.inputs[..], &second.inputs[..]].concat(), [asked[2].clone(), asked[1].clone()]);
    assert_eq!(second.next, None);
    let bad = InputQuery { cursor: Some("x".to_owned()), ..query };
    refused(gateway.runs.inputs(bad).await, "invalid_cursor");
    assert_eq!(gateway.runs.input(&asked[1].id).await.expect("read"), asked[1]);
}
