//! A proxy between the gateway and its storage: it passes everything, hangs up, stays silent, or answers that
//! it is busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 0\r\nconnection: close\r\n\r\n";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mood {
    /// Everything passes.
    Open,
    /// All connections are refused.
    Down,
    /// Takes requests and never answers.
    Silent,
    /// The next `n` requests are answered with 503; then everything passes.
    Busy(usize),
}

pub(super) struct Toll {
    pub(super) url: String,
    mood: watch::Sender<Mood>,
    /// Connections that came while it was closed.
    turned_away: Arc<AtomicUsize>,
}

impl Toll {
    /// In front of this address.
    pub(super) async fn before(endpoint: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let (mood, moods) = watch::channel(Mood::Open);
        let turned_away = Arc::new(AtomicUsize::new(0));
        let gate = Gate {
            storage: endpoint.trim_start_matches("http://").to_owned(),
            mood: mood.clone(),
            turned_away: turned_away.clone(),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(gate.clone().serve(stream, moods.clone()));
            }
        });
        Self { url, mood, turned_away }
    }

    /// From now on; connections that are open are closed.
    pub(super) fn become_(&self, mood: Mood) {
        self.turned_away.store(0, Ordering::SeqCst);
        self.mood.send_replace(mood);
    }

    pub(super) fn turned_away(&self) -> usize {
        self.turned_away.load(Ordering::SeqCst)
    }
}

#[derive(Clone)]
struct Gate {
    storage: String,
    mood: watch::Sender<Mood>,
    turned_away: Arc<AtomicUsize>,
}

impl Gate {
    async fn serve(self, mut stream: TcpStream, mut moods: watch::Receiver<Mood>) {
        let mood = *moods.borrow_and_update();
        if mood != Mood::Open {
            self.turned_away.fetch_add(1, Ordering::SeqCst);
        }
        match mood {
            Mood::Down => drop(stream),
            Mood::Silent => drop(moods.changed().await),
            Mood::Busy(times) => {
                let next = if times <= 1 { Mood::Open } else { Mood::Busy(times - 1) };
                self.mood.send_if_modified(|mood| {
                    let is_still_so = *mood == Mood::Busy(times);
                    if is_still_so {
                        *mood = next;
                    }
                    false
                });
                say_busy(&mut stream).await;
            }
            Mood::Open => {
                let Ok(mut storage) = TcpStream::connect(&self.storage).await else { return };
                tokio::select! {
                    // It ends when either side leaves.
                    _ = copy_bidirectional(&mut stream, &mut storage) => {}
                    _ = moods.changed() => {}
                }
            }
        }
    }
}

/// Reads the request, so that the answer is not lost to a reset.
async fn say_busy(stream: &mut TcpStream) {
    let mut buffer = vec![0; 64 << 10];
    let mut seen = Vec::new();
    while !seen.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => seen.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    drop(stream.write_all(BUSY).await);
    drop(stream.shutdown().await);
    while matches!(stream.read(&mut buffer).await, Ok(count) if count > 0) {}
}
