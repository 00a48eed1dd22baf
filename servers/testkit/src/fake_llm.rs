//! An endpoint that acts like a language model with scripted answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// Its behaviour for a request.
#[derive(Clone)]
pub enum LlmManner {
    /// The content of its message.
    Says(String),
    /// A status and a body.
    Fails(u16, &'static str),
    /// Refuses requests for a form, and answers this otherwise.
    KnowsNoForms(String),
    /// Takes the request and never answers.
    Hangs,
}

/// The endpoint, and what it was asked.
pub struct FakeLlm {
    pub url: String,
    requests: Arc<Mutex<Vec<LlmRequest>>>,
}

#[derive(Clone)]
pub struct LlmRequest {
    pub head: String,
    pub body: Value,
}

impl FakeLlm {
    /// Answers every request in the same manner.
    ///
    /// # Panics
    /// If there is no free port.
    pub fn start(manner: LlmManner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("it is bound"));
        let requests = Arc::<Mutex<Vec<LlmRequest>>>::default();
        let heard = Arc::clone(&requests);
        std::thread::spawn(move || {
            // A hanging connection is kept open.
            let mut open = Vec::new();
            for stream in listener.incoming() {
                open.extend(stream.ok().and_then(|stream| serve(stream, &manner, &heard)));
            }
        });
        Self { url, requests }
    }

    /// Everything that it was asked so far.
    pub fn requests(&self) -> Vec<LlmRequest> {
        self.requests.lock().clone()
    }
}

fn serve(mut stream: TcpStream, manner: &LlmManner, heard: &Mutex<Vec<LlmRequest>>) -> Option<TcpStream> {
    let request = read(&stream)?;
    let with_form = request.body.get("response_format").is_some();
    heard.lock().push(request);
    let (status, body) = match manner {
        LlmManner::Hangs => return Some(stream),
        LlmManner::Fails(status, body) => (*status, (*body).to_owned()),
        LlmManner::KnowsNoForms(_) if with_form => (400, "{}".to_owned()),
        LlmManner::Says(content) | LlmManner::KnowsNoForms(content) => {
            (200, json!({"choices": [{"message": {"role": "assistant", "content": content}}]}).to_string())
        }
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A client that has gone has no use for it.
    drop(stream.write_all(format!("{head}{body}").as_bytes()));
    None
}

fn read(stream: &TcpStream) -> Option<LlmRequest> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(LlmRequest { head, body: serde_json::from_slice(&body).ok()? })
}
