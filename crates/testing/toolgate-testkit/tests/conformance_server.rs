//! The conforming server as a program, tested with a client of each era. `tests/conformance/run fixture` runs
//! the official suite against it.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::process::Stdio;
use std::time::Duration;

use capability_testkit::speak_with;
use rmcp::model::{CallToolRequestParams, ProtocolVersion, SubscriptionFilter};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use toolgate_testkit::conformance::client::{MODEL_ANSWER, ObligingClient, ROOT_URI};

const SERVER: &str = env!("CARGO_BIN_EXE_conformance-server");
const LIMIT: Duration = Duration::from_secs(20);

type ConformanceClient = RunningService<RoleClient, ObligingClient>;

/// A running program; killed when the test is done with it.
struct Http {
    url: String,
    _process: Child,
}

async fn serve_http(flags: &[&str]) -> Http {
    let mut process =
        Command::new(SERVER).args(flags).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(LIMIT, lines.next_line()).await.unwrap().unwrap().unwrap();
    Http { url: line.strip_prefix("listening on ").unwrap().to_owned(), _process: process }
}

async fn over_stdio(flags: &[&str], lifecycle: ClientLifecycleMode) -> ConformanceClient {
    let mut command = Command::new(SERVER);
    command.arg("--stdio").args(flags);
    let transport = speak_with(command);
    ObligingClient::default().serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

async fn over_http(server: &Http, lifecycle: ClientLifecycleMode) -> ConformanceClient {
    ObligingClient::default().connect(&server.url, None, lifecycle).await.unwrap()
}

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn probing() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

fn version(client: &ConformanceClient) -> ProtocolVersion {
    client.peer_info().unwrap().protocol_version.clone()
}

async fn call(client: &ConformanceClient, tool: &'static str) -> String {
    let call = client.call_tool(CallToolRequestParams::new(tool));
    let result = tokio::time::timeout(LIMIT, call).await.unwrap().unwrap();
    result.content[0].as_text().unwrap().text.clone()
}

/// Every kind of question, one tool that asks twice, and one that keeps state in between.
async fn check_questions(client: &ConformanceClient) {
    assert_eq!(call(client, "test_input_required_result_elicitation").await, "Hello, example!");
    assert_eq!(call(client, "test_input_required_result_sampling").await, MODEL_ANSWER);
    assert!(call(client, "test_roots").await.contains(ROOT_URI));
    assert_eq!(call(client, "test_input_required_result_multi_round").await, "example likes example");
    assert!(call(client, "test_input_required_result_request_state").await.starts_with("state-ok"));
    let defaults = call(client, "test_elicitation_sep1034_defaults").await;
    assert!(defaults.contains(r#""score":95.5"#), "{defaults}");
}

#[tokio::test]
async fn questions_are_answered_in_both_eras_over_stdio() {
    check_questions(&over_stdio(&[], ClientLifecycleMode::Initialize).await).await;
    check_questions(&over_stdio(&[], modern()).await).await;
}

#[tokio::test]
async fn questions_are_answered_in_both_eras_over_http() {
    let server = serve_http(&[]).await;
    check_questions(&over_http(&server, ClientLifecycleMode::Initialize).await).await;
    check_questions(&over_http(&server, modern()).await).await;
}

#[tokio::test]
async fn a_probing_client_finds_the_only_era_there_is() {
    for (flag, expected) in
        [("--legacy-only", ProtocolVersion::V_2025_11_25), ("--modern-only", ProtocolVersion::V_2026_07_28)]
    {
        assert_eq!(version(&over_stdio(&[flag], probing()).await), expected);
        assert_eq!(version(&over_http(&serve_http(&[flag]).await, probing()).await), expected);
    }
}

#[tokio::test]
async fn the_other_era_is_refused() {
    let legacy = serve_http(&["--legacy-only"]).await;
    assert!(ObligingClient::default().connect(&legacy.url, None, modern()).await.is_err());
    let modern = serve_http(&["--modern-only"]).await;
    let initialize = ClientLifecycleMode::Initialize;
    assert!(ObligingClient::default().connect(&modern.url, None, initialize).await.is_err());
}

#[tokio::test]
async fn a_session_hears_of_changed_lists_and_watched_resources() {
    let server = serve_http(&[]).await;
    let client = over_http(&server, ClientLifecycleMode::Initialize).await;
    let before = client.list_all_tools().await.unwrap().len();
    #[expect(deprecated, reason = "the session era knows no other way to watch")]
    client.subscribe(rmcp::model::SubscribeRequestParams::new("test://watched-resource")).await.unwrap();
    for (tool, method) in [
        ("test_trigger_tool_change", "notifications/tools/list_changed"),
        ("test_trigger_prompt_change", "notifications/prompts/list_changed"),
        ("test_trigger_resource_change", "notifications/resources/list_changed"),
        ("test_trigger_resource_update", "notifications/resources/updated"),
    ] {
        call(&client, tool).await;
        assert!(client.service().hears(method, LIMIT).await, "{method} after {tool}");
    }
    assert_eq!(client.list_all_tools().await.unwrap().len(), before + 1);
}

#[tokio::test]
async fn a_subscription_hears_what_it_asked_for() {
    let server = serve_http(&[]).await;
    let client = over_http(&server, modern()).await;
    let filter = SubscriptionFilter::builder().prompts_list_changed().build();
    let mut subscription = client.listen(filter).await.unwrap();
    call(&client, "test_trigger_tool_change").await;
    call(&client, "test_trigger_prompt_change").await;
    let news = tokio::time::timeout(LIMIT, subscription.next()).await.unwrap().unwrap().unwrap();
    let news = serde_json::to_value(news).unwrap();
    assert_eq!(news["method"], "notifications/prompts/list_changed");
}

#[tokio::test]
async fn a_cut_stream_still_delivers_its_result() {
    let server = serve_http(&[]).await;
    let client = over_http(&server, ClientLifecycleMode::Initialize).await;
    assert_eq!(call(&client, "test_reconnection").await, "Reconnection test completed successfully");
}

#[tokio::test]
async fn pages_add_up_to_the_whole_list() {
    let whole = over_stdio(&[], ClientLifecycleMode::Initialize).await;
    let paged = over_stdio(&["--page-size", "3"], ClientLifecycleMode::Initialize).await;
    assert_eq!(paged.list_tools(None).await.unwrap().tools.len(), 3);
    assert_eq!(paged.list_all_tools().await.unwrap(), whole.list_all_tools().await.unwrap());
    assert_eq!(paged.list_all_prompts().await.unwrap(), whole.list_all_prompts().await.unwrap());
}
