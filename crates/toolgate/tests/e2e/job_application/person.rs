//! The person at the inbox: approves what the policy asks about, reads CAPTCHAs, looks at the phone, and says what became of
//! applications whose outcome nobody knows.

use serde_json::{Value, json};
use toolgate_testkit::applicant::SUBMIT;

use super::stage::{ApplicationStage, name_of};

/// What a person was asked for.
#[derive(Default)]
pub(super) struct InboxPerson {
    /// The arguments of the calls that were approved.
    pub(super) approved: Vec<Value>,
    pub(super) captchas: usize,
    pub(super) codes: usize,
    /// Calls that may have had their effect when a gateway died.
    pub(super) unknown: usize,
    /// Applications that were looked up at the site.
    pub(super) resolved: usize,
    /// Refuses instead of approving.
    pub(super) refuses: bool,
}

impl InboxPerson {
    /// Deals with everything that waits now.
    pub(super) async fn attend(&mut self, stage: &ApplicationStage) {
        let inbox = stage.site.get("/inbox").await;
        for entry in inbox["entries"].as_array().expect("a list") {
            match entry["kind"].as_str() {
                Some("approval") => self.decide(stage, entry).await,
                _ => self.answer(stage, entry).await,
            }
        }
    }

    async fn decide(&mut self, stage: &ApplicationStage, approval: &Value) {
        let id = approval["id"].as_str().expect("an id");
        let decision = match self.refuses {
            true => json!({ "decision": "deny", "reason": "not this company" }),
            false => json!({ "decision": "approve" }),
        };
        let decided = stage.rest("POST", &format!("/approvals/{id}/decide"), Some(decision)).await;
        if decided.status == 200 {
            self.approved.push(approval["arguments"].clone());
        }
    }

    async fn answer(&mut self, stage: &ApplicationStage, input: &Value) {
        let prompt = input["prompt_key"].as_str().expect("a question");
        let run = input["run"].as_str().expect("the run that asks");
        let answer = match () {
            () if input["purpose"] == "captcha" => {
                self.captchas += 1;
                self.look_at_the_picture(stage, input, run).await
            }
            () if prompt.contains("Which code") => {
                self.codes += 1;
                stage.judged().await["code"].clone()
            }
            () if prompt.contains("Nobody knows") => {
                self.unknown += 1;
                json!(what_happened(stage, run).await)
            }
            // A server is away for a moment, and the agent has tried often enough.
            () => json!("go on"),
        };
        let id = input["id"].as_str().expect("an id");
        let answered =
            stage.rest("POST", &format!("/inputs/{id}/answer"), Some(json!({ "answer": answer }))).await;
        assert!([200, 409, 410].contains(&answered.status), "{answered:?}");
    }

    /// The run says that it waits for a person at a page, and the picture is there.
    async fn look_at_the_picture(&self, stage: &ApplicationStage, input: &Value, run: &str) -> Value {
        let shown =
            stage.site.becomes(&format!("/runs/{run}"), |run| !run["driven"]["action"].is_null()).await;
        assert_eq!(shown["driven"]["action"]["kind"], "captcha", "{shown}");
        assert_eq!(input["picture"]["media_type"], "image/jpeg", "{input}");
        let id = input["id"].as_str().expect("an id");
        let picture = stage.rest("GET", &format!("/inputs/{id}/picture"), None).await;
        assert!(
            picture.status == 200 && picture.headers["content-type"] == "image/jpeg",
            "{}",
            picture.status
        );
        stage.judged().await["letters"].clone()
    }

    /// Looks at the site for each application whose outcome is unknown, and says what became of it.
    pub(super) async fn resolve(&mut self, stage: &ApplicationStage) {
        let Some(all) = stage.applications().await else { return };
        for one in all.iter().filter(|one| one["status"] == "needs_person") {
            let there = stage.received().await;
            let is_there = there.contains_key(&name_of(one["url"].as_str().expect("an address")));
            let mut said = json!({ "application_id": one["applicationId"], "expected_version": one["version"],
                "status": if is_there { "confirmed" } else { "pending" }, "reason": "I looked at the site" });
            if is_there {
                said["evidence"] = json!({ "text": "The site has it." });
            }
            if stage.tool("jobs__resolve_application", said).await.is_some() {
                self.resolved += 1;
            }
        }
    }
}

/// The word about a call that was interrupted. Whoever clicks that button again may apply twice; all other calls can be repeated.
async fn what_happened(stage: &ApplicationStage, run: &str) -> &'static str {
    let chat = stage.chat(run).await;
    let last = chat.iter().rev().find_map(|message| message["calls"].get(0));
    let is_sending = last.is_some_and(|call| call["arguments"]["expect"] == SUBMIT);
    if is_sending { "happened" } else { "again" }
}
