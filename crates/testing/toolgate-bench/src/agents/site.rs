//! The scripted model as a process, and the gateway whose agents ask it.
//!
//! Lives here: starting both, the script, starting runs, waiting for them. Does not live here: any measurement.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::process::Command;

use crate::child::Watched;
use crate::client::{BenchClient, BenchTarget};
use crate::fast::Fast;
use crate::gateway::{BenchGateway, Home, Launcher, ServerEntry};
use crate::server::Eras;
use crate::wire::{BenchEra, Work};

/// The turns of a run that walks: a call in each but the last.
pub(super) const WALK_TURNS: usize = 40;
/// The turns of a run among many.
pub(super) const CROWD_TURNS: usize = 4;
/// The goals of the two begin so.
pub(super) const WALK: &str = "Walk";
pub(super) const CROWD: &str = "Crowd";

/// Every tool only reads, and is recorded.
pub(super) const RECORDED: &str = "[[tools]]\nname = \"*:*\"\neffects = [\"read\"]\n";
/// People are asked about every call.
pub(super) const GATED: &str =
    "[policy]\ngates = 'forbid (principal, action == Action::\"fast:echo\", resource);'\n";

const SERVER: &str = "fast";
const START_MAX: Duration = Duration::from_secs(20);
const ANNOUNCEMENT: &str = "listening on http://";
/// The patience with runs that should come to rest.
const REST_MAX: Duration = Duration::from_secs(1_800);
const POLL: Duration = Duration::from_millis(50);
/// The wait before a start that was refused because too many runs are at work.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// The model, in its own process.
pub(crate) struct ScriptedProcess {
    watched: Watched,
    address: SocketAddr,
    _script: NamedTempFile,
}

impl ScriptedProcess {
    pub(crate) async fn start(named: Option<PathBuf>) -> anyhow::Result<ScriptedProcess> {
        let program = match named {
            Some(program) => program,
            None => std::env::current_exe().context("find this program")?.with_file_name("scripted-model"),
        };
        ensure!(
            program.is_file(),
            "there is no scripted model at {}\nhint: build it with `cargo build --profile dist -p toolgate-testkit --bin scripted-model`",
            program.display()
        );
        let script = NamedTempFile::new().context("make a temporary file")?;
        std::fs::write(script.path(), rules()).context("write the script")?;
        let mut command = Command::new(program);
        command.arg("--script").arg(script.path());
        let mut watched = Watched::spawn(command)?;
        let find = |line: &str| line.strip_prefix(ANNOUNCEMENT)?.parse().ok();
        let address = watched.wait_for_line(START_MAX, find).await.context("start the scripted model")?;
        Ok(ScriptedProcess { watched, address, _script: script })
    }

    /// Its table of the configuration.
    pub(crate) fn settings(&self) -> String {
        format!(
            "[[models]]\nname = \"scripted\"\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"http://{}/v1\"\n",
            self.address
        )
    }

    /// Fails if a request broke a rule of its format.
    pub(crate) async fn end(self) -> anyhow::Result<()> {
        let words = self.watched.last_words();
        let status = self.watched.end().await.context("end the scripted model")?;
        ensure!(status.success(), "the scripted model saw requests that break the rules\n{words}");
        Ok(())
    }
}

/// A rule a line: the calls of each turn differ, so that no run seems to repeat itself.
fn rules() -> String {
    let ends = json!({ "call": [{ "name": "complete_workflow", "arguments": { "summary": "done" } }] });
    let mut text = String::new();
    let mut add = |rule: Value| writeln!(text, "{rule}").expect("a String grows");
    add(json!({ "when": { "goal": CROWD, "turn": CROWD_TURNS }, "then": ends }));
    for turn in 1..WALK_TURNS {
        let call = json!({ "name": tool(), "arguments": { "text": format!("step {turn}") } });
        add(json!({ "when": { "turn": turn }, "then": { "call": [call] } }));
    }
    add(json!({ "then": ends }));
    text
}

/// The tool that agents call.
pub(super) fn tool() -> String {
    format!("{SERVER}__{}", Work::Echo.tool())
}

pub(super) struct AgentsSite {
    home: Home,
    program: PathBuf,
    gateway: BenchGateway,
    agent: BenchTarget,
    admin: BenchTarget,
    _fast: Fast,
    started: usize,
}

impl AgentsSite {
    pub(super) async fn open(
        program: &Path,
        model: &ScriptedProcess,
        settings: &str,
    ) -> anyhow::Result<AgentsSite> {
        let fast = Fast::start(Eras::Both).await?;
        let entry = ServerEntry { name: SERVER.to_owned(), url: fast.url() };
        let home = Home::with(&[entry], &format!("{settings}\n{}", model.settings()))?;
        let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
        gateway.ready().await?;
        let agent = gateway.target(&home).await?;
        let admin = gateway.target_as(&home, "admin").await?;
        gateway.wait_for_tools(&agent, &[tool()]).await?;
        Ok(AgentsSite { home, program: program.to_owned(), gateway, agent, admin, _fast: fast, started: 0 })
    }

    /// The same data under a gateway that has just started.
    pub(super) async fn restarted(self) -> anyhow::Result<AgentsSite> {
        self.gateway.end().await?;
        let gateway = BenchGateway::start(&self.program, &self.home, &Launcher::default()).await?;
        gateway.ready().await?;
        let at = |target: BenchTarget| BenchTarget { address: gateway.address, ..target };
        let (agent, admin) = (at(self.agent), at(self.admin));
        gateway.wait_for_tools(&agent, &[tool()]).await?;
        Ok(AgentsSite { gateway, agent, admin, ..self })
    }

    pub(super) fn pid(&self) -> u32 {
        self.gateway.pid()
    }

    pub(super) fn last_words(&self) -> String {
        self.gateway.last_words()
    }

    /// A connection of the agent.
    pub(super) async fn client(&self) -> anyhow::Result<BenchClient> {
        BenchClient::connect(&self.agent, BenchEra::Modern).await
    }

    /// Starts this many runs. Each has a goal of its own, by which the model knows it.
    pub(super) async fn start(&mut self, goal: &str, count: usize) -> anyhow::Result<()> {
        let mut client = self.client().await?;
        for _ in 0..count {
            self.started += 1;
            let body = json!({ "goal": format!("{goal} {}", self.started), "model": "scripted" }).to_string();
            let deadline = Instant::now() + REST_MAX;
            loop {
                let (status, answer) = client.rest(Method::POST, "/runs", &body).await?;
                match status {
                    StatusCode::CREATED => break,
                    StatusCode::TOO_MANY_REQUESTS if Instant::now() < deadline => {
                        tokio::time::sleep(BUSY_PAUSE).await;
                    }
                    _ => bail!("a start was answered {status}: {}", String::from_utf8_lossy(&answer)),
                }
            }
        }
        Ok(())
    }

    /// Waits until no run is at work. Every run must then be in this state.
    pub(super) async fn rest_as(&self, state: &str) -> anyhow::Result<()> {
        let mut client = BenchClient::connect(&self.admin, BenchEra::Modern).await?;
        let deadline = Instant::now() + REST_MAX;
        // Pending runs first: one that begins in between is running afterwards.
        while any_is(&mut client, "pending").await? || any_is(&mut client, "running").await? {
            ensure!(Instant::now() < deadline, "runs are still at work after {REST_MAX:?}");
            tokio::time::sleep(POLL).await;
        }
        let ends = ["paused", "completed", "partial", "failed", "cancelled"];
        for other in ends.into_iter().filter(|end| *end != state) {
            ensure!(!any_is(&mut client, other).await?, "a run is {other} instead of {state}");
        }
        Ok(())
    }

    /// The highest number of runs that were at work at the same time, by their own records. No measurement is disturbed by it.
    pub(super) async fn most_at_once(&self) -> anyhow::Result<usize> {
        let mut client = BenchClient::connect(&self.admin, BenchEra::Modern).await?;
        let (mut spans, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/runs?state=completed&limit=200{cursor}");
            let page = page(&mut client, &path).await?;
            let span = |run: &Value| Some((text(run, "started_at")?, text(run, "ended_at")?));
            spans.extend(page["runs"].as_array().into_iter().flatten().filter_map(span));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(most_at_once(&spans)),
            }
        }
    }

    /// Fails if an approval was decided, or has lapsed: all of them wait.
    pub(super) async fn no_approval_has_ended(&self) -> anyhow::Result<()> {
        let mut client = BenchClient::connect(&self.admin, BenchEra::Modern).await?;
        for state in ["expired", "approved", "denied", "cancelled"] {
            let page = page(&mut client, &format!("/approvals?state={state}&limit=1")).await?;
            let ended = page["approvals"].as_array().is_some_and(|ended| !ended.is_empty());
            ensure!(!ended, "an approval is {state} while runs are started");
        }
        Ok(())
    }

    pub(super) async fn close(self) -> anyhow::Result<()> {
        self.gateway.end().await
    }
}

async fn any_is(client: &mut BenchClient, state: &str) -> anyhow::Result<bool> {
    let page = page(client, &format!("/runs?state={state}&limit=1")).await?;
    Ok(page["runs"].as_array().is_some_and(|runs| !runs.is_empty()))
}

async fn page(client: &mut BenchClient, path: &str) -> anyhow::Result<Value> {
    let (status, answer) = client.rest(Method::GET, path, "").await?;
    ensure!(status == StatusCode::OK, "{path} was answered {status}");
    serde_json::from_slice(&answer).with_context(|| format!("read {path}"))
}

fn text(run: &Value, key: &str) -> Option<String> {
    run[key].as_str().map(str::to_owned)
}

/// Moments as texts of one length, which are in the order of time. An end comes before a start of the same moment.
fn most_at_once(spans: &[(String, String)]) -> usize {
    let begins = spans.iter().map(|(begin, _)| (begin, true));
    let mut steps: Vec<(&String, bool)> = begins.chain(spans.iter().map(|(_, end)| (end, false))).collect();
    steps.sort_unstable();
    let (mut now, mut most) = (0_usize, 0);
    for (_, begins) in steps {
        now = if begins { now + 1 } else { now.saturating_sub(1) };
        most = most.max(now);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_at_work_together_where_their_spans_overlap() {
        let span = |begin: &str, end: &str| (begin.to_owned(), end.to_owned());
        assert_eq!(most_at_once(&[]), 0);
        assert_eq!(most_at_once(&[span("1", "3"), span("3", "4")]), 1);
        assert_eq!(most_at_once(&[span("1", "5"), span("2", "3"), span("4", "9"), span("2", "4")]), 3);
    }

    #[test]
    fn a_run_walks_to_its_end_and_one_of_a_crowd_ends_early() {
        let text = rules();
        let rules: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a rule")).collect();
        assert_eq!(rules.len(), WALK_TURNS + 1);
        assert_eq!(rules[0]["when"], json!({ "goal": CROWD, "turn": CROWD_TURNS }));
        assert_eq!(rules[1]["then"]["call"][0]["arguments"]["text"], "step 1");
        assert_eq!(rules[WALK_TURNS]["then"]["call"][0]["name"], "complete_workflow");
    }
}
