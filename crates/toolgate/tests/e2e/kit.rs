//! Servers of the test kit, as entries of the configuration and as separate processes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpClient, until, until_async};

use crate::doors::WAIT;
use crate::testkit;

/// A word that is in the command line of every process of one test, and of no other.
pub(crate) fn label(word: &str) -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("{word}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A `[[servers]]` entry for a child process of the test kit.
pub(crate) fn child(name: &str, program: &str, args: &[&str]) -> String {
    let (program, args) = (testkit(program), json!(args));
    format!("[[servers]]\nname = {name:?}\ncommand = {program:?}\nargs = {args}\n")
}

/// A `[[servers]]` entry for a server that runs elsewhere.
pub(crate) fn remote(name: &str, url: &str) -> String {
    format!("[[servers]]\nname = {name:?}\nurl = {url:?}\n")
}

/// A program of the test kit that serves HTTP, until it is dropped.
pub(crate) struct Remote {
    process: Child,
    program: String,
    args: Vec<String>,
    pub(crate) url: String,
}

impl Remote {
    pub(crate) fn start(program: &str, args: &[&str]) -> Self {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let (process, url) = launch(program, "127.0.0.1:0", &args);
        Self { process, program: program.to_owned(), args, url }
    }

    /// Restarts the program at its address, if it has ended.
    pub(crate) fn revive(&mut self) {
        if self.process.try_wait().expect("it is a child of ours").is_some() {
            let address = self.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
            (self.process, _) = launch(&self.program, &address, &self.args);
        }
    }

    pub(crate) fn end(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn launch(program: &str, address: &str, args: &[String]) -> (Child, String) {
    let mut process = Command::new(testkit(program))
        .args(["--listen", address])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(process.stdout.take().expect("stdout is piped"));
    stdout.read_line(&mut line).expect("stdout can be read");
    let url = line
        .trim()
        .strip_prefix("listening on ")
        .unwrap_or_else(|| panic!("no address: {line:?}"))
        .to_owned();
    (process, url)
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits until a tool is on the list.
pub(crate) async fn listed(gateway: &Gateway, tool: &str) {
    listed_within(WAIT, gateway, tool).await;
}

pub(crate) async fn listed_within(wait: Duration, gateway: &Gateway, tool: &str) {
    let client = gateway.client();
    let there =
        until_async(wait, || async { names(&client).await.iter().any(|name| name == tool).then_some(()) });
    there.await.unwrap_or_else(|| panic!("{tool} was never listed"));
}

/// The gateway's own tools in lists.
const OWN: &[&str] =
    &["complete_workflow", "file_upload_url", "read_ref", "request_user_input", "store_artifact"];

/// Every name on the tool list but those of the gateway's own tools, all pages read.
pub(crate) async fn names(client: &HttpClient) -> Vec<String> {
    let mut names = Vec::new();
    let mut params = json!({});
    loop {
        let page = client.modern("tools/list", params.clone()).await.result();
        names.extend(names_of(&page));
        match page.get("nextCursor") {
            Some(cursor) => params["cursor"] = cursor.clone(),
            None => return names,
        }
    }
}

/// The names on one page, without those of the gateway's own tools.
pub(crate) fn names_of(page: &Value) -> Vec<String> {
    let tools = page["tools"].as_array().unwrap_or_else(|| panic!("no list: {page}"));
    let names = tools.iter().map(|tool| tool["name"].as_str().expect("a name"));
    names.filter(|name| !OWN.contains(name)).map(str::to_owned).collect()
}

/// Calls a tool in the newer era.
pub(crate) async fn call(client: &HttpClient, tool: &str, arguments: Value) -> Value {
    call_within(WAIT, client, tool, arguments).await
}

/// The same for an answer that may take longer than usual.
pub(crate) async fn call_within(wait: Duration, client: &HttpClient, tool: &str, arguments: Value) -> Value {
    let answer = client.modern("tools/call", json!({ "name": tool, "arguments": arguments }));
    tokio::time::timeout(wait, answer).await.unwrap_or_else(|_| panic!("{tool} was never answered")).result()
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// Processes whose command line contains a word.
pub(crate) fn processes(word: &str) -> Vec<String> {
    let pids = std::fs::read_dir("/proc").expect("Linux").filter_map(Result::ok).map(|entry| entry.path());
    let commands = pids.filter_map(|path| std::fs::read(path.join("cmdline")).ok());
    let commands = commands.map(|command| String::from_utf8_lossy(&command).replace('\0', " "));
    commands.filter(|command| command.contains(word)).collect()
}

/// Fails if a process of this test outlives it.
pub(crate) fn nothing_left(word: &str) {
    let gone = until(Duration::from_secs(10), || processes(word).is_empty().then_some(()));
    assert!(gone.is_some(), "left behind: {:?}", processes(word));
}

/// A file of a test, written.
pub(crate) fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.to_str().expect("paths of tests are text").to_owned()
}
