//! A tiny site. It answers on 127.0.0.1 and 127.0.0.2, which are two sites for a browser, and listens on 127.0.0.3, where
//! nobody may ever come.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

const HEAD_BYTES_MAX: usize = 32 << 10;
const PIECE: usize = 64 << 10;

pub(crate) struct Site {
    pub(crate) port: u16,
    requests: Mutex<BTreeSet<String>>,
    /// Connections to the address where nobody may come.
    pub(crate) trapped: AtomicUsize,
}

pub(crate) enum Reply {
    Page(String),
    Typed(&'static str, String),
    Redirect(String),
    /// A file of so many bytes, with its length said or not.
    File {
        bytes: u64,
        says_length: bool,
    },
    Status(u16),
    /// The beginning of a page, and nothing more.
    Half,
    Never,
}

impl Site {
    /// `answer` is asked for every request, by its path.
    pub(crate) async fn start(answer: fn(&Site, &str) -> Reply) -> Arc<Self> {
        let (first, second, trap) = listeners().await;
        let port = first.local_addr().expect("it listens").port();
        let site = Arc::new(Self { port, requests: Mutex::default(), trapped: AtomicUsize::new(0) });
        let (one, two, three) = (Arc::clone(&site), Arc::clone(&site), Arc::clone(&site));
        let mut tasks = JoinSet::new();
        tasks.spawn(one.serve(first, answer));
        tasks.spawn(two.serve(second, answer));
        tasks.spawn(async move {
            while trap.accept().await.is_ok() {
                three.trapped.fetch_add(1, Ordering::SeqCst);
            }
        });
        // The site lives as long as the tests.
        tasks.detach_all();
        site
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same site under another address, which is another site.
    pub(crate) fn other(&self, path: &str) -> String {
        format!("http://127.0.0.2:{}{path}", self.port)
    }

    pub(crate) fn has_seen(&self, path: &str) -> bool {
        self.requests.lock().iter().any(|seen| seen.ends_with(path))
    }

    pub(crate) fn hosts(&self) -> BTreeSet<String> {
        self.requests.lock().iter().filter_map(|seen| Some(seen.split_once('/')?.0.to_owned())).collect()
    }

    async fn serve(self: Arc<Self>, listener: TcpListener, answer: fn(&Site, &str) -> Reply) {
        let mut connections = JoinSet::new();
        while let Ok((client, _)) = listener.accept().await {
            let site = Arc::clone(&self);
            connections.spawn(async move { drop(site.connection(client, answer).await) });
        }
    }

    async fn connection(
        &self,
        mut client: TcpStream,
        answer: fn(&Site, &str) -> Reply,
    ) -> std::io::Result<()> {
        let mut head = Vec::new();
        while !head.windows(4).any(|window| window == b"\r\n\r\n") && head.len() < HEAD_BYTES_MAX {
            if client.read_buf(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let text = String::from_utf8_lossy(&head).into_owned();
        let path = text.split(' ').nth(1).unwrap_or("/").to_owned();
        let host =
            text.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("host: ").map(str::to_owned));
        self.requests.lock().insert(format!("{}{path}", host.unwrap_or_default()));
        let cookies = text.lines().find_map(|line| line.strip_prefix("Cookie: ")).unwrap_or("none");
        let reply = match path.as_str() {
            "/cookies" => Reply::Page(format!("<p id=cookies>{cookies}</p>")),
            _ => answer(self, &path),
        };
        send(&mut client, reply).await
    }
}

/// On the same port of three addresses.
async fn listeners() -> (TcpListener, TcpListener, TcpListener) {
    for _ in 0..50 {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let port = first.local_addr().expect("it listens").port();
        let second = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), port)).await;
        let third = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 3), port)).await;
        if let (Ok(second), Ok(third)) = (second, third) {
            return (first, second, third);
        }
    }
    panic!("no port is free on three addresses");
}

async fn send(client: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Page(page) => whole(client, "200 OK", "text/html; charset=utf-8", &page).await,
        Reply::Typed(media_type, text) => whole(client, "200 OK", media_type, &text).await,
        Reply::Status(status) => whole(client, &format!("{status} Status"), "text/html", "status").await,
        Reply::Redirect(to) => {
            let head = format!(
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            client.write_all(head.as_bytes()).await
        }
        Reply::File { bytes, says_length } => file(client, bytes, says_length).await,
        Reply::Half => {
            client
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>half</title><p>begun")
                .await?;
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(())
        }
        Reply::Never => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(())
        }
    }
}

async fn whole(client: &mut TcpStream, status: &str, media_type: &str, text: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n",
        text.len()
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(text.as_bytes()).await?;
    client.shutdown().await
}

async fn file(client: &mut TcpStream, bytes: u64, says_length: bool) -> std::io::Result<()> {
    let length = if says_length { format!("Content-Length: {bytes}\r\n") } else { String::new() };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n{length}Content-Disposition: attachment; filename=\"a file.bin\"\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await?;
    let piece = vec![b'x'; PIECE];
    let mut left = bytes;
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        client.write_all(&piece[..now]).await?;
        left -= now as u64;
    }
    client.shutdown().await
}
