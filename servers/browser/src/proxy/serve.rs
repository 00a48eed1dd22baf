//! Connections of the browser to its proxy.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ProxyPorts;
use super::dial::{DialError, NameLookup, dial};
use super::request::{self, ProxyRequest, RequestForm};
use crate::hosts::HostRules;
use crate::journal::Journal;

/// Connections of one context at a time; more of them wait.
const CONNECTIONS_MAX: usize = 256;
const HEAD_BYTES_MAX: usize = 64 << 10;
const HEAD_LIMIT: Duration = Duration::from_secs(30);
const HEAD_END: &[u8] = b"\r\n\r\n";
const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// What decides about a connection.
pub(super) struct ProxyWay {
    pub(super) rules: Arc<HostRules>,
    pub(super) journal: Arc<Journal>,
    pub(super) ports: ProxyPorts,
    pub(super) names: NameLookup,
}

pub(super) async fn serve(
    listener: TcpListener,
    way: Arc<ProxyWay>,
    end: CancellationToken,
    tasks: TaskTracker,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let accepted = tokio::select! {
            () = end.cancelled() => return,
            accepted = accept(&listener, &places) => accepted,
        };
        let Some((client, place)) = accepted else { continue };
        let (way, end) = (Arc::clone(&way), end.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = end.cancelled() => {}
                served = way.connection(client) => {
                    if let Err(error) = served {
                        tracing::trace!(%error, "a connection of the browser has broken");
                    }
                }
            }
            drop(place);
        });
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((client, _)) => Some((client, place)),
        Err(error) => {
            // Out of descriptors, for instance: others end meanwhile.
            tracing::warn!(%error, "the browser's proxy cannot accept connections");
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

impl ProxyWay {
    async fn connection(&self, mut client: TcpStream) -> io::Result<()> {
        drop(client.set_nodelay(true));
        let Ok(head) = timeout(HEAD_LIMIT, read_head(&mut client)).await else { return Ok(()) };
        let Some((head, rest)) = head? else { return Ok(()) };
        let Some(request) = request::parse(&head) else {
            return answer(&mut client, "400 Bad Request", "This is not a request to a proxy.").await;
        };
        match dial(&self.rules, &self.ports, &self.names, &request.host, request.port).await {
            Ok(origin) => pass(client, origin, request, &rest).await,
            Err(DialError::Refused(why)) => {
                let words = format!("{} is not visited: {why}.", request.url);
                self.journal.blocked(&request.url, &why);
                answer(&mut client, "403 Forbidden", &words).await
            }
            Err(DialError::Unreachable(why)) => {
                self.journal.unreachable(&request.url, &why);
                answer(&mut client, "502 Bad Gateway", &why).await
            }
        }
    }
}

/// The head, and what came after it. `None` if the browser closed before its end, or sent too much.
async fn read_head(client: &mut TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut head = Vec::with_capacity(4 << 10);
    loop {
        let searched = head.len().saturating_sub(HEAD_END.len() - 1);
        if client.read_buf(&mut head).await? == 0 {
            return Ok(None);
        }
        let end = head[searched..].windows(HEAD_END.len()).position(|window| window == HEAD_END);
        if let Some(end) = end {
            let rest = head.split_off(searched + end + HEAD_END.len());
            return Ok(Some((head, rest)));
        }
        if head.len() > HEAD_BYTES_MAX {
            return Ok(None);
        }
    }
}

async fn pass(
    mut client: TcpStream,
    mut origin: TcpStream,
    request: ProxyRequest,
    rest: &[u8],
) -> io::Result<()> {
    match request.form {
        RequestForm::Tunnel => {
            client.write_all(ESTABLISHED).await?;
            origin.write_all(rest).await?;
            copy_bidirectional(&mut client, &mut origin).await?;
        }
        RequestForm::Plain { head, body_bytes } => {
            origin.write_all(&head).await?;
            exchange(client, origin, rest, body_bytes.unwrap_or(u64::MAX)).await?;
        }
    }
    Ok(())
}

/// One body up, one answer down. What the browser says after the body belongs to no request of this connection.
async fn exchange(client: TcpStream, origin: TcpStream, rest: &[u8], body_bytes: u64) -> io::Result<()> {
    let (mut client_read, mut client_write) = client.into_split();
    let (mut origin_read, mut origin_write) = origin.into_split();
    let up = async {
        let known = rest.len().min(usize::try_from(body_bytes).unwrap_or(usize::MAX));
        origin_write.write_all(&rest[..known]).await?;
        copy(&mut (&mut client_read).take(body_bytes - known as u64), &mut origin_write).await?;
        // Nothing more comes but the end, when the browser has no use for the answer any more.
        copy(&mut client_read, &mut sink()).await
    };
    let down = async {
        copy(&mut origin_read, &mut client_write).await?;
        client_write.shutdown().await
    };
    tokio::select! {
        ended = down => ended,
        ended = up => ended.map(drop),
    }
}

/// A page that people and agents can read.
async fn answer(client: &mut TcpStream, status: &str, words: &str) -> io::Result<()> {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let page = format!(
        "<!doctype html><meta charset=utf-8><title>Not visited</title><h1>Not visited</h1><p>{words}</p>"
    );
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n",
        page.len()
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(page.as_bytes()).await?;
    client.shutdown().await
}
