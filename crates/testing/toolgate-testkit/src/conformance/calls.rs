//! The behaviour of the tools. Long-running ones that become tasks are in `jobs`.
#![expect(deprecated, reason = "logging and sampling are deprecated but the suite still asks for them")]

use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, LoggingLevel,
    ProgressNotificationParam, Resource,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::{Asker, Question, Reply};
use super::changes::Change;
use super::jobs;
use super::resources::{PNG_BASE64, WATCHED_URI, WAV_BASE64, plain_text};
use super::settings::is_modern;
use super::state::ConformanceServer;

/// The suite requires its log lines and progress reports spread out in time.
const STEP: Duration = Duration::from_millis(50);
const RECONNECT_WAIT_MAX: Duration = Duration::from_secs(20);
const CANCEL_WAIT_MAX: Duration = Duration::from_secs(60);

pub(super) type CallResult = Result<CallToolResponse, ErrorData>;

/// One `tools/call` on its way through the server.
pub(super) struct Call<'a> {
    pub(super) server: &'a ConformanceServer,
    pub(super) params: CallToolRequestParams,
    pub(super) ctx: RequestContext<RoleServer>,
}

pub(super) async fn call(
    server: &ConformanceServer,
    params: CallToolRequestParams,
    ctx: RequestContext<RoleServer>,
) -> CallResult {
    let name = params.name.clone();
    let call = Call { server, params, ctx };
    match name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => content([ContentBlock::image(PNG_BASE64, "image/png")]),
        "test_audio_content" => content([ContentBlock::audio(WAV_BASE64, "audio/wav")]),
        "test_embedded_resource" => content([ContentBlock::resource(plain_text(
            "This is an embedded resource content.",
            "test://embedded-resource",
        ))]),
        "test_multiple_content_types" => content(mixed()),
        "test_resource_link" => content([ContentBlock::resource_link(
            Resource::new("test://static-text", "static-text").with_mime_type("text/plain"),
        )]),
        "test_error_handling" => failure("This tool intentionally returns an error for testing"),
        "test_structured_content" => call.double(),
        "echo" => text(call.string("text")),

        "test_tool_with_logging" => call.log_thrice().await,
        "test_logging_tool" => call.log_once().await,
        "test_tool_with_progress" => call.report_progress().await,
        "test_reconnection" => call.outlive_its_stream().await,
        "test_cancellation" => call.run_until_cancelled().await,
        "test_cancellations_seen" => call.count_cancellations(),

        "test_sampling" => call.sample().await,
        "test_elicitation" => call.elicit_account().await,
        "test_elicitation_sep1034_defaults" => call.elicit(defaults()).await,
        "test_elicitation_sep1330_enums" => call.elicit(choices()).await,
        "test_roots" | "test_input_required_result_list_roots" => call.list_roots().await,
        "test_streaming_elicitation" => call.elicit_after_progress().await,
        "test_missing_capability" => call.need_sampling(),
        "test_input_required_result_elicitation" => call.elicit_name().await,
        "test_input_required_result_sampling" => call.sample_capital().await,
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            call.confirm_with_state().await
        }
        "test_input_required_result_multiple_inputs" => call.ask_everything().await,
        "test_input_required_result_multi_round" => call.ask_twice().await,
        "test_input_required_result_capabilities" => call.ask_what_the_client_can().await,

        "test_trigger_tool_change" => call.change(Change::Tools),
        "test_trigger_prompt_change" => call.change(Change::Prompts),
        "test_trigger_resource_change" => call.change(Change::Resources),
        "test_trigger_resource_update" => call.change(Change::Resource(WATCHED_URI.to_owned())),

        "greet" => text(&format!("Hello, {}!", call.string("name"))),
        "slow_compute" => jobs::slow_compute(&call).await,
        "failing_job" => jobs::failing_job(&call),
        "protocol_error_job" => jobs::protocol_error_job(&call),
        "confirm_delete" => jobs::confirm_delete(&call).await,
        "multi_input" => jobs::multi_input(&call).await,
        "test_tool_with_task" => jobs::name_then_task(&call).await,

        "json_schema_2020_12_tool" | "test_custom_header" => text(&call.arguments().to_string()),
        "test_changing_tool" if server.shared.changes.shows_changing_tool() => text("Here for now."),
        unknown => Err(ErrorData::invalid_params(format!("Unknown tool: {unknown}"), None)),
    }
}

pub(super) fn text(text: &str) -> CallResult {
    content([ContentBlock::text(text)])
}

pub(super) fn failure(text: &str) -> CallResult {
    Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
}

fn content(blocks: impl IntoIterator<Item = ContentBlock>) -> CallResult {
    Ok(CallToolResult::success(blocks.into_iter().collect()).into())
}

fn mixed() -> [ContentBlock; 3] {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    [
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::image(PNG_BASE64, "image/png"),
        ContentBlock::resource(
            rmcp::model::ResourceContents::text(data, "test://mixed-content-resource")
                .with_mime_type("application/json"),
        ),
    ]
}

impl Call<'_> {
    fn arguments(&self) -> Value {
        Value::Object(self.params.arguments.clone().unwrap_or_default())
    }

    /// Empty when missing: the use of arguments by these tools is not tested.
    pub(super) fn string(&self, name: &str) -> &str {
        let value = self.params.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn number(&self, name: &str) -> f64 {
        let value = self.params.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_f64).unwrap_or_default()
    }

    pub(super) fn asker(&self) -> Asker<'_> {
        Asker {
            codec: &self.server.shared.codec,
            ctx: &self.ctx,
            subject: &self.params.name,
            responses: self.params.input_responses.as_ref(),
            state: self.params.request_state.as_deref(),
        }
    }

    pub(super) fn client(&self) -> ClientCapabilities {
        self.ctx.client_capabilities().unwrap_or_default()
    }

    /// The HTTP session the call came in, if it came in one.
    fn session(&self) -> Option<&str> {
        let head = self.ctx.extensions.get::<http::request::Parts>().filter(|_| !is_modern(&self.ctx))?;
        head.headers.get("mcp-session-id")?.to_str().ok()
    }

    fn double(&self) -> CallResult {
        Ok(CallToolResult::structured(json!({ "doubled": self.number("number") * 2.0 })).into())
    }

    async fn log_thrice(&self) -> CallResult {
        for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            self.server.log(&self.ctx, LoggingLevel::Info, line).await;
            tokio::time::sleep(STEP).await;
        }
        text("Tool with logging executed successfully")
    }

    async fn log_once(&self) -> CallResult {
        self.server.log(&self.ctx, LoggingLevel::Info, "Somebody asked for this line").await;
        text("Logging tool executed successfully")
    }

    async fn report_progress(&self) -> CallResult {
        for done in [0.0, 50.0, 100.0] {
            self.progress(done).await;
            tokio::time::sleep(STEP).await;
        }
        text("Tool with progress executed successfully")
    }

    async fn progress(&self, done: f64) {
        let Some(token) = self.ctx.meta.get_progress_token() else { return };
        let report = ProgressNotificationParam::new(token, done).with_total(100.0);
        // A client that hung up has no use for the report.
        drop(self.ctx.peer.notify_progress(report).await);
    }

    /// The stream of this call ends before the result (see `reconnect`), so the result waits for the client to return.
    async fn outlive_its_stream(&self) -> CallResult {
        if let Some(session) = self.session() {
            let back = self.server.shared.returns.wait_for(session);
            if tokio::time::timeout(RECONNECT_WAIT_MAX, back).await.is_err() {
                return failure("the client did not come back for its result");
            }
        }
        text("Reconnection test completed successfully")
    }

    async fn run_until_cancelled(&self) -> CallResult {
        self.server.shared.cancellable.fetch_add(1, Ordering::SeqCst);
        tokio::select! {
            () = self.ctx.ct.cancelled() => {
                self.server.shared.cancellations.fetch_add(1, Ordering::SeqCst);
            }
            () = tokio::time::sleep(CANCEL_WAIT_MAX) => {}
        }
        failure("this result should never be seen")
    }

    fn count_cancellations(&self) -> CallResult {
        let arguments = self.params.arguments.as_ref();
        let is_of_begun = arguments.and_then(|all| all.get("begun")) == Some(&Value::Bool(true));
        let shared = &self.server.shared;
        let counter = if is_of_begun { &shared.cancellable } else { &shared.cancellations };
        text(&counter.load(Ordering::SeqCst).to_string())
    }

    fn change(&self, change: Change) -> CallResult {
        self.server.shared.changes.happened(change);
        text("Changed")
    }

    async fn sample(&self) -> CallResult {
        let question = Question::sample("completion", self.string("prompt"), 100);
        match self.asker().ask(&[question]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("LLM response: {}", spoken(&answers["completion"]))),
        }
    }

    async fn sample_capital(&self) -> CallResult {
        let question = Question::sample("capital_question", "What is the capital of France?", 100);
        match self.asker().ask(&[question]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&spoken(&answers["capital_question"])),
        }
    }

    async fn elicit_account(&self) -> CallResult {
        let properties = json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" }
        });
        let question =
            Question::elicit("account", self.string("message"), properties, &["username", "email"]);
        match self.asker().ask(&[question]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("User response: {}", answers["account"])),
        }
    }

    async fn elicit(&self, question: Question) -> CallResult {
        let key = question.key;
        match self.asker().ask(&[question]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => {
                let Value::Object(answer) = &answers[key] else {
                    return failure("the answer is not an object");
                };
                let of = |name: &str| answer.get(name).cloned().unwrap_or_default();
                let action = of("action");
                let action = action.as_str().unwrap_or("none");
                text(&format!("Elicitation completed: action={action}, content={}", of("content")))
            }
        }
    }

    async fn elicit_name(&self) -> CallResult {
        match self.asker().ask(&[name_question("user_name", "What is your name?")]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("Hello, {}!", given(&answers["user_name"], "name"))),
        }
    }

    async fn elicit_after_progress(&self) -> CallResult {
        self.progress(50.0).await;
        self.elicit_name().await
    }

    async fn list_roots(&self) -> CallResult {
        match self.asker().ask(&[Question::roots("client_roots")]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("Client roots: {}", answers["client_roots"]["roots"])),
        }
    }

    fn need_sampling(&self) -> CallResult {
        if self.client().sampling.is_some() {
            return text("The client can sample");
        }
        Err(ErrorData::missing_required_client_capability(
            ClientCapabilities::builder().enable_sampling().build(),
        ))
    }

    async fn confirm_with_state(&self) -> CallResult {
        let asker = self.asker();
        let round = asker.state::<Round>()?.unwrap_or_default();
        let question =
            Question::elicit("confirm", "Please confirm", json!({ "ok": { "type": "boolean" } }), &["ok"]);
        match asker.ask_with_state(&[question], &round).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("state-ok, confirmed: {}", answers["confirm"])),
        }
    }

    async fn ask_everything(&self) -> CallResult {
        let asker = self.asker();
        let round = asker.state::<Round>()?.unwrap_or_default();
        let questions = [
            name_question("user_name", "What is your name?"),
            Question::sample("greeting", "Generate a greeting", 50),
            Question::roots("client_roots"),
        ];
        match asker.ask_with_state(&questions, &round).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!(
                "{} {} Roots: {}",
                given(&answers["user_name"], "name"),
                spoken(&answers["greeting"]),
                answers["client_roots"]["roots"]
            )),
        }
    }

    async fn ask_twice(&self) -> CallResult {
        let asker = self.asker();
        let round = asker.state::<Round>()?.unwrap_or_default();
        let name = match round.name {
            Some(name) => name,
            None => {
                let question = name_question("step1", "Step 1: What is your name?");
                match asker.ask_with_state(&[question], &Round::default()).await? {
                    Reply::Pending(pending) => return Ok(pending.into()),
                    Reply::Answers(answers) => given(&answers["step1"], "name"),
                }
            }
        };
        let question = Question::elicit(
            "step2",
            "Step 2: What is your favorite color?",
            json!({ "color": { "type": "string" } }),
            &["color"],
        );
        match asker.ask_with_state(&[question], &Round { name: Some(name.clone()) }).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("{name} likes {}", given(&answers["step2"], "color"))),
        }
    }

    async fn ask_what_the_client_can(&self) -> CallResult {
        let client = self.client();
        let mut questions = vec![
            name_question("user_name", "What is your name?"),
            Question::sample("greeting", "Generate a greeting", 50),
            Question::roots("client_roots"),
        ];
        questions.retain(|question| question.is_answerable_by(&client));
        match self.asker().ask(&questions).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("{} answers", answers.len())),
        }
    }
}

/// The state of a tool that asks more than once, between rounds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Round {
    name: Option<String>,
}

pub(super) fn name_question(key: &'static str, message: &str) -> Question {
    Question::elicit(key, message, json!({ "name": { "type": "string" } }), &["name"])
}

fn defaults() -> Question {
    let properties = json!({
        "name": { "type": "string", "description": "User name", "default": "John Doe" },
        "age": { "type": "integer", "description": "User age", "default": 30 },
        "score": { "type": "number", "description": "User score", "default": 95.5 },
        "status": {
            "type": "string",
            "description": "User status",
            "enum": ["active", "inactive", "pending"],
            "default": "active"
        },
        "verified": { "type": "boolean", "description": "Verification status", "default": true }
    });
    Question::elicit("profile", "Please review and update the form fields with defaults", properties, &[])
}

fn choices() -> Question {
    let titled = |titles: [&str; 3]| -> Value {
        let named =
            |(at, title): (usize, &str)| json!({ "const": format!("value{}", at + 1), "title": title });
        titles.into_iter().enumerate().map(named).collect()
    };
    let properties = json!({
        "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
        "titledSingle": { "type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"]) },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]
        },
        "untitledMulti": {
            "type": "array",
            "items": { "type": "string", "enum": ["option1", "option2", "option3"] }
        },
        "titledMulti": {
            "type": "array",
            "items": { "anyOf": titled(["First Choice", "Second Choice", "Third Choice"]) }
        }
    });
    Question::elicit("choices", "Please choose", properties, &[])
}

/// The text a model gave back.
fn spoken(answer: &Value) -> String {
    answer["content"]["text"].as_str().unwrap_or("nothing").to_owned()
}

/// One field of a user's answer.
pub(super) fn given(answer: &Value, field: &str) -> String {
    answer["content"][field].as_str().unwrap_or("nobody").to_owned()
}
