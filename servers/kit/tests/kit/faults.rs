//! Tools that fail in every possible way: each is a clear error, and the next call works.

use nix::sys::signal::Signal;
use serde_json::json;

use super::drive::{ERAS, KitClient, KitEra, eventually, is_alive, over_stdio, send_signal, serve};

const LIMITS: [&str; 2] = ["--memory-mib", "512"];

async fn lives_through_everything(client: &KitClient) {
    for (tool, arguments, code, words) in [
        ("panic", json!({}), "crashed", "failed on this input"),
        ("exit", json!({}), "crashed", "crashed on this input; the server keeps running"),
        ("eat", json!({}), "crashed", "needed more than its limit of 512 MiB of memory"),
        ("dive", json!({}), "crashed", "nested too deeply"),
        ("hurry", json!({"ms": 60_000}), "timed_out", "took longer than 0.5 s"),
        ("flood", json!({}), "too_large", "exceeds the limit of 16 MiB"),
        ("missing", json!({}), "unavailable", "the frobnicator is not installed"),
        ("echo", json!({"txt": "x"}), "bad_arguments", "unknown field `txt`"),
        ("measure", json!({}), "bad_arguments", "no file was passed"),
        ("measure", json!({"source_ref_id": "doc_1"}), "unknown_ref", "this server has no ref \"doc_1\""),
    ] {
        let (said_code, text) = client.trouble(tool, arguments).await;
        assert_eq!(said_code, code, "{tool}: {text}");
        assert!(text.contains(words) && text.contains("\nhint: "), "{tool}: {text}");
        client.is_well().await;
    }
}

#[tokio::test]
async fn every_fault_is_a_clear_error_and_the_next_call_works_on_stdio() {
    lives_through_everything(&over_stdio(KitEra::Initialize, &LIMITS).await).await;
}

#[tokio::test]
async fn every_fault_is_a_clear_error_and_the_next_call_works_over_http() {
    let server = serve(&LIMITS).await;
    lives_through_everything(&server.client(KitEra::Modern).await).await;
    for (reason, ends) in
        [("out_of_memory", 1.0), ("out_of_stack", 1.0), ("timed_out", 1.0), ("panicked", 1.0)]
    {
        let counted = server.metric(&format!("capability_worker_ends_total{{reason=\"{reason}\"}}")).await;
        assert_eq!(counted, ends, "{reason}");
    }
    assert_eq!(server.metric("capability_calls_total{tool=\"eat\",outcome=\"crashed\"}").await, 1.0);
}

#[tokio::test]
async fn a_call_that_never_ends_is_stopped() {
    let client = over_stdio(KitEra::Modern, &["--timeout-seconds", "1"]).await;
    let (code, text) = client.trouble("spin", json!({})).await;
    assert_eq!(code, "timed_out");
    assert!(text.starts_with("spin was stopped because it took longer than 1 s\nhint: "), "{text}");
    client.worker().await;
}

#[tokio::test]
async fn a_fault_of_one_call_does_not_touch_another() {
    for era in ERAS {
        let client = over_stdio(era, &["--workers", "2", "--memory-mib", "512"]).await;
        let (slept, (code, _)) =
            tokio::join!(client.answer("sleep", json!({"ms": 700})), client.trouble("exit", json!({})));
        assert!(slept["worker"].is_u64() && code == "crashed");
        client.is_well().await;
    }
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let client = over_stdio(KitEra::Modern, &[]).await;
    let error = client.try_call("nope", json!({})).await.unwrap_err().to_string();
    assert!(error.contains("Unknown tool: nope") && error.contains("hint: the tools are echo,"), "{error}");
    client.is_well().await;
}

#[tokio::test]
async fn what_a_library_prints_does_not_disturb_the_answer() {
    let client = over_stdio(KitEra::Initialize, &[]).await;
    assert_eq!(client.answer("chatter", json!({})).await, json!({}));
    client.is_well().await;
}

#[tokio::test]
async fn a_worker_that_panicked_is_replaced_with_what_it_started() {
    let client = over_stdio(KitEra::Initialize, &["--workers", "1"]).await;
    let worker = client.worker().await;
    let program = client.answer("program", json!({})).await["worker"].as_u64().unwrap() as u32;
    assert!(is_alive(program));
    client.trouble("panic", json!({})).await;
    eventually("both are gone", async || !is_alive(worker) && !is_alive(program)).await;
    assert_ne!(client.worker().await, worker);
}

#[tokio::test]
async fn a_worker_that_was_killed_while_it_waited_is_replaced_unnoticed() {
    let client = over_stdio(KitEra::Initialize, &["--workers", "1"]).await;
    send_signal(client.worker().await, Signal::SIGKILL);
    client.is_well().await;
}

/// It is sure not to have begun: it is held up before it can read its job.
#[tokio::test]
async fn a_worker_that_dies_with_a_job_it_never_began_is_replaced_unnoticed() {
    let server = serve(&["--workers", "1"]).await;
    let client = server.client(KitEra::Modern).await;
    let worker = client.worker().await;
    send_signal(worker, Signal::SIGSTOP);
    let killed = async {
        eventually("it has a job", async || server.metric("capability_busy_workers").await == 1.0).await;
        send_signal(worker, Signal::SIGKILL);
    };
    tokio::join!(client.is_well(), killed);
    assert_eq!(server.metric("capability_worker_ends_total{reason=\"lost\"}").await, 1.0);
}

/// Over HTTP, a cancellation may overtake its call: the call has to have arrived.
async fn cancelling_ends_the_worker(client: &KitClient, has_arrived: impl AsyncFn() -> bool) {
    let worker = client.worker().await;
    let call = client.begin("spin", json!({})).await;
    eventually("it has arrived", has_arrived).await;
    call.cancel(Some("enough".to_owned())).await.unwrap();
    eventually("the worker is gone", async || !is_alive(worker)).await;
    client.is_well().await;
}

#[tokio::test]
async fn cancelling_a_call_ends_its_worker() {
    let client = over_stdio(KitEra::Initialize, &["--workers", "1"]).await;
    cancelling_ends_the_worker(&client, async || true).await;
    let server = serve(&["--workers", "1"]).await;
    for era in ERAS {
        let is_busy = async || server.metric("capability_busy_workers").await == 1.0;
        cancelling_ends_the_worker(&server.client(era).await, is_busy).await;
    }
    assert_eq!(server.metric("capability_calls_total{tool=\"spin\",outcome=\"cancelled\"}").await, 2.0);
}

#[tokio::test]
async fn a_client_that_hangs_up_ends_its_call() {
    let server = serve(&["--workers", "1"]).await;
    let worker = server.client(KitEra::Modern).await.worker().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "spin", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {} } } });
    let request = reqwest::Client::new()
        .post(&server.url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "spin")
        .body(body.to_string());
    let request = tokio::spawn(request.send());
    eventually("it is busy", async || server.metric("capability_busy_workers").await == 1.0).await;
    request.abort();
    eventually("the worker is gone", async || !is_alive(worker)).await;
    eventually("nobody is busy", async || server.metric("capability_busy_workers").await == 0.0).await;
}
