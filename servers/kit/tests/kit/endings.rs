//! The ends of servers, and that nothing is left of them.

use nix::sys::signal::Signal;
use serde_json::json;

use super::drive::{KitEra, LIMIT, children_of, command, eventually, is_alive, serve};

#[tokio::test]
async fn a_server_told_to_stop_lets_calls_finish_and_takes_no_more() {
    let mut server = serve(&["--workers", "2"]).await;
    let (client, other) = (server.client(KitEra::Modern).await, server.client(KitEra::Modern).await);
    let workers = children_of(server.id());
    let stop = async {
        eventually("it is busy", async || server.metric("capability_busy_workers").await == 1.0).await;
        server.signal(Signal::SIGTERM);
        eventually("it is stopping", async || server.get("/healthz").await == (503, "stopping\n".to_owned()))
            .await;
        other.trouble("echo", json!({"text": "x"})).await
    };
    let (slept, (code, text)) = tokio::join!(client.answer("sleep", json!({"ms": 2000})), stop);
    assert!(slept["worker"].is_u64());
    assert_eq!(
        (code.as_str(), text.as_str()),
        ("busy", "the server is stopping\nhint: try again in a few seconds")
    );
    let status = tokio::time::timeout(LIMIT, server.process.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
    eventually("no worker is left", async || !workers.iter().any(|id| is_alive(*id))).await;
    assert_eq!(server.folder.path().read_dir().unwrap().count(), 0, "the folder of refs is gone");
}

#[tokio::test]
async fn nothing_is_left_of_a_server_that_was_killed() {
    let mut server = serve(&["--workers", "2"]).await;
    let client = server.client(KitEra::Initialize).await;
    let program = client.answer("program", json!({})).await["worker"].as_u64().unwrap() as u32;
    let _spinning = client.begin("spin", json!({})).await;
    eventually("it is busy", async || server.metric("capability_busy_workers").await == 1.0).await;
    let workers = children_of(server.id());
    assert!(!workers.is_empty() && workers.iter().all(|id| is_alive(*id)));
    server.process.kill().await.unwrap();
    eventually("no worker is left", async || !workers.iter().any(|id| is_alive(*id))).await;
    eventually("nor what it started", async || !is_alive(program)).await;
}

#[tokio::test]
async fn a_client_that_closes_stdin_ends_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(&[]);
    command
        .env("TMPDIR", folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null());
    let mut process = command.spawn().unwrap();
    let id = process.id().unwrap();
    eventually("a worker is prepared", async || children_of(id).len() == 1).await;
    let worker = children_of(id)[0];
    drop(process.stdin.take());
    let status = tokio::time::timeout(LIMIT, process.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
    eventually("no worker is left", async || !is_alive(worker)).await;
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
