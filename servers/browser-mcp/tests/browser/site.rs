//! A small site on loopback. It remembers every request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::pages;

/// How long a page that never loads holds its connection.
const SILENCE: Duration = Duration::from_secs(60);

/// One request that came in.
#[derive(Clone, Debug)]
pub(crate) struct Visited {
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) cookie: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Site {
    pub(crate) port: u16,
    visited: Arc<Mutex<Vec<Visited>>>,
}

impl Site {
    pub(crate) fn open() -> Self {
        // Chromium tries the other family for localhost as well.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let visited = Arc::<Mutex<Vec<Visited>>>::default();
        let heard = Arc::clone(&visited);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || serve(stream, &heard, port));
            }
        });
        Self { port, visited }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same site as another one, for browsers.
    pub(crate) fn other_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        self.url("")
    }

    pub(crate) fn visits(&self, path: &str) -> Vec<Visited> {
        self.visited.lock().iter().filter(|one| one.path == path).cloned().collect()
    }
}

fn serve(mut stream: TcpStream, heard: &Mutex<Vec<Visited>>, port: u16) {
    let Some(request) = read(&stream) else { return };
    heard.lock().push(request.clone());
    let answer = match request.path.as_str() {
        "/never" => {
            std::thread::sleep(SILENCE);
            return;
        }
        "/huge" => return flood(&mut stream),
        _ => pages::answer(&request, port),
    };
    // A browser that has gone has no use for it.
    drop(stream.write_all(&answer));
}

/// Two GiB, or as much as the browser takes.
fn flood(stream: &mut TcpStream) {
    const TOTAL: u64 = 2 << 30;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-disposition: attachment; \
         filename=huge.bin\r\ncontent-length: {TOTAL}\r\n\r\n"
    );
    let block = vec![0_u8; 1 << 20];
    if stream.write_all(head.as_bytes()).is_err() {
        return;
    }
    for _ in 0..TOTAL / block.len() as u64 {
        if stream.write_all(&block).is_err() {
            return;
        }
    }
}

fn read(stream: &TcpStream) -> Option<Visited> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    };
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    Some(Visited {
        host: header("host").unwrap_or_default(),
        path,
        cookie: header("cookie").unwrap_or_default(),
        body,
    })
}
