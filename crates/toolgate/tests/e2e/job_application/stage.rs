//! The site, the model, and a gateway with a browser and the server of applications.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::applicant::applicant;
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};
use toolgate_testkit::model::{ScriptedModel, WireFormat};

use crate::governed::database::Backing;
use crate::kit::Remote;
use crate::live::site::{Ending, Site};
use crate::outside::repository;
use crate::{testkit, toolgate};

/// Far more than a run of some applications takes.
pub(super) const LONG: Duration = Duration::from_secs(120);
/// The account that the portal knows.
pub(super) const PASSWORD: &str = "correct horse 7 battery";
/// The states of applications that somebody still works on.
const OPEN: [&str; 4] = ["pending", "leased", "submitting", "needs_person"];
const ENDED: [&str; 4] = ["completed", "partial", "failed", "cancelled"];
/// The site is at rest if nothing has happened for so long.
const AT_REST: Duration = Duration::from_millis(300);

pub(super) struct ApplicationStage {
    pub(super) site: Site,
    vacancies: Remote,
    model: ScriptedModel,
    /// The token of the agent's principal.
    agent: String,
    _books: tempfile::TempDir,
}

fn example(name: &str) -> String {
    let path = repository().join("examples/job-application").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The vacancies of the example: their paths at the site.
pub(super) fn vacancies_of_the_example() -> Vec<String> {
    let seed: Value = serde_json::from_str(&example("seed.json")).expect("JSON");
    let jobs = seed["jobs"].as_array().expect("a list").iter();
    jobs.map(|job| job["url"].as_str().expect("an address").trim_start_matches("SITE").to_owned()).collect()
}

impl ApplicationStage {
    /// With these vacancies, by their paths, and one applicant.
    pub(super) async fn open(vacancies: &[String]) -> Self {
        let books = tempfile::tempdir().expect("a temporary folder");
        let file = books.path().join("received.jsonl");
        let site = Remote::start("job-site", &["--books", file.to_str().expect("paths of tests are text")]);
        let model = ScriptedModel::start(applicant());
        let gateway = boot(&model);
        let site = Self {
            site: Site { gateway, backing: Backing::Sqlite },
            vacancies: site,
            model,
            agent: String::new(),
            _books: books,
        };
        let stage = Self { agent: site.site.token("--role agent --principal applicant"), ..site };
        stage.ready().await;
        stage.seed(vacancies).await;
        stage
    }

    /// Waits until both servers are there. One that was killed often is started again after some time.
    pub(super) async fn ready(&self) {
        for server in ["browser", "jobs"] {
            let there = until_async(LONG, || async {
                let about = self.site.server(server).await;
                let is_there =
                    about["health"] == "healthy" && about["tools"].as_u64().is_some_and(|tools| tools > 0);
                is_there.then_some(())
            });
            there.await.unwrap_or_else(|| panic!("{server} never came: {:?}", self.site.gateway.log()));
        }
    }

    /// The applicant's file, her credential at the gateway, and her jobs at the product.
    async fn seed(&self, vacancies: &[String]) {
        let resume = self.uploaded("resume.txt", &example("resume.txt")).await;
        let body = json!({ "name": "Northwind Jobs", "origin": self.vacancies.url, "servers": ["browser"],
            "users": ["agent:applicant"], "fields": { "username": { "value": "ada" }, "password": { "value": PASSWORD } } });
        let made = self.rest("POST", "/credentials", Some(body)).await;
        assert_eq!(made.status, 201, "{made:?}");
        let handle = made.json()["id"].as_str().expect("a credential has an id").to_owned();
        let mut seed: Value = serde_json::from_str(&example("seed.json")).expect("JSON");
        seed["jobs"] = vacancies.iter().map(|path| self.posting(path)).collect();
        let text = seed.to_string().replace("SITE", &self.vacancies.url);
        let text = text.replace("RESUME", &resume).replace("CREDENTIAL", &handle);
        let file = self.site.path("seed.json");
        std::fs::write(&file, text).expect("the file can be written");
        let data = self.site.path("jobs-data");
        let mut seeding = Command::new(testkit("job-app-mcp"));
        let output = seeding.arg("seed").arg("--data").arg(data).arg("--file").arg(file).output();
        let output = output.expect("the program runs");
        assert!(output.status.success(), "{output:?}");
    }

    fn posting(&self, path: &str) -> Value {
        json!({ "title": format!("Work at {path}"), "company": "Northwind", "url": format!("{}{path}", self.vacancies.url) })
    }

    async fn uploaded(&self, name: &str, text: &str) -> String {
        let client = self.site.agent();
        let request = client.http.post(self.site.gateway.url(&format!("/files?name={name}")));
        let request =
            request.bearer_auth(&self.agent).header("content-type", "text/plain").body(text.to_owned());
        let answer = HttpClient::finish(request).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["id"].as_str().expect("a file has an id").to_owned()
    }

    /// A request of the person who runs the gateway.
    pub(super) async fn rest(&self, method: &str, path: &str, body: Option<Value>) -> HttpAnswer {
        self.site.rest(&self.site.gateway.admin, method, path, body).await
    }

    /// The task of the example, for so many applications in a run.
    pub(super) async fn task(&self, most: usize) -> String {
        let mut task: Value = serde_json::from_str(&example("task.json")).expect("JSON");
        task["goal"] = json!(format!("Apply for the pending jobs of ada. At most {most} applications."));
        let made = self.rest("POST", "/tasks", Some(task)).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["id"].as_str().expect("a task has an id").to_owned()
    }

    /// Starts a run as the agent's principal.
    pub(super) async fn start(&self, task: &str) -> String {
        let path = format!("/tasks/{task}/runs");
        let started = self.site.rest(&self.agent, "POST", &path, Some(json!({}))).await;
        assert_eq!(started.status, 201, "{started:?}");
        started.json()["id"].as_str().expect("a run has an id").to_owned()
    }

    /// Starts a run by the automation of the example, whose first instant is now; returns its id.
    pub(super) async fn start_by_automation(&self, task: &str) -> String {
        let mut automation: Value = serde_json::from_str(&example("automation.json")).expect("JSON");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        automation["trigger"]["from_ms"] = json!(u64::try_from(now.as_millis()).expect("this age") + 300);
        automation["task"] = json!(task);
        automation["principal"] = json!("applicant");
        let made = self.rest("POST", "/automations", Some(automation)).await;
        assert_eq!(made.status, 201, "{made:?}");
        let path = format!("/runs?task={task}");
        let begun = self.site.becomes(&path, |page| page["runs"].get(0).is_some()).await;
        begun["runs"][0]["id"].as_str().expect("a run has an id").to_owned()
    }

    pub(super) async fn show(&self, run: &str) -> Value {
        self.site.get(&format!("/runs/{run}")).await
    }

    pub(super) async fn has_ended(&self, run: &str) -> bool {
        let shown = self.show(run).await;
        ENDED.iter().any(|state| shown["state"] == *state)
    }

    /// The messages of a run, oldest first.
    pub(super) async fn chat(&self, run: &str) -> Vec<Value> {
        let (mut messages, mut after) = (Vec::new(), 0);
        loop {
            let page = self.site.get(&format!("/runs/{run}/chat?after={after}")).await;
            messages.extend(page["messages"].as_array().expect("a list").iter().cloned());
            match page["next_after"].as_u64() {
                Some(next) if next > after => after = next,
                _ => return messages,
            }
        }
    }

    /// The answer of a tool, called by a person; `None` while its server is away.
    pub(super) async fn tool(&self, name: &str, arguments: Value) -> Option<Value> {
        let body = json!({ "name": name, "arguments": arguments });
        let answer = self.rest("POST", "/tools/call", Some(body)).await;
        let data = (answer.status == 200).then(|| answer.json()["data"]["structuredContent"].clone());
        data.filter(|data| !data.is_null())
    }

    /// All applications with their history; `None` while the product is away.
    pub(super) async fn applications(&self) -> Option<Vec<Value>> {
        let asked = json!({ "user": "ada", "limit": 100, "history": true });
        let listed = self.tool("jobs__list_applications", asked).await?;
        listed["applications"].as_array().cloned()
    }

    /// True if nobody works on any application any more; `None` while the product is away.
    pub(super) async fn is_done(&self) -> Option<bool> {
        let all = self.applications().await?;
        Some(!all.iter().any(|one| OPEN.iter().any(|state| one["status"] == *state)))
    }

    /// Everything that the site says of itself, when it is at rest.
    pub(super) async fn judged(&self) -> Value {
        let judged = || async {
            let answer =
                HttpClient::finish(self.site.agent().http.get(format!("{}/judge", self.vacancies.url)));
            answer.await.json()
        };
        let rests = until_async(LONG, || async {
            let before = judged().await;
            tokio::time::sleep(AT_REST).await;
            let after = judged().await;
            (before == after && after["under_way"] == 0).then_some(after)
        });
        rests.await.expect("the site comes to rest")
    }

    /// How often the site has received an application, by the name of the job.
    pub(super) async fn received(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        let judged = self.judged().await;
        for one in judged["applications"].as_array().expect("a list") {
            *counts.entry(one["job"].as_str().expect("a name").to_owned()).or_default() += 1;
        }
        counts
    }

    /// Kills the gateway and starts it again on its data.
    pub(super) fn killed(self) -> Self {
        Self { site: self.site.restarted(Ending::Killed), ..self }
    }

    /// No request to the model broke a rule, and the ledger is intact.
    pub(super) fn verify(&self) {
        self.model.assert_no_problems();
        self.site.say(&["ledger", "verify"]);
    }
}

/// The name of a vacancy in the books of the site: `form/1001` of `http://…/jobs/form/1001?fault=slow`.
pub(super) fn name_of(url: &str) -> String {
    let (_, path) = url.split_once("/jobs/").unwrap_or_else(|| panic!("no vacancy: {url}"));
    path.split('?').next().unwrap_or(path).to_owned()
}

/// The configuration of the example, with these programs and this model.
fn boot(model: &ScriptedModel) -> Gateway {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["policy", "jobs-data"] {
        std::fs::create_dir(folder.path().join(name)).expect("the folder can be made");
    }
    std::fs::write(folder.path().join("policy/gates.cedar"), example("policy/gates.cedar")).expect("written");
    let programs: &Path = toolgate().parent().expect("binaries lie in a folder");
    drop(testkit("browser-mcp"));
    let toml = example("toolgate.toml");
    let toml = toml.replace("${TOOLGATE_PROGRAMS:-../../target/release}", programs.to_str().expect("text"));
    let toml = toml.replace("http://127.0.0.1:8799/v1", &model.url(WireFormat::Chat));
    // A run that a kill has ended gives its jobs back soon.
    let toml = toml.replace("\"jobs-data\"]\ncwd", "\"jobs-data\", \"--job-lease-seconds\", \"30\"]\ncwd");
    Gateway::boot_in(toolgate(), &toml, folder)
}
