//! A bank, a model that follows a script, and tasks whose agents the gateway runs.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelSettings, ScriptedCall, ScriptedModel, WireFormat};

use crate::doors::WAIT;
use crate::governed::bank::Bank;
use crate::governed::database::Backing;

pub(super) struct AgentStage {
    pub(super) bank: Bank,
    pub(super) model: ScriptedModel,
}

impl AgentStage {
    pub(super) async fn open(more: &str, script: ModelScript) -> Self {
        Self::open_on(Backing::Sqlite, more, script).await
    }

    /// Models of all formats, each under the name of its provider, and one bank.
    pub(super) async fn open_on(backing: Backing, more: &str, script: ModelScript) -> Self {
        let model = ScriptedModel::start(script);
        let bank = Bank::open_on(backing, &format!("{}{more}", models_toml(&model)));
        let stage = Self { bank, model };
        stage.ready().await;
        stage
    }

    /// With these files beside the configuration.
    pub(super) async fn open_with(more: &str, files: &[(&str, &str)], script: ModelScript) -> Self {
        let model = ScriptedModel::start(script);
        let bank = Bank::open_with(Backing::Sqlite, &format!("{}{more}", models_toml(&model)), files);
        let stage = Self { bank, model };
        stage.ready().await;
        stage
    }

    /// A model that lets histories begin anew, because older messages are folded.
    pub(super) async fn open_folding(script: ModelScript) -> Self {
        let settings = ModelSettings { allows_folds: true, ..ModelSettings::default() };
        let model = ScriptedModel::start_with(settings, script);
        let small = format!(
            "context_tokens = 16000\nlimits = {{ output_tokens_max = 1000 }}\n{}",
            entry("small", WireFormat::Chat, &model)
        );
        let stage = Self { bank: Bank::open(&format!("[[models]]\n{small}")), model };
        stage.ready().await;
        stage
    }

    /// A gateway that stops for good where a run reaches this point.
    pub(super) async fn open_stopping(
        backing: Backing,
        more: &str,
        script: ModelScript,
        point: &str,
    ) -> Self {
        let model = ScriptedModel::start(script);
        let bank = Bank::open_stopping(backing, &format!("{}{more}", models_toml(&model)), point);
        let stage = Self { bank, model };
        stage.ready().await;
        stage
    }

    /// Kills the gateway and starts it again on its data.
    pub(super) fn killed(self) -> Self {
        Self { bank: self.bank.killed(), model: self.model }
    }

    /// Another gateway on the same database, with a bank of its own.
    pub(super) fn another(&self, more: &str) -> Self {
        let database = self.bank.backing().database().expect("gateways share a Postgres").clone();
        let toml = format!("{}{more}", models_toml(&self.model));
        let mut bank = Bank::open_on(Backing::Shared(database, "second"), &toml);
        // The tokens of the first start are those of the first gateway.
        bank.gateway.admin = self.bank.gateway.admin.clone();
        bank.gateway.agent = self.bank.gateway.agent.clone();
        Self { bank, model: self.model.clone() }
    }

    /// The bank's tools are there, so that the first run is offered them.
    pub(super) async fn ready(&self) {
        let there = until_async(WAIT, || async {
            let server = self.bank.get(&self.bank.gateway.admin, "/servers/bank").await;
            (server.status == 200 && server.json()["tools"] == 5).then_some(())
        });
        there.await.expect("the bank opens");
    }

    /// A task whose agent the gateway runs; returns its id.
    pub(super) async fn task(&self, goal: &str, format: WireFormat, budget: Value) -> String {
        self.task_of(json!({ "goal": goal, "model": format.provider(), "budget": budget })).await
    }

    /// The same with these members.
    pub(super) async fn task_of(&self, mut body: Value) -> String {
        body["name"] = json!("A task");
        let made = self.bank.rest(&self.bank.gateway.admin, "POST", "/tasks", Some(body)).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["id"].as_str().expect("a task has an id").to_owned()
    }

    /// Starts a run of a task; returns its id.
    pub(super) async fn start(&self, task: &str) -> String {
        let path = format!("/tasks/{task}/runs");
        let started = self.bank.rest(&self.bank.gateway.agent, "POST", &path, Some(json!({}))).await;
        assert_eq!(started.status, 201, "{started:?}");
        started.json()["id"].as_str().expect("a run has an id").to_owned()
    }

    /// A run with this goal, by the chat format, without a budget.
    pub(super) async fn run(&self, goal: &str) -> String {
        self.run_as(goal, WireFormat::Chat).await
    }

    pub(super) async fn run_as(&self, goal: &str, format: WireFormat) -> String {
        self.start(&self.task(goal, format, json!({})).await).await
    }

    pub(super) async fn show(&self, run: &str) -> Value {
        let answer = self.bank.get(&self.bank.gateway.admin, &format!("/runs/{run}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Waits until a run is in this state.
    pub(super) async fn becomes(&self, run: &str, state: &str) -> Value {
        self.becomes_one(run, &[state]).await
    }

    pub(super) async fn becomes_one(&self, run: &str, states: &[&str]) -> Value {
        let there = until_async(WAIT, || async {
            let shown = self.show(run).await;
            let is_there = states.iter().any(|state| shown["state"] == *state);
            is_there.then_some(shown)
        });
        match there.await {
            Some(shown) => shown,
            None => {
                let chat = self.chat(run).await;
                panic!("it never became {states:?} but {}; its chat: {chat}", self.show(run).await)
            }
        }
    }

    /// Waits until a run needs this action of somebody; returns the action.
    pub(super) async fn needs(&self, run: &str, kind: &str) -> Value {
        self.becomes(run, "paused").await;
        // A question pauses the run; its loop says so a moment later.
        let told = until_async(WAIT, || async {
            Some(self.show(run).await).filter(|shown| !action(shown).is_null())
        });
        let shown = told.await.expect("a paused run says what it waits for");
        let action = action(&shown);
        assert_eq!(action["kind"], kind, "{shown}");
        assert!(action["how"].as_str().is_some_and(|how| !how.is_empty()), "{shown}");
        action.clone()
    }

    /// The messages of a run, as text.
    pub(super) async fn chat(&self, run: &str) -> String {
        let path = format!("/runs/{run}/chat?after=0");
        let answer = self.bank.get(&self.bank.gateway.admin, &path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.json()["messages"].is_array(), "{answer:?}");
        answer.text
    }

    pub(super) async fn steer(&self, run: &str, verb: &str) {
        let path = format!("/runs/{run}/{verb}");
        let steered = self.bank.rest(&self.bank.gateway.admin, "POST", &path, Some(json!({}))).await;
        assert_eq!(steered.status, 200, "{steered:?}");
    }

    pub(super) async fn answer(&self, input: &str, answer: Value) {
        let path = format!("/inputs/{input}/answer");
        let body = json!({ "answer": answer });
        let answered = self.bank.rest(&self.bank.gateway.admin, "POST", &path, Some(body)).await;
        assert_eq!(answered.status, 200, "{answered:?}");
    }

    /// Waits until the model has been asked this often.
    pub(super) async fn asked(&self, count: usize) {
        let there = until_async(WAIT, || async { (self.model.requests().len() >= count).then_some(()) });
        there.await.unwrap_or_else(|| panic!("the model was asked {} times", self.model.requests().len()));
    }

    /// The last request's words of others than the model.
    pub(super) fn told(&self) -> String {
        self.model.requests().last().expect("the model was asked").told()
    }

    /// No request broke a rule, and the ledger is intact.
    pub(super) fn verify(&self) {
        self.model.assert_no_problems();
        self.bank.verify();
    }
}

/// The action that a run waits for; null if it waits for none.
pub(super) fn action(shown: &Value) -> &Value {
    &shown["driven"]["action"]
}

/// A model of each format, under the name of its provider.
fn models_toml(model: &ScriptedModel) -> String {
    let table = |format: WireFormat| format!("[[models]]\n{}", entry(format.provider(), format, model));
    WireFormat::ALL.map(table).concat()
}

/// The members of a model's table.
fn entry(name: &str, format: WireFormat, model: &ScriptedModel) -> String {
    let (provider, url) = (format.provider(), model.url(format));
    format!(
        "name = \"{name}\"\nprovider = \"{provider}\"\nmodel = \"scripted\"\nurl = \"{url}\"\n\
         prices = {{ input = 3, output = 15 }}\n"
    )
}

/// A look at an account.
pub(super) fn balance(account: &str) -> ScriptedCall {
    ScriptedCall::new("bank__balance", &json!({ "account": account }))
}

/// The journal's line about it.
pub(super) fn looked(account: &str) -> String {
    format!("balance {}", json!({ "account": account }))
}
