//! Runs that are tried again from a turn, and histories that somebody edited in the database.

use serde_json::json;
use toolgate_testkit::model::{ModelScript, ModelStep, WireFormat, steps};

use super::stage::{AgentStage, balance, looked};
use crate::governed::bank::{GATED, NO_HOLD, money, moved};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::governed::tampering::tamper;

on_both!(
    a_run_is_tried_again_from_a_turn_under_its_own_id,
    a_history_that_was_edited_in_the_database_is_noticed_and_nothing_is_done_with_it,
);

fn move_look_end() -> ModelScript {
    steps([
        ModelStep::call("bank__transfer", &money(7)),
        ModelStep::calls([balance("DE1")]),
        ModelStep::complete("moved"),
    ])
}

async fn a_run_is_tried_again_from_a_turn_under_its_own_id(backing: Backing) {
    let stage = AgentStage::open_on(backing, "", move_look_end()).await;
    for (at, format) in [WireFormat::Chat, WireFormat::Anthropic, WireFormat::Gemini].into_iter().enumerate()
    {
        let goal = format!("Move 7 by {}", format.provider());
        let run = stage.run_as(&goal, format).await;
        stage.becomes(&run, "completed").await;
        let path = format!("/runs/{run}/retry");
        let body = Some(json!({ "turn": 1 }));
        let again = stage.bank.rest(&stage.bank.gateway.agent, "POST", &path, body).await;
        assert_eq!(again.status, 201, "{again:?}");
        let fork = again.json()["id"].as_str().expect("a run has an id").to_owned();
        assert_ne!(fork, run);
        stage.becomes(&fork, "completed").await;
        let ran = stage.bank.ran();
        let count = |line: &str| ran.iter().filter(|one| *one == line).count();
        assert_eq!(count(&moved(7)), at + 1, "what was done before the turn is not done again: {ran:?}");
        assert_eq!(count(&looked("DE1")), 2 * (at + 1), "{ran:?}");
        let requests = stage.model.requests_of(&goal);
        assert_eq!(
            requests.iter().map(|asked| asked.turn()).collect::<Vec<_>>(),
            [1, 2, 3, 2, 3],
            "{format:?}"
        );
        assert_eq!(stage.show(&run).await["state"], "completed", "the first run stays as it is");
    }
    stage.verify();
}

async fn a_history_that_was_edited_in_the_database_is_noticed_and_nothing_is_done_with_it(backing: Backing) {
    let stage = AgentStage::open_on(backing, &format!("{GATED}{NO_HOLD}"), move_look_end()).await;
    let run = stage.run("Move 7 to DE1").await;
    let action = stage.needs(&run, "approval").await;
    tamper(
        &stage.bank,
        "UPDATE run_messages SET parts = replace(parts, 'Move 7', 'Move 9') WHERE number = 1;",
    );
    let chat = stage.bank.get(&stage.bank.gateway.admin, &format!("/runs/{run}/chat")).await;
    assert_eq!((chat.status, chat.json()["code"].as_str()), (500, Some("messages_changed")), "{chat:?}");
    let asked = stage.model.requests().len();
    stage.bank.approve_as(&stage.bank.gateway.admin, action["id"].as_str().expect("an approval")).await;
    let failed = stage.becomes_one(&run, &["failed", "completed", "partial"]).await;
    assert_eq!(failed["state"], "failed", "{failed}");
    assert!(failed["reason"].as_str().is_some_and(|reason| reason.contains("changed")), "{failed}");
    assert_eq!(stage.bank.ran(), Vec::<String>::new());
    assert_eq!(stage.model.requests().len(), asked, "the model does not read the edited history");
}
