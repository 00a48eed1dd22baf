//! A small HTTP API on a free port: a test says what it answers, and it keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;

/// The longest time that a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request that arrived whole.
#[derive(Clone, Debug)]
pub struct WebRequest {
    pub method: String,
    /// Path and query, as they were sent.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl WebRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// The reaction to a request.
pub enum WebAnswer {
    Say {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// The connection ends without an answer.
    HangUp,
}

impl WebAnswer {
    pub fn json(status: u16, value: &Value) -> Self {
        Self::bytes(status, "application/json", value.to_string().into_bytes())
    }

    pub fn bytes(status: u16, media_type: &str, body: Vec<u8>) -> Self {
        Self::Say { status, headers: vec![("content-type".into(), media_type.into())], body }
    }

    pub fn redirect(status: u16, location: &str) -> Self {
        Self::Say { status, headers: vec![("location".into(), location.into())], body: Vec::new() }
    }

    /// The same with one more header.
    pub fn with(self, name: &str, value: &str) -> Self {
        match self {
            Self::Say { status, mut headers, body } => {
                headers.push((name.into(), value.into()));
                Self::Say { status, headers, body }
            }
            Self::HangUp => Self::HangUp,
        }
    }
}

/// An API that runs until the test ends.
pub struct WebApi {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<WebRequest>>>,
}

impl WebApi {
    pub fn start(answer: impl Fn(&WebRequest) -> WebAnswer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (heard.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (kept.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Self { address, heard }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far.
    pub fn heard(&self) -> Vec<WebRequest> {
        self.heard.lock().clone()
    }

    /// Those to a path.
    pub fn heard_at(&self, path: &str) -> Vec<WebRequest> {
        self.heard().into_iter().filter(|request| request.path() == path).collect()
    }
}

fn serve(
    mut stream: TcpStream,
    heard: &Mutex<Vec<WebRequest>>,
    answer: &(dyn Fn(&WebRequest) -> WebAnswer + Send + Sync),
) {
    drop(stream.set_read_timeout(Some(PATIENCE)));
    let Some(request) = read(&stream) else { return };
    heard.lock().push(request.clone());
    let WebAnswer::Say { status, headers, body } = answer(&request) else { return };
    let mut head =
        format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    // The other side may have gone.
    drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)));
}

fn read(stream: &TcpStream) -> Option<WebRequest> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, value)| value.parse().ok()).unwrap_or_default()];
    reader.read_exact(&mut body).ok()?;
    Some(WebRequest { method, target, headers, body })
}
