//! Faults of models in the middle of a run: passing ones are tried again, others wait for people, and no call is made twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolgate_testkit::model::{ModelScript, ModelStep, StreamEnd, WireFormat, steps};

use super::stage::{AgentStage, action, balance, looked};
use crate::governed::bank::{money, moved};

/// Has this fault at its first request of the second turn, and otherwise moves money once.
fn once_faulty(fault: ModelStep) -> ModelScript {
    let times = AtomicUsize::new(0);
    Arc::new(move |asked| match asked.turn() {
        1 => ModelStep::call("bank__transfer", &money(7)),
        _ if times.fetch_add(1, Ordering::Relaxed) == 0 => fault.clone(),
        _ => ModelStep::complete("moved"),
    })
}

#[tokio::test]
async fn a_passing_fault_is_tried_again_in_every_format() {
    let stage = AgentStage::open("", steps([ModelStep::complete("nothing")])).await;
    let longer = ModelStep::say("This is a longer answer, which is cut in its middle");
    let faults = [
        ("busy", ModelStep::busy("0")),
        ("down", ModelStep::status(503)),
        ("conflict", ModelStep::status(409)),
        ("cut", longer.ending(StreamEnd::CutAfter(260))),
        ("nonsense", ModelStep::Nonsense),
    ];
    for (at, (word, fault)) in faults.into_iter().enumerate() {
        let format = WireFormat::ALL[at % WireFormat::ALL.len()];
        stage.model.follow(once_faulty(fault));
        let before = stage.bank.ran().len();
        let goal = format!("Move 7 while it is {word}");
        let run = stage.run_as(&goal, format).await;
        stage.becomes(&run, "completed").await;
        assert_eq!(stage.bank.ran().split_off(before), [moved(7)], "{word}");
        assert_eq!(stage.model.requests_of(&goal).len(), 3, "{word}: one turn was asked twice");
        let chat = stage.chat(&run).await;
        assert!(!chat.contains("cut in its middle"), "{word}: a broken answer is thrown away: {chat}");
    }
    stage.verify();
}

#[tokio::test]
async fn a_cut_in_the_middle_of_a_call_makes_no_call() {
    let stage = AgentStage::open("", steps([ModelStep::complete("nothing")])).await;
    for (at, format) in [WireFormat::Chat, WireFormat::Anthropic].into_iter().enumerate() {
        let times = AtomicUsize::new(0);
        let cut = ModelStep::call("bank__transfer", &money(7)).ending(StreamEnd::CutAfter(420));
        stage.model.follow(Arc::new(move |asked| match asked.turn() {
            1 if times.fetch_add(1, Ordering::Relaxed) == 0 => cut.clone(),
            1 => ModelStep::calls([balance("DE1")]),
            _ => ModelStep::complete("read"),
        }));
        let run = stage.run_as(&format!("Move or read by {}", format.provider()), format).await;
        stage.becomes(&run, "completed").await;
        assert_eq!(stage.bank.ran(), vec![looked("DE1"); at + 1], "{format:?}");
    }
    stage.verify();
}

#[tokio::test]
async fn a_fault_that_stays_waits_for_people_and_asks_once() {
    let stage = AgentStage::open("", steps([ModelStep::complete("nothing")])).await;
    for status in [400, 401, 403, 404] {
        stage.model.follow(steps([ModelStep::status(status)]));
        let goal = format!("Do something in spite of {status}");
        let run = stage.run(&goal).await;
        stage.needs(&run, "stuck").await;
        assert_eq!(stage.model.requests_of(&goal).len(), 1, "{status} is never tried again by itself");
        stage.model.follow(steps([ModelStep::complete("now it works")]));
        stage.steer(&run, "resume").await;
        stage.becomes(&run, "completed").await;
    }
    stage.verify();
}

#[tokio::test]
async fn a_model_that_never_ends_its_answer_is_cut_off_by_the_gateway() {
    let times = AtomicUsize::new(0);
    let script: ModelScript = Arc::new(move |_| match times.fetch_add(1, Ordering::Relaxed) {
        0 => ModelStep::EndlessTalk,
        _ => ModelStep::complete("quiet at last"),
    });
    let stage = AgentStage::open("", script).await;
    let run = stage.run("Talk").await;
    let ended = stage.becomes_one(&run, &["completed", "paused", "failed"]).await;
    assert!(ended["state"] == "completed" || action(&ended)["kind"] == "stuck", "{ended}");
    assert!(!stage.chat(&run).await.contains("and on and on and on"), "nothing of it is kept");
    stage.verify();
}
