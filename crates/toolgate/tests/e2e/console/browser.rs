//! A headless Chromium with its own profile, and the driver that performs a person's actions. Both are
//! children of the test and end with it, whether it passes or panics.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::until;

use super::webdriver::WebDriverClient;

/// A machine with two busy cores takes its time to start a browser.
const START_WAIT: Duration = Duration::from_secs(60);
/// On PATH is a script that starts it and stays in between: the browser would outlive the test that ends the script.
const SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";
const DRIVER_TRIES_MAX: usize = 5;
const DRIVER_SAYS: &str = "started successfully on port ";

pub(crate) struct Browser {
    pub(super) client: WebDriverClient,
    _driver: Process,
    _chromium: Process,
    /// Removed after its writers.
    _profile: tempfile::TempDir,
}

/// The kind of Chromium to start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chromium {
    /// Without the parts that draw windows: the same pages for a fifth of the processor time at each start.
    Shell,
    /// With notifications.
    Whole,
}

impl Browser {
    pub(crate) async fn start(what: Chromium) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let (chromium, address) = start_chromium(what, profile.path());
        let (driver, port) = start_driver();
        let client = connect(port, &address).await;
        Self { client, _driver: driver, _chromium: chromium, _profile: profile }
    }

    /// A command of the browser's own protocol, for features that WebDriver lacks.
    pub(crate) async fn devtools(&self, command: &str, params: Value) -> Value {
        let asked = json!({ "cmd": command, "params": params });
        let answer = self.client.post("/goog/cdp/execute", asked).await;
        answer.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// The browser's complaints since the last query: script errors, failed loads, and violations of the
    /// content security policy.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let log = self.client.post("/se/log", json!({ "type": "browser" })).await;
        let log = log.expect("the browser keeps a log");
        let entries = log.as_array().expect("a log is a list").iter();
        let serious = entries.filter(|entry| entry["level"] == "SEVERE" || entry["source"] == "security");
        serious.map(|entry| format!("{}: {}", entry["source"], entry["message"])).collect()
    }
}

/// A child that does not outlive the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Chromium is started here and not by the driver, which would put it into a process group that survives a
/// killed test.
fn start_chromium(what: Chromium, profile: &Path) -> (Process, String) {
    let mut command = match what {
        Chromium::Shell => Command::new(SHELL),
        Chromium::Whole => Command::new("chromium"),
    };
    if what == Chromium::Whole {
        command.arg("--headless=new");
    }
    command.args([
        // It only sees pages of this test, and often runs as root in a container, where its sandbox does not
        // start.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--no-proxy-server",
        "--force-device-scale-factor=1",
        "--hide-scrollbars",
        // Letters without coloured edges make smaller pictures, the same on every machine.
        "--disable-lcd-text",
        "--lang=en-US",
        "--remote-debugging-port=0",
    ]);
    command.arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let process = Process(child.expect("chromium is installed, whole and as a shell; `script/test` does it"));
    let said = profile.join("DevToolsActivePort");
    let port = until(START_WAIT, || {
        let said = std::fs::read_to_string(&said).ok()?;
        said.split_once('\n').map(|(port, _)| port.to_owned())
    });
    let port = port.expect("chromium says where it listens");
    (process, format!("127.0.0.1:{port}"))
}

/// It looks for a free port first and takes it then: another process may have been faster.
fn start_driver() -> (Process, u16) {
    let started = (0..DRIVER_TRIES_MAX).find_map(|_| try_driver());
    started.expect("the driver says where it listens")
}

fn try_driver() -> Option<(Process, u16)> {
    let mut child = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver is installed; `script/test` does it");
    let stdout = child.stdout.take().expect("stdout is piped");
    let process = Process(child);
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let port = line.split_once(DRIVER_SAYS)?.1;
        port.trim_end_matches('.').parse().ok()
    });
    // An unread pipe would block the driver once it is full.
    std::thread::spawn(move || lines.for_each(drop));
    Some((process, port?))
}

async fn connect(port: u16, debugger: &str) -> WebDriverClient {
    let capabilities = json!({
        "browserName": "chrome",
        "goog:chromeOptions": { "debuggerAddress": debugger },
        "goog:loggingPrefs": { "browser": "ALL" },
        // A dialog that a test did not expect is a failure and not to be closed in passing.
        "unhandledPromptBehavior": "ignore",
    });
    let client = WebDriverClient::open(&format!("http://127.0.0.1:{port}"), capabilities).await;
    client.expect("the driver finds the browser")
}
