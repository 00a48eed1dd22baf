//! Starting the server, and waiting for jobs.

use std::path::Path;
use std::time::{Duration, Instant};

use capability_testkit::{Client, server};
use serde_json::{Value, json};

const WAIT: Duration = Duration::from_secs(60);

/// With jobs in this folder, and videos from this machine allowed.
pub(crate) async fn start(jobs: &Path) -> Client {
    start_with(jobs, &["--private-hosts", "127.0.0.1"]).await
}

pub(crate) async fn start_with(jobs: &Path, arguments: &[&str]) -> Client {
    let jobs = ["--jobs", jobs.to_str().unwrap()];
    Client::start(server(env!("CARGO_BIN_EXE_video-subtitle-mcp"), &[&jobs, arguments].concat())).await
}

/// The job when it is over.
pub(crate) async fn over(client: &Client, job: &Value) -> Value {
    let begin = Instant::now();
    loop {
        let answer = client.answer("get_job", json!({ "job_id": job })).await;
        if !matches!(answer["state"].as_str(), Some("queued" | "running")) {
            return answer;
        }
        assert!(begin.elapsed() < WAIT, "the job does not end: {answer}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
