//! A client on the side of the model, of either era: every byte that it sends or receives is kept.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use crate::doors::WAIT;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClientEra {
    Newer,
    Older,
}

pub(crate) struct Model {
    client: HttpClient,
    era: ClientEra,
    next: AtomicU64,
    tape: Mutex<Vec<u8>>,
}

impl Model {
    pub(crate) async fn open(era: ClientEra, endpoint: &str, token: &str) -> Self {
        let mut client = HttpClient::new(endpoint, token);
        if era == ClientEra::Older {
            client.initialize("2025-11-25").await;
        }
        Self { client, era, next: AtomicU64::new(1), tape: Mutex::default() }
    }

    /// Everything that was sent and received so far: addresses, headers but the token, bodies.
    pub(crate) fn heard(&self) -> Vec<u8> {
        self.tape.lock().clone()
    }

    fn keep(&self, bytes: &[u8]) {
        let mut tape = self.tape.lock();
        tape.extend_from_slice(bytes);
        tape.push(b'\n');
    }

    /// The response to a request.
    pub(crate) async fn response(&self, method: &str, params: Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let request = match self.era {
            ClientEra::Newer => self.client.modern_request(id, method, params),
            ClientEra::Older => {
                let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
                self.client.legacy_post().body(body.to_string())
            }
        };
        let answer = tokio::time::timeout(WAIT, self.exchange(request)).await;
        answer.unwrap_or_else(|_| panic!("{method} was never answered")).response()
    }

    async fn exchange(&self, request: reqwest::RequestBuilder) -> HttpAnswer {
        let request = request.build().expect("a request");
        self.keep(request.url().as_str().as_bytes());
        self.keep(request.body().and_then(reqwest::Body::as_bytes).expect("the body is in memory"));
        let response = self.client.http.execute(request).await.expect("the gateway answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        self.keep(format!("{headers:?}").as_bytes());
        let body = response.bytes().await.expect("the body can be read");
        self.keep(&body);
        HttpAnswer { status, headers, text: String::from_utf8(body.to_vec()).expect("bodies are text") }
    }

    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let mut response = self.response(method, params).await;
        assert!(response.get("result").is_some(), "no result: {response}");
        response["result"].take()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// A successful call, and its size in the context: its arguments, and the part of the result that a model
    /// reads.
    pub(crate) async fn hop(&self, tool: &str, arguments: Value) -> (Value, usize) {
        let given = arguments.to_string().len();
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        let read = result["content"].to_string().len();
        (result, given + read)
    }
}

/// A client of the older era with this client's token and address.
pub(crate) async fn older(client: &HttpClient) -> HttpClient {
    let mut older = client.clone();
    older.initialize("2025-11-25").await;
    older
}
