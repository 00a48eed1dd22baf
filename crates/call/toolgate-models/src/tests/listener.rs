//! A listener that answers every request with the same bytes, and keeps what it heard.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub(super) struct ScriptedListener {
    pub(super) url: String,
    heard: Arc<Mutex<Vec<String>>>,
    _serving: JoinSet<()>,
}

/// The behaviour after the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    HangUp,
    Silence,
}

impl ScriptedListener {
    pub(super) async fn start(answer: String, ending: Ending) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut serving = JoinSet::new();
        let told = heard.clone();
        serving.spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut peer, _)) = listener.accept().await {
                let request = request(&mut peer).await;
                told.lock().push(request);
                // A peer that has enough hangs up.
                let written = peer.write_all(answer.as_bytes()).await;
                if written.is_ok() && ending == Ending::Silence {
                    open.push(peer);
                }
            }
        });
        Self { url, heard, _serving: serving }
    }

    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().clone()
    }
}

/// The head of a request and its body.
async fn request(peer: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(b"\r\n\r\n") {
        match peer.read_u8().await {
            Ok(byte) => heard.push(byte),
            Err(_) => return String::new(),
        }
    }
    let mut text = String::from_utf8(heard).expect("a head is text").to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
    if peer.read_exact(&mut body).await.is_ok() {
        text.push_str(&String::from_utf8(body).expect("JSON is text"));
    }
    text
}

/// An answer that is streamed, and ends with its connection.
pub(super) fn streamed(events: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}")
}

/// A whole answer.
pub(super) fn whole(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}
