//! Starting servers on one database, and calling them in the name of runs.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use capability_testkit::{Client, ProgressLog, clean, server};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientNotification, CustomNotification, RequestMetaObject,
};
use serde_json::{Map, Value, json};
use tokio::process::{Child, Command};
use toolgate_stage::Stage;

const LIMIT: Duration = Duration::from_secs(30);
const PROGRAM: &str = env!("CARGO_BIN_EXE_job-app-mcp");

/// A database, and the servers on it.
pub(crate) struct World {
    stage: Stage,
}

pub(crate) struct Server {
    pub(crate) client: Client,
    child: Child,
}

impl World {
    pub(crate) fn sqlite() -> Self {
        Self { stage: Stage::sqlite() }
    }

    pub(crate) fn postgres() -> Self {
        Self { stage: Stage::empty_postgres() }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.stage.folder().to_owned()
    }

    /// A statement behind the server's back.
    pub(crate) fn run_sql(&self, statement: &str) {
        self.stage.database().unwrap().run(statement);
    }

    fn place(&self, command: &mut Command) {
        match self.stage.url() {
            Some(url) => command.env("JOB_APP_DATABASE", url),
            None => command.arg("--data").arg(self.stage.folder().join("data")),
        };
    }

    pub(crate) async fn start(&self) -> Server {
        self.start_with(&[]).await
    }

    pub(crate) async fn start_with(&self, arguments: &[&str]) -> Server {
        let mut command = server(PROGRAM, arguments);
        self.place(&mut command);
        start(command).await
    }

    /// Runs `seed` with this as its file.
    pub(crate) async fn try_seed(&self, data: &Value) -> Output {
        let file = self.stage.folder().join("seed.json");
        std::fs::write(&file, data.to_string()).unwrap();
        let file = file.display().to_string();
        self.seed_with(&["--file", &file]).await
    }

    pub(crate) async fn seed_with(&self, arguments: &[&str]) -> Output {
        let mut command = clean(PROGRAM);
        command.arg("seed").args(arguments);
        self.place(&mut command);
        command.output().await.unwrap()
    }

    pub(crate) async fn seed(&self, data: &Value) -> String {
        let output = self.try_seed(data).await;
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Ada, who wants so many jobs.
    pub(crate) async fn with_jobs(self, count: usize) -> Self {
        let jobs: Vec<Value> = (0..count).map(job).collect();
        self.seed(&json!({ "users": [ada()], "jobs": jobs })).await;
        self
    }
}

pub(crate) async fn start(mut command: Command) -> Server {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let talk = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let service = ProgressLog::default().serve(talk).await.unwrap();
    Server { client: Client { service }, child }
}

pub(crate) fn ada() -> Value {
    json!({
        "id": "ada", "name": "Ada Lovelace", "email": "ada@example.com",
        "profile": { "basics": { "name": "Ada Lovelace" }, "skills": [{ "name": "Analysis" }] },
        "answers": [{ "question": "Do you need a visa?", "answer": "No" }],
        "documents": [{ "name": "resume", "ref": "file_1", "media_type": "application/pdf" }],
        "credentials": [{ "handle": "cred_01abc", "origin": "https://jobs.example", "fields": ["username", "password"] }],
    })
}

pub(crate) fn job(at: usize) -> Value {
    json!({ "title": format!("Welder {at}"), "company": "Acme", "location": "Oslo", "url": format!("https://jobs.example/view/10000{at}") })
}

impl Server {
    /// A call of a run, as a gateway sends it.
    pub(crate) async fn raw(&self, run: &str, tool: &str, arguments: Value) -> CallToolResult {
        let call = call_of(run, tool, arguments);
        tokio::time::timeout(LIMIT, self.client.service.call_tool(call)).await.unwrap().unwrap()
    }

    pub(crate) async fn answer(&self, run: &str, tool: &str, arguments: Value) -> Value {
        let result = self.raw(run, tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.unwrap()
    }

    /// Code and text of a refusal.
    pub(crate) async fn refusal(&self, run: &str, tool: &str, arguments: Value) -> (String, String) {
        let result = self.raw(run, tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        let code = result.meta.unwrap()["dev.toolgate/trouble"]["code"].as_str().unwrap().to_owned();
        let text = result.content[0].as_text().unwrap().text.clone();
        assert!(text.contains("hint:"), "{text}");
        (code, text)
    }

    pub(crate) async fn lease(&self, run: &str, limit: usize) -> Vec<Value> {
        let answer = self.answer(run, "get_pending_jobs", json!({ "user": "ada", "limit": limit })).await;
        answer["jobs"].as_array().unwrap().clone()
    }

    pub(crate) async fn update(&self, run: &str, job: &Value, status: &str) -> Value {
        self.answer(run, "update_application_status", moved(job, status)).await
    }

    /// As a person sees it, outside of any run.
    pub(crate) async fn list(&self, filter: Value) -> Vec<Value> {
        let answer = self.answer("", "list_applications", filter).await;
        answer["applications"].as_array().unwrap().clone()
    }

    pub(crate) async fn status_of(&self, application: &Value) -> String {
        let listed = self.list(json!({ "application_id": application })).await;
        listed[0]["status"].as_str().unwrap().to_owned()
    }

    /// Tells it of a run or a session that has ended, as a gateway does.
    pub(crate) async fn ended(&self, caller: Value) {
        let word = CustomNotification::new("notifications/dev.toolgate/caller_ended", Some(caller));
        self.client.service.send_notification(ClientNotification::CustomNotification(word)).await.unwrap();
    }

    /// Nothing of the process is left, whatever it was doing.
    pub(crate) async fn kill(mut self) {
        kill(Pid::from_raw(self.child.id().unwrap() as i32), Signal::SIGKILL).unwrap();
        self.child.wait().await.unwrap();
    }
}

pub(crate) fn call_of(run: &str, tool: &str, arguments: Value) -> CallToolRequestParams {
    let mut call = capability_testkit::call_of(tool, arguments);
    let mut caller = json!({ "session": "ses_1" });
    if !run.is_empty() {
        caller["run"] = run.into();
    }
    let meta = Map::from_iter([("dev.toolgate/caller".to_owned(), caller)]);
    call.meta = Some(RequestMetaObject::from(meta));
    call
}

pub(crate) fn moved(job: &Value, status: &str) -> Value {
    json!({ "application_id": job["applicationId"], "status": status, "expected_version": job["version"] })
}

pub(crate) fn recorded(job: &Value, status: &str) -> Value {
    json!({ "job_id": job["jobId"], "user": "ada", "status": status, "evidence": { "text": "Thank you, Ada" } })
}

/// Waits until a condition holds.
pub(crate) async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !is_so().await {
        assert!(begin.elapsed() < LIMIT, "it never came to be that {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
