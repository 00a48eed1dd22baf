//! The wire between a client that spawned `toolgate stdio` and the running gateway: bytes pass unchanged. It
//! knows only the open requests, so that none is left without an answer when the gateway ends.

use std::cell::RefCell;
use std::io;
use std::pin::pin;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use toolgate_core::{MessageLimits, RpcError};
use toolgate_wire::line::{Framer, WireLine};
use toolgate_wire::message::IncomingMessage;
use toolgate_wire::object::ObjectMembers;
use toolgate_wire::{MalformedMessage, compose, message};

const READ_BYTES: usize = 64 << 10;
/// The size of an answer besides its result.
const ENVELOPE_BYTES: usize = 64 << 10;

/// The way it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RelayEnd {
    /// The client closed its side and has had all its answers.
    Client,
    /// The gateway ended first. So many requests had no answer but that.
    Gateway { unanswered: usize },
}

/// Passes everything on until the gateway closes its side, which it does once it has answered a client that
/// closed its side.
pub(crate) async fn relay(
    client: (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    gateway: (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    limits: &MessageLimits,
) -> io::Result<RelayEnd> {
    let (input, mut output) = client;
    let (from_gateway, to_gateway) = gateway;
    let open = RefCell::new(OpenRequests::default());
    let mut client_ended = false;
    let cut = {
        let answers_max = limits.result_bytes_max.saturating_add(ENVELOPE_BYTES);
        let mut receiving = pin!(receive(from_gateway, &mut output, answers_max, &open));
        tokio::select! {
            cut = &mut receiving => cut?,
            ended = send(input, to_gateway, limits, &open) => {
                client_ended = ended;
                receiving.await?
            }
        }
    };
    let unanswered = answer(&mut output, cut, &open.take()).await?;
    Ok(if client_ended && unanswered == 0 { RelayEnd::Client } else { RelayEnd::Gateway { unanswered } })
}

/// True if the client ended.
async fn send(
    mut input: impl AsyncRead + Unpin,
    mut to_gateway: impl AsyncWrite + Unpin,
    limits: &MessageLimits,
    open: &RefCell<OpenRequests>,
) -> bool {
    let mut lines = Framer::new(limits.request_bytes_max);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        // An unreadable standard input has ended as well.
        let count = input.read(&mut buffer).await.unwrap_or(0);
        if count == 0 {
            // The gateway may have gone meanwhile; its reader notices.
            drop(to_gateway.shutdown().await);
            return true;
        }
        // Noted before it is sent, since the answer may be quick.
        lines.push(&buffer[..count]);
        while let Some(line) = lines.next_line() {
            if let WireLine::Whole(bytes) = line {
                open.borrow_mut().sent(&bytes, limits.depth_max);
            }
        }
        if to_gateway.write_all(&buffer[..count]).await.is_err() || to_gateway.flush().await.is_err() {
            return false;
        }
    }
}

/// True if the gateway ended in the middle of a line.
async fn receive(
    mut from_gateway: impl AsyncRead + Unpin,
    output: &mut (impl AsyncWrite + Unpin),
    line_bytes_max: usize,
    open: &RefCell<OpenRequests>,
) -> io::Result<bool> {
    let mut lines = Framer::new(line_bytes_max);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = from_gateway.read(&mut buffer).await.unwrap_or(0);
        if count == 0 {
            return Ok(!lines.is_between_lines());
        }
        lines.push(&buffer[..count]);
        while let Some(line) = lines.next_line() {
            open.borrow_mut().answered(&line);
        }
        output.write_all(&buffer[..count]).await?;
        output.flush().await?;
    }
}

/// Answers every open request of the client with an error.
async fn answer(output: &mut (impl AsyncWrite + Unpin), cut: bool, open: &OpenRequests) -> io::Result<usize> {
    let ended = RpcError::new(RpcError::INTERNAL, "the gateway ended");
    let mut text = Vec::new();
    if cut {
        text.push(b'\n');
    }
    for id in &open.0 {
        text.extend_from_slice(&compose::error(Some(id), &ended));
        text.push(b'\n');
    }
    output.write_all(&text).await?;
    output.flush().await?;
    Ok(open.0.len())
}

/// The ids of requests without an answer, as the client wrote them. The gateway limits their number: it
/// answers excess ones with an error.
#[derive(Default)]
struct OpenRequests(Vec<String>);

impl OpenRequests {
    /// Notes the requests that the gateway has to answer. It refuses unreadable ones without an id.
    fn sent(&mut self, bytes: &[u8], depth_max: usize) {
        match message::parse(bytes, depth_max) {
            // It has no answer but its end.
            Ok(IncomingMessage::Request(request)) if request.method == "subscriptions/listen" => {}
            Ok(IncomingMessage::Request(request)) => self.0.push(request.id.get().to_owned()),
            Ok(IncomingMessage::Notification(notification))
                if notification.method == "notifications/cancelled" =>
            {
                let params = notification.params.and_then(|params| ObjectMembers::parse(params).ok());
                if let Some(id) = params.and_then(|params| params.get("requestId")) {
                    self.close(id.get());
                }
            }
            Err(MalformedMessage::Batch) => {
                let batch = message::parse_batch(bytes).unwrap_or_default();
                batch.into_iter().for_each(|one| self.sent(one.get().as_bytes(), depth_max));
            }
            _ => {}
        }
    }

    fn answered(&mut self, line: &WireLine) {
        each_message(line, |message| {
            if let (Some(id), None) = (message.get("id"), message.get("method")) {
                self.close(id.get());
            }
        });
    }

    fn close(&mut self, id: &str) {
        if let Some(at) = self.0.iter().position(|open| open == id) {
            self.0.remove(at);
        }
    }
}

/// One message, or those of a batch. The gateway refuses anything else.
fn each_message(line: &WireLine, mut each: impl FnMut(&ObjectMembers<'_>)) {
    let WireLine::Whole(bytes) = line else { return };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    if let Ok(message) = ObjectMembers::of_str(text) {
        return each(&message);
    }
    let batch = message::parse_batch(bytes).unwrap_or_default();
    batch.into_iter().filter_map(|one| ObjectMembers::parse(one).ok()).for_each(|message| each(&message));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{DuplexStream, duplex, split};

    use super::*;

    const WAIT: Duration = Duration::from_secs(10);

    /// Runs a relay between the two ends given to `story`, and returns its end and the client's last output.
    async fn relayed(
        story: impl AsyncFnOnce(DuplexStream, DuplexStream) -> DuplexStream,
    ) -> (RelayEnd, String) {
        let (client, client_end) = duplex(1 << 20);
        let (gateway, gateway_end) = duplex(1 << 20);
        let limits = MessageLimits::default();
        let relaying = relay(split(client_end), split(gateway_end), &limits);
        let both = async { tokio::join!(relaying, story(client, gateway)) };
        let (end, mut client) = tokio::time::timeout(WAIT, both).await.expect("it ends in time");
        let mut read = String::new();
        client.read_to_string(&mut read).await.expect("text");
        (end.expect("no error"), read)
    }

    async fn read(stream: &mut DuplexStream, bytes: usize) -> String {
        let mut buffer = vec![0; bytes];
        stream.read_exact(&mut buffer).await.expect("so much was sent");
        String::from_utf8(buffer).expect("text")
    }

    #[tokio::test]
    async fn requests_that_are_open_when_the_gateway_ends_are_answered_with_an_error() {
        let sent = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            "\n",
            r#"[{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
            "\n",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen"}"#,
            "\n",
        );
        let answers = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\"";
        let (end, read) = relayed(async |mut client, mut gateway| {
            client.write_all(sent.as_bytes()).await.expect("sent");
            assert_eq!(read(&mut gateway, sent.len()).await, sent, "bytes pass as they are");
            gateway.write_all(answers.as_bytes()).await.expect("answered");
            client
        })
        .await;
        let error = r#"{"jsonrpc":"2.0","id":"b","error":{"code":-32603,"message":"the gateway ended"}}"#;
        assert_eq!(read, format!("{answers}\n{error}\n"));
        assert_eq!(end, RelayEnd::Gateway { unanswered: 1 });
    }

    #[tokio::test]
    async fn answers_that_come_after_the_end_of_input_are_passed_on() {
        let sent = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
        let (end, read) = relayed(async |mut client, mut gateway| {
            client.write_all(sent.as_bytes()).await.expect("sent");
            client.shutdown().await.expect("closed");
            let mut got = String::new();
            gateway.read_to_string(&mut got).await.expect("the end of input is passed on");
            assert_eq!(got, sent);
            gateway.write_all(answer.as_bytes()).await.expect("answered");
            client
        })
        .await;
        assert_eq!((end, read.as_str()), (RelayEnd::Client, answer));
    }

    #[tokio::test]
    async fn what_was_refused_without_an_id_is_not_waited_for() {
        let sent = "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n";
        let answer = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"no\"}}\n";
        let (end, read) = relayed(async |mut client, mut gateway| {
            client.write_all(sent.as_bytes()).await.expect("sent");
            client.shutdown().await.expect("closed");
            let mut got = String::new();
            gateway.read_to_string(&mut got).await.expect("the end of input is passed on");
            gateway.write_all(answer.as_bytes()).await.expect("answered");
            client
        })
        .await;
        assert_eq!((end, read.as_str()), (RelayEnd::Client, answer));
    }

    #[tokio::test]
    async fn a_gateway_that_ends_ends_a_client_that_waits() {
        let (end, read) = relayed(async |client, gateway| {
            drop(gateway);
            client
        })
        .await;
        assert_eq!((end, read.as_str()), (RelayEnd::Gateway { unanswered: 0 }, ""));
    }
}
