//! A real bucket.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use capability_testkit::base64;
use serde_json::{Value, json};

use crate::drive::{Connector, start};

struct TestBucket {
    endpoint: String,
    name: String,
    access_key: String,
    secret_key: String,
    prefix: String,
}

impl TestBucket {
    /// A part of the bucket for this test alone.
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let words: Vec<String> = shared_server().split_whitespace().map(str::to_owned).collect();
        let [endpoint, name, access_key, secret_key] = words.try_into().unwrap();
        let prefix = format!("connectors-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self { endpoint, name, access_key, secret_key, prefix }
    }

    async fn connector(&self, more: &[&str]) -> Connector {
        let mut arguments =
            vec!["s3", "--bucket", &self.name, "--endpoint", &self.endpoint, "--prefix", &self.prefix];
        arguments.push("--without-tls");
        arguments.extend(more);
        let secrets = [
            ("CONNECTORS_ACCESS_KEY_ID", self.access_key.as_str()),
            ("CONNECTORS_SECRET_ACCESS_KEY", &self.secret_key),
        ];
        start(&arguments, &secrets).await
    }
}

/// The server that `script/test` has started, or one that is started now and stays.
#[expect(clippy::disallowed_methods, reason = "`script/test` says in the environment where it is")]
fn shared_server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| std::env::var("TOOLGATE_TEST_S3").unwrap_or_else(|_| start_server()))
}

fn start_server() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../script/s3");
    let started = std::process::Command::new(script).arg("start").output().unwrap();
    assert!(started.status.success(), "there is no S3 server for the tests: {started:?}");
    String::from_utf8(started.stdout).unwrap().trim().lines().last().unwrap().to_owned()
}

#[tokio::test]
async fn objects_are_written_listed_and_read() {
    let bucket = TestBucket::new();
    let connector = bucket.connector(&["--allow-put"]).await;
    for at in 0..3 {
        let key = format!("reports/{at} ä.txt");
        connector.answer("put_object", json!({ "key": key, "text": format!("number {at}") })).await;
    }
    let file =
        json!({ "key": "raw.bin", "file_data": base64(&[0, 255, 1]), "file_type": "application/x-raw" });
    assert_eq!(connector.answer("put_object", file).await["bytes"], 3);
    let listed = connector.answer("list_objects", json!({ "folder": "reports", "limit": 2 })).await;
    assert_eq!(listed["objects"][1]["key"], "reports/1 ä.txt");
    assert_eq!(listed["next"], "reports/1 ä.txt");
    let rest =
        connector.answer("list_objects", json!({ "folder": "reports", "after": listed["next"] })).await;
    assert_eq!((rest["objects"].as_array().unwrap().len(), &rest["objects"][0]["bytes"]), (1, &json!(8)));
    let read = connector.client.call("read_object", json!({ "key": "raw.bin" })).await;
    assert_eq!(read.structured_content.as_ref().unwrap()["media_type"], "application/x-raw", "{read:?}");
    let file = serde_json::to_value(read.content.last().unwrap()).unwrap();
    assert_eq!(file["resource"]["blob"], base64(&[0, 255, 1]), "{file}");
}

#[tokio::test]
async fn an_object_is_kept_and_the_same_call_writes_once() {
    let bucket = TestBucket::new();
    let connector = bucket.connector(&["--allow-put"]).await;
    let put = json!({ "key": "a.txt", "text": "first" });
    assert_eq!(connector.named_call("call_1", "put_object", put.clone()).await.unwrap()["repeated"], false);
    assert_eq!(connector.named_call("call_1", "put_object", put).await.unwrap()["repeated"], true);
    let other = json!({ "key": "a.txt", "text": "second" });
    let (code, _) = connector.named_call("call_2", "put_object", other.clone()).await.unwrap_err();
    assert_eq!(code, "conflict");
    let mut over = other;
    over["overwrite"] = true.into();
    let (code, text) = connector.refusal("put_object", over.clone()).await;
    assert!(code == "bad_arguments" && text.contains("--allow-overwrite"), "{text}");
    let bold = bucket.connector(&["--allow-put", "--allow-overwrite"]).await;
    bold.answer("put_object", over).await;
    assert_eq!(bold.answer("read_object", json!({ "key": "a.txt" })).await["bytes"], 6);
}

#[tokio::test]
async fn what_is_not_allowed_is_not_there_and_what_is_too_large_is_refused() {
    let bucket = TestBucket::new();
    let reading = bucket.connector(&[]).await;
    assert!(reading.client.try_call("put_object", json!({ "key": "a", "text": "b" })).await.is_err());
    let connector = bucket.connector(&["--allow-put", "--object-mib", "1"]).await;
    let large = json!({ "key": "large", "text": "x".repeat((1 << 20) + 1) });
    assert_eq!(connector.refusal("put_object", large.clone()).await.0, "too_large");
    bucket.connector(&["--allow-put"]).await.answer("put_object", large).await;
    let (code, text) = connector.refusal("read_object", json!({ "key": "large" })).await;
    assert!(code == "too_large" && text.contains("1048577"), "{text}");
    for key in ["", "../a", "a//b", "a/./b"] {
        assert_eq!(connector.refusal("read_object", json!({ "key": key })).await.0, "bad_arguments", "{key}");
    }
    assert_eq!(connector.refusal("read_object", json!({ "key": "missing" })).await.0, "bad_arguments");
}

#[tokio::test]
async fn a_wrong_key_and_a_server_that_hangs_are_said() {
    let bucket = TestBucket { secret_key: "wrong-secret".to_owned(), ..TestBucket::new() };
    let (code, text) = bucket.connector(&[]).await.refusal("list_objects", json!({})).await;
    assert!(
        code == "locked" && text.contains("CONNECTORS_SECRET_ACCESS_KEY") && !text.contains("wrong-secret"),
        "{text}"
    );
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let bucket = TestBucket { endpoint, ..TestBucket::new() };
    let (code, text) =
        bucket.connector(&["--silence-seconds", "1"]).await.refusal("list_objects", json!({})).await;
    assert_eq!(code, "unavailable", "{text}");
}

#[tokio::test]
async fn a_preview_shows_the_request_and_writes_nothing() {
    let bucket = TestBucket::new();
    let connector = bucket.connector(&["--allow-put"]).await;
    let asked = json!({ "name": "put_object", "arguments": { "key": "a.txt", "text": "hello" } });
    let shown = connector.privately("toolgate/preview", asked).await.unwrap();
    assert_eq!(shown["request"]["method"], "PUT");
    assert_eq!(
        shown["request"]["url"],
        format!("{}/{}/{}/a.txt", bucket.endpoint, bucket.name, bucket.prefix)
    );
    assert_eq!(
        (&shown["request"]["body_text"], &shown["request"]["body_bytes"]),
        (&json!("hello"), &json!(5))
    );
    assert!(!shown.to_string().contains(&bucket.secret_key));
    let by_id = json!({ "name": "put_object", "arguments": { "key": "a.txt", "file_id": "file_1" } });
    assert!(
        connector.privately("toolgate/preview", by_id).await.unwrap()["text"]
            .as_str()
            .unwrap()
            .contains("file_1")
    );
    assert_eq!(connector.answer("list_objects", json!({})).await["objects"], json!([]));
}

#[tokio::test]
async fn a_bucket_is_a_stream_of_what_has_changed() {
    let bucket = TestBucket::new();
    let connector = bucket.connector(&["--allow-put"]).await;
    connector.answer("put_object", json!({ "key": "a/1.txt", "text": "x" })).await;
    let (records, last) = connector.records("objects", Value::Null).await;
    assert_eq!(
        (records.len(), &records[0]["key"], &records[0]["value"]["bytes"]),
        (1, &json!("a/1.txt"), &json!(1))
    );
    let mut later = last["cursor"].clone();
    later["modified_ms"] = (later["modified_ms"].as_i64().unwrap() + 1).into();
    let (none, _) = connector.records("objects", later).await;
    assert_eq!(none, Vec::<Value>::new());
    assert!(
        connector
            .privately("toolgate/stream", json!({ "stream": "other" }))
            .await
            .unwrap_err()
            .contains("objects")
    );
}
