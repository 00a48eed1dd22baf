//! Work that the gateway drives in an office: a model that follows a script, a task, its runs, and the automation that started them.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelStep, ScriptedAnswer, ScriptedCall, ScriptedModel, WireFormat, steps};

use super::office::Office;
use crate::doors::WAIT;

pub(crate) const MODEL: &str = "drafts";
pub(crate) const AUTOMATION: &str = "monday-morning";
/// Mondays in the thirty days before now.
const STARTS_MIN: usize = 4;

pub(crate) struct DrivenWork {
    /// Answers as long as this lives.
    _model: ScriptedModel,
    pub(crate) task: String,
    /// One of its runs, which has ended.
    pub(crate) run: String,
}

/// A model that looks at an account and then says that all is well.
pub(crate) fn start_model() -> ScriptedModel {
    let looks = ScriptedAnswer::default().say("I look at the account first.");
    let looks = looks.call(ScriptedCall::new("bank__balance", &json!({ "account": "DE2" })));
    ScriptedModel::start(steps([looks.into(), ModelStep::say("The account DE2 is in order.")]))
}

/// The model's table of the configuration.
pub(crate) fn toml(model: &ScriptedModel) -> String {
    let (provider, url) = (WireFormat::Chat.provider(), model.url(WireFormat::Chat));
    format!(
        "[[models]]\nname = \"{MODEL}\"\nprovider = \"{provider}\"\nmodel = \"scripted\"\nurl = \"{url}\"\n\
         prices = {{ input = 3, output = 15 }}\n"
    )
}

/// Defines a task that the gateway can run; returns its id.
pub(crate) async fn define(office: &Office) -> String {
    let mut task = json!({ "name": "Check the account", "description": "Before the office opens", "agent": "clerk",
        "model": MODEL, "goal": "Look at the account DE2.", "budget": { "calls": 20 } });
    let made = ask(office, "POST", "/tasks", &task, 201).await;
    let id = made["id"].as_str().expect("a task has an id").to_owned();
    task["goal"] = json!("Look at the account DE2 and say in one sentence whether it is in order.");
    ask(office, "PUT", &format!("/tasks/{id}"), &task, 200).await;
    id
}

/// Sends a request as the admin, and expects a status.
pub(crate) async fn ask(office: &Office, method: &str, path: &str, body: &Value, status: u16) -> Value {
    let answer = office.site().rest(&office.admin(), method, path, Some(body.clone())).await;
    assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
    answer.json()
}

impl DrivenWork {
    /// An automation starts the task for each Monday of the last thirty days.
    pub(crate) async fn begin(office: &Office, model: ScriptedModel) -> Self {
        let task = define(office).await;
        let trigger = json!({ "on": "cron", "pattern": "0 7 * * MON", "timezone": "UTC" });
        let automation =
            json!({ "name": AUTOMATION, "task": task, "trigger": trigger, "overlap": "allow_all" });
        ask(office, "POST", "/automations", &automation, 201).await;
        let month = office.site().get("/spend").await;
        let span = json!({ "from": month["from"], "until": month["until"] });
        ask(office, "POST", &format!("/automations/{AUTOMATION}/backfill"), &span, 200).await;
        let run = ended(office, &task).await;
        Self { _model: model, task, run }
    }
}

/// Waits until all runs of a task have ended; returns one of them.
async fn ended(office: &Office, task: &str) -> String {
    let all = until_async(WAIT, || async {
        let page = office.site().get(&format!("/runs?task={task}")).await;
        let runs = page["runs"].as_array().expect("a list").clone();
        let is_over = runs.len() >= STARTS_MIN && runs.iter().all(|run| run["ended_at"].is_string());
        is_over.then_some(runs)
    });
    let all = all.await.expect("the runs end");
    let completed = all.iter().find(|run| run["state"] == "completed");
    let run = completed.unwrap_or_else(|| panic!("no run was completed: {all:?}"));
    run["id"].as_str().expect("a run has an id").to_owned()
}
