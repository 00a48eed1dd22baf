//! The limits on calls, sizes, and memory.

use std::collections::BTreeSet;

use nix::sys::signal::Signal;
use serde_json::json;

use super::drive::{ERAS, KitClient, KitEra, eventually, is_alive, over_stdio, send_signal, serve};

/// The only worker of a server, stopped until this is dropped: it keeps its call however slow the machine is.
struct StoppedWorker(u32);

impl StoppedWorker {
    async fn of(client: &KitClient) -> Self {
        let worker = client.worker().await;
        send_signal(worker, Signal::SIGSTOP);
        Self(worker)
    }
}

impl Drop for StoppedWorker {
    fn drop(&mut self) {
        send_signal(self.0, Signal::SIGCONT);
    }
}

#[tokio::test]
async fn as_many_calls_as_there_are_workers_are_worked_on_at_once() {
    let server = serve(&["--workers", "2"]).await;
    let client = server.client(KitEra::Modern).await;
    let call = || client.answer("sleep", json!({"ms": 2000}));
    let busy = eventually("two work and one waits", async || {
        server.metric("capability_busy_workers").await == 2.0
            && server.metric("capability_waiting_calls").await == 1.0
    });
    let (one, two, three, ()) = tokio::join!(call(), call(), call(), busy);
    let workers: BTreeSet<_> = [one, two, three].iter().map(|slept| slept["worker"].as_u64()).collect();
    assert_eq!(workers.len(), 2);
    assert_eq!(server.metric("capability_call_seconds_count{tool=\"sleep\"}").await, 3.0);
}

#[tokio::test]
async fn calls_beyond_the_queue_are_refused() {
    let server = serve(&["--workers", "1", "--queue", "1"]).await;
    let client = server.client(KitEra::Modern).await;
    let worker = StoppedWorker::of(&client).await;
    let call = || client.is_well();
    let refused = async {
        eventually("one waits", async || server.metric("capability_waiting_calls").await == 1.0).await;
        let trouble = client.trouble("echo", json!({"text": "x"})).await;
        drop(worker);
        trouble
    };
    let ((), (), (code, text)) = tokio::join!(call(), call(), refused);
    assert_eq!(code, "busy");
    assert!(text.starts_with("1 calls are running and 1 are waiting\nhint: try again"), "{text}");
    client.is_well().await;
}

#[tokio::test]
async fn calls_that_wait_hold_only_so_much() {
    let server = serve(&["--workers", "1", "--input-mib", "1"]).await;
    let client = server.client(KitEra::Modern).await;
    let text = "x".repeat(2 << 20);
    let worker = StoppedWorker::of(&client).await;
    let mut calls = vec![client.begin("echo", json!({"text": "x"})).await];
    eventually("one works", async || server.metric("capability_busy_workers").await == 1.0).await;
    for waiting in 1..=4 {
        calls.push(client.begin("echo", json!({"text": text})).await);
        let waiting = f64::from(waiting);
        eventually("it waits", async || server.metric("capability_waiting_calls").await == waiting).await;
    }
    let (code, refusal) = client.trouble("echo", json!({"text": text})).await;
    assert_eq!(code, "busy", "{refusal}");
    drop(worker);
    for call in calls {
        call.await_response().await.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_waits_can_be_cancelled() {
    let server = serve(&["--workers", "1", "--queue", "1"]).await;
    let client = server.client(KitEra::Initialize).await;
    let waiting = async |count| server.metric("capability_waiting_calls").await == count;
    let worker = StoppedWorker::of(&client).await;
    let first = client.begin("echo", json!({"text": "x"})).await;
    eventually("one works", async || server.metric("capability_busy_workers").await == 1.0).await;
    let second = client.begin("echo", json!({"text": "y"})).await;
    eventually("one waits", async || waiting(1.0).await).await;
    second.cancel(None).await.unwrap();
    eventually("nobody waits", async || waiting(0.0).await).await;
    drop(worker);
    first.await_response().await.unwrap();
}

async fn takes_up_to_three_mib(client: &KitClient) {
    let file = |bytes: usize| {
        let data = base64_simd::STANDARD.encode_to_string(vec![7; bytes]);
        json!({"file_data": data, "file_type": "x"})
    };
    assert_eq!(client.answer("measure", file(3 << 20)).await, json!({"bytes": 3 << 20, "media_type": "x"}));
    let (code, text) = client.trouble("measure", file(5 << 20)).await;
    assert_eq!(code, "too_large");
    assert!(text.contains("exceed the limit of 3 MiB\nhint: "), "{text}");
    client.is_well().await;
}

#[tokio::test]
async fn input_up_to_the_limit_is_taken_and_more_is_refused_in_words() {
    let server = serve(&["--input-mib", "3"]).await;
    for era in ERAS {
        takes_up_to_three_mib(&over_stdio(era, &["--input-mib", "3"]).await).await;
        takes_up_to_three_mib(&server.client(era).await).await;
    }
}

#[tokio::test]
async fn an_absurd_body_is_not_even_read() {
    let server = serve(&["--input-mib", "1"]).await;
    let client = server.client(KitEra::Modern).await;
    let refused = client.try_call("echo", json!({"text": "x".repeat(16 << 20)})).await;
    assert!(refused.is_err(), "{refused:?}");
    client.is_well().await;
}

#[tokio::test]
async fn a_worker_that_holds_too_much_is_replaced_after_its_answer() {
    let client = over_stdio(KitEra::Initialize, &["--workers", "1", "--memory-mib", "512"]).await;
    let first = client.answer("grow", json!({"mib": 10})).await["worker"].as_u64().unwrap() as u32;
    assert_eq!(client.worker().await, first, "little is no reason");
    client.answer("grow", json!({"mib": 270})).await;
    eventually("it is gone", async || !is_alive(first)).await;
    assert_ne!(client.worker().await, first);
}
