//! A run, and an agent that works in it.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient, until_async};

use crate::doors::WAIT;
use crate::files::archive::{Archive, data, text};
use crate::kit::call;
use crate::live::site::Site;

/// Questions do not wait: a call says at once that it waits.
pub(crate) const NO_HOLD: &str = "[runs]\ninput_hold_seconds = 0\n";

pub(crate) struct Work {
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) path: String,
    pub(crate) token: String,
    pub(crate) client: HttpClient,
}

impl Work {
    /// A run of the agent's.
    pub(crate) async fn start(archive: &Archive, body: Value) -> Self {
        Self::start_by(archive, archive.agent(), body).await
    }

    pub(crate) async fn start_by(archive: &Archive, token: &str, body: Value) -> Self {
        let answer = archive.site.rest(token, "POST", "/runs", Some(body)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        Self::of(&archive.site, &answer.json())
    }

    pub(crate) fn of(site: &Site, said: &Value) -> Self {
        let path = text(&said["mcp_path"]).to_owned();
        let token = text(&said["token"]).to_owned();
        Self {
            id: text(&said["run"]["id"]).to_owned(),
            session: text(&said["session"]["id"]).to_owned(),
            client: HttpClient::new(&site.gateway.url(&path), &token),
            path,
            token,
        }
    }

    /// The same run at another gateway, or at the next one in the same place.
    pub(crate) fn at(&self, archive: &Archive) -> Self {
        Self {
            id: self.id.clone(),
            session: self.session.clone(),
            path: self.path.clone(),
            token: self.token.clone(),
            client: HttpClient::new(&archive.site.gateway.url(&self.path), &self.token),
        }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        call(&self.client, tool, arguments).await
    }

    /// Uses two tools, after which people may be asked.
    pub(crate) async fn look_around(&self) {
        for _ in 0..2 {
            let looked = self.call("docs__extract_count", json!({})).await;
            assert_ne!(looked["isError"], true, "{looked}");
        }
    }

    /// Asks a new question; returns its id.
    pub(crate) async fn ask(&self, question: Value) -> String {
        let asked = self.call("request_user_input", question).await;
        assert_eq!(asked["structuredContent"]["status"], "pending_input", "{asked}");
        text(&data(&asked)["input_id"]).to_owned()
    }

    pub(crate) async fn complete(&self, artifacts: &[&str]) -> Value {
        self.call("complete_workflow", json!({ "summary": "done", "artifacts": artifacts })).await
    }

    /// The operators' view.
    pub(crate) async fn show(&self, archive: &Archive) -> Value {
        archive.site.get(&format!("/runs/{}", self.id)).await
    }

    pub(crate) async fn state(&self, archive: &Archive) -> String {
        text(&self.show(archive).await["state"]).to_owned()
    }

    /// Waits until it is in this state.
    pub(crate) async fn becomes(&self, archive: &Archive, state: &str) -> Value {
        archive.site.becomes(&format!("/runs/{}", self.id), |run| run["state"] == state).await
    }

    /// The ledger events about it, oldest first.
    pub(crate) async fn told(&self, archive: &Archive) -> Vec<Value> {
        let page = archive.site.get(&format!("/ledger?run={}&order=oldest&limit=1000", self.id)).await;
        page["events"].as_array().expect("a list").clone()
    }

    /// Its transitions in the ledger: `pending running`.
    pub(crate) async fn transitions(&self, archive: &Archive) -> Vec<String> {
        let events = self.told(archive).await;
        let steps = events.iter().filter(|one| {
            let kind = one["kind"].as_str().unwrap_or_default();
            ["run.started", "run.paused", "run.resumed", "run.ended"].contains(&kind)
        });
        let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        steps.map(|one| format!("{} {}", word(&one["detail"]["from"]), word(&one["detail"]["to"]))).collect()
    }

    /// Steers it: pause, resume, cancel.
    pub(crate) async fn steer(&self, archive: &Archive, token: &str, verb: &str) -> HttpAnswer {
        let body = (verb == "cancel").then(|| json!({}));
        archive.site.rest(token, "POST", &format!("/runs/{}/{verb}", self.id), body).await
    }

    /// All calls of a turn.
    pub(crate) async fn batch(&self, archive: &Archive, calls: Value) -> HttpAnswer {
        let path = format!("/runs/{}/tool-calls", self.id);
        archive.site.rest(&self.token, "POST", &path, Some(json!({ "calls": calls }))).await
    }

    /// Waits until one of its calls is in progress.
    pub(crate) async fn busy(&self, archive: &Archive) {
        archive.site.becomes(&format!("/runs/{}", self.id), |run| run["calls"]["open"] != 0).await;
    }
}

/// Answers a question.
pub(crate) async fn answer(archive: &Archive, token: &str, id: &str, answer: Value) -> HttpAnswer {
    archive.site.rest(token, "POST", &format!("/inputs/{id}/answer"), Some(json!({ "answer": answer }))).await
}

/// A question of this type.
pub(crate) fn question(slot_type: &str, slot_id: &str) -> Value {
    json!({ "slot_type": slot_type, "slot_id": slot_id, "prompt_key": format!("What is {slot_id}?") })
}

/// A question with these answers.
pub(crate) fn choice(slot_type: &str, slot_id: &str, options: &[&str]) -> Value {
    let mut asked = question(slot_type, slot_id);
    asked["options"] = json!(options);
    asked
}

/// Waits until a question is asked; returns it.
pub(crate) async fn asked(archive: &Archive, run: &str) -> Value {
    let path = format!("/inputs?run={run}");
    let there = until_async(WAIT, || async {
        let page = archive.site.get(&path).await;
        page["inputs"].get(0).cloned()
    });
    there.await.expect("somebody is asked")
}
