//! A receiver: takes HTTP requests on its own port and keeps them.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolgate_testkit::gateway::until_async;

use crate::doors::WAIT;

#[derive(Clone, Debug)]
pub(crate) struct ReceivedMessage {
    pub(crate) path: String,
    /// In lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl ReceivedMessage {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        self.body.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    came: Arc<Mutex<Vec<ReceivedMessage>>>,
    listening: tokio::task::JoinHandle<()>,
}

impl Receiver {
    pub(crate) async fn open() -> Self {
        Self::refusing(0).await
    }

    /// The first requests get a 503.
    pub(crate) async fn refusing(first: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let came = Arc::new(Mutex::new(Vec::new()));
        let kept = came.clone();
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone(), first));
            }
        });
        Self { url, came, listening }
    }

    /// All requests, refused or not.
    pub(crate) fn came(&self) -> Vec<ReceivedMessage> {
        self.came.lock().clone()
    }

    /// The first message that fits.
    pub(crate) async fn find(&self, fits: impl Fn(&ReceivedMessage) -> bool) -> ReceivedMessage {
        let found = until_async(WAIT, || async { self.came().into_iter().find(&fits) });
        found.await.unwrap_or_else(|| panic!("no such message among {:?}", self.came()))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn serve(mut stream: TcpStream, kept: Arc<Mutex<Vec<ReceivedMessage>>>, refused: usize) {
    while let Some(message) = read(&mut stream).await {
        let count = {
            let mut kept = kept.lock();
            kept.push(message);
            kept.len()
        };
        let status = if count <= refused { "503 Service Unavailable" } else { "200 OK" };
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<ReceivedMessage> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some(ReceivedMessage { path, headers, body })
}
