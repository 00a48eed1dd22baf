//! The reference servers from npm and PyPI, all behind one gateway at once: their effects are real.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use toolgate_testkit::conformance::client::{MODEL_ANSWER, ObligingClient};
use toolgate_testkit::gateway::{Gateway, until_async};

use crate::boot;
use crate::outside::{fetched, node};

const START_WAIT: Duration = Duration::from_secs(60);
const PAGE: &str = "<html><head><title>News</title></head><body><p>The gate is open.</p></body></html>";

struct ReferenceClient(RunningService<RoleClient, ObligingClient>);

impl ReferenceClient {
    async fn connect(gateway: &Gateway, lifecycle: ClientLifecycleMode) -> Self {
        let client =
            ObligingClient::default().connect(&gateway.endpoint, Some(&gateway.agent), lifecycle).await;
        Self(client.expect("the client connects"))
    }

    async fn modern(gateway: &Gateway) -> Self {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        Self::connect(gateway, ClientLifecycleMode::Discover { preferred_versions }).await
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self.0.call_tool(params).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        let result = json!(result);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result
    }

    /// All text of the result.
    async fn text(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        let texts =
            result["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    async fn tools(&self) -> Vec<String> {
        let tools = self.0.list_all_tools().await.expect("tools are listed");
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }
}

fn from_npm(name: &str, args: &[&str], more: &str) -> String {
    let script =
        fetched(&format!("npm-servers/node_modules/@modelcontextprotocol/server-{name}/dist/index.js"));
    let args: Vec<&str> =
        std::iter::once(script.to_str().expect("a readable path")).chain(args.iter().copied()).collect();
    format!("[[servers]]\nname = {name:?}\ncommand = {:?}\nargs = {}\n{more}\n", node(), json!(args))
}

fn from_pypi(name: &str, args: &[&str]) -> String {
    let program = fetched(&format!("python-servers/bin/mcp-server-{name}"));
    format!("[[servers]]\nname = {name:?}\ncommand = {program:?}\nargs = {}\n", json!(args))
}

fn text_of(path: &Path) -> String {
    path.to_str().expect("a readable path").to_owned()
}

fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(folder)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A page on this machine, and no `robots.txt`.
async fn serve_page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let read = stream.read(&mut head).await.unwrap_or(0);
            let found = head[..read].starts_with(b"GET /page ");
            let (status, body) = if found { ("200 OK", PAGE) } else { ("404 Not Found", "") };
            let head = "content-type: text/html\r\nconnection: close";
            let answer =
                format!("HTTP/1.1 {status}\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            // A reader that left does not matter to the page.
            drop(stream.write_all(answer.as_bytes()).await);
        }
    });
    format!("http://{address}/page")
}

/// Files, a git repository and a place for memories.
struct Desk(tempfile::TempDir);

impl Desk {
    fn lay() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["files", "repository"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let desk = Self(folder);
        std::fs::write(desk.path("files/note.txt"), "Milk, eggs, a gateway").expect("a file");
        let repository = desk.path("repository");
        git(&repository, &["init", "--quiet"]);
        std::fs::write(repository.join("README"), "Hello").expect("a file");
        git(&repository, &["add", "README"]);
        git(&repository, &["commit", "--quiet", "--message", "Say hello"]);
        desk
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn servers(&self) -> String {
        let memory = format!("env = {{ MEMORY_FILE_PATH = {:?} }}", self.path("memory.jsonl"));
        let given = "env = { GIVEN = \"on purpose\" }\nsampling = true";
        [
            from_npm("everything", &["stdio"], given),
            from_npm("filesystem", &[&text_of(&self.path("files"))], ""),
            from_npm("memory", &[], &memory),
            from_pypi("git", &["--repository", &text_of(&self.path("repository"))]),
            from_pypi("time", &["--local-timezone", "Europe/Berlin"]),
            from_pypi("fetch", &["--allow-private-ips"]),
        ]
        .concat()
    }
}

#[tokio::test]
async fn reference_servers_work_side_by_side() {
    let desk = Desk::lay();
    let gateway = boot(&desk.servers());
    let client = ReferenceClient::modern(&gateway).await;
    wait_for_all(&client).await;

    use_files(&client, &desk).await;
    use_git(&client, &desk).await;
    use_memory(&client, &desk).await;
    use_time(&client).await;
    use_fetch(&client).await;
    use_everything(&client).await;
    let older = ReferenceClient::connect(&gateway, ClientLifecycleMode::Initialize).await;
    use_everything(&older).await;
    all_are_healthy(&gateway);
}

async fn wait_for_all(client: &ReferenceClient) {
    let wanted = [
        "everything__echo",
        "everything__trigger-elicitation-request",
        "everything__trigger-sampling-request",
        "fetch__fetch",
        "filesystem__read_text_file",
        "git__git_log",
        "memory__create_entities",
        "time__get_current_time",
    ];
    let missing = || async {
        let tools = client.tools().await;
        wanted.iter().all(|name| tools.iter().any(|tool| tool == name)).then_some(())
    };
    assert!(
        until_async(START_WAIT, missing).await.is_some(),
        "not all of {wanted:?} in {:?}",
        client.tools().await
    );
}

async fn use_files(client: &ReferenceClient, desk: &Desk) {
    let note = text_of(&desk.path("files/note.txt"));
    assert_eq!(
        client.text("filesystem__read_text_file", json!({ "path": note })).await,
        "Milk, eggs, a gateway"
    );
    let written = desk.path("files/written.txt");
    client
        .call("filesystem__write_file", json!({ "path": text_of(&written), "content": "By an agent" }))
        .await;
    assert_eq!(std::fs::read_to_string(&written).expect("the file was written"), "By an agent");
}

async fn use_git(client: &ReferenceClient, desk: &Desk) {
    let repository = text_of(&desk.path("repository"));
    let log = client.text("git__git_log", json!({ "repo_path": repository, "max_count": 3 })).await;
    assert!(log.contains("Say hello") && log.contains("Ada"), "{log}");
}

async fn use_memory(client: &ReferenceClient, desk: &Desk) {
    let entity = json!({ "name": "Ada", "entityType": "person", "observations": ["writes programs"] });
    client.call("memory__create_entities", json!({ "entities": [entity] })).await;
    let found = client.text("memory__search_nodes", json!({ "query": "programs" })).await;
    assert!(found.contains("Ada"), "{found}");
    let kept = std::fs::read_to_string(desk.path("memory.jsonl"))
        .expect("memories are kept in the file it was given");
    assert!(kept.contains("writes programs"), "{kept}");
}

async fn use_time(client: &ReferenceClient) {
    let now = client.text("time__get_current_time", json!({ "timezone": "Asia/Tokyo" })).await;
    assert!(now.contains("Asia/Tokyo") && now.contains("+09:00"), "{now}");
}

async fn use_fetch(client: &ReferenceClient) {
    let url = serve_page().await;
    // Raw: to simplify a page, the server would first install its own packages.
    let page = client.text("fetch__fetch", json!({ "url": url, "raw": true })).await;
    assert!(page.contains("The gate is open."), "{page}");
}

async fn use_everything(client: &ReferenceClient) {
    assert_eq!(client.text("everything__echo", json!({ "message": "hello" })).await, "Echo: hello");
    let sum = client.text("everything__get-sum", json!({ "a": 19, "b": 23 })).await;
    assert!(sum.contains("42"), "{sum}");

    // A child knows its own environment, and nothing else of the gateway's.
    let environment = client.text("everything__get-env", json!({})).await;
    assert!(environment.contains("on purpose") && !environment.contains("CARGO"), "{environment}");

    let operation = json!({ "duration": 0.3, "steps": 3 });
    client.call("everything__trigger-long-running-operation", operation).await;
    let reports =
        client.0.service().methods().iter().filter(|method| **method == "notifications/progress").count();
    assert!(reports >= 3, "{reports} reports of progress");

    let form = client.text("everything__trigger-elicitation-request", json!({})).await;
    assert!(form.contains("It was a dark and stormy night."), "{form}");
    let spoken = client
        .text("everything__trigger-sampling-request", json!({ "prompt": "Hello?", "maxTokens": 10 }))
        .await;
    assert!(spoken.contains(MODEL_ANSWER), "{spoken}");

    let resources = client.0.list_all_resources().await.expect("resources are listed");
    assert!(!resources.is_empty());
    let prompts = client.0.list_all_prompts().await.expect("prompts are listed");
    assert!(prompts.iter().any(|prompt| prompt.name.starts_with("everything__")), "{prompts:?}");
}

fn all_are_healthy(gateway: &Gateway) {
    let output = gateway.cli(&["servers", "list", "--json"]);
    let servers: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let servers = servers.as_array().expect("a list");
    assert_eq!(servers.len(), 6);
    for server in servers {
        assert_eq!(server["state"], "healthy", "{server}");
    }
}
