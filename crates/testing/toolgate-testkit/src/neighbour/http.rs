//! The server on a socket: just enough HTTP/1.1 to break it in every way that matters.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, sync_channel};

use parking_lot::Mutex;

use super::brain::{
    Act, Brain, NeighbourMessage, acknowledged, error, list_changed, noise, question, response,
};
use super::misdeed::{DRIP, GARBAGE, LINGER, Misdeed};
use super::{Era, Settings, Start};

/// Serves until the process ends. `said` receives the address.
pub fn serve(address: SocketAddr, settings: Settings, said: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    said(listener.local_addr()?);
    let server = Arc::new(HttpNeighbour {
        brain: Brain::new(settings),
        sessions: Mutex::default(),
        listeners: Mutex::default(),
        asked: Mutex::default(),
    });
    for stream in listener.incoming() {
        let server = server.clone();
        let stream = stream?;
        // A client that hangs up in the middle is its own business.
        std::thread::spawn(move || drop(server.connection(stream)));
    }
    Ok(())
}

struct HttpNeighbour {
    brain: Brain,
    sessions: Mutex<BTreeSet<String>>,
    /// Streams that receive changes, each with the id of its subscription if it has one.
    listeners: Mutex<Vec<(TcpStream, Option<String>)>>,
    /// Questions that are open, and who waits for their answers.
    asked: Mutex<BTreeMap<String, SyncSender<String>>>,
}

struct Request {
    method: String,
    head: String,
    body: String,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(None);
            }
        }
        let mut request =
            Self { method: head.split(' ').next().unwrap_or_default().to_owned(), head, body: String::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        request.body = String::from_utf8(body).map_err(io::Error::other)?;
        Ok(Some(request))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

fn head(status: &str, media: &str, length: usize, more: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n{more}\r\n")
}

fn send(stream: &mut TcpStream, status: &str, body: &str, more: &str) -> io::Result<()> {
    let mut text = head(status, "application/json", body.len(), more);
    text.push_str(body);
    stream.write_all(text.as_bytes())
}

const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

fn send_event(stream: &mut TcpStream, message: &str) -> io::Result<()> {
    stream.write_all(format!("event: message\ndata: {message}\n\n").as_bytes())
}

impl HttpNeighbour {
    fn connection(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        while let Some(request) = Request::read(&mut reader)? {
            let goes_on = match request.method.as_str() {
                "POST" => self.post(&mut stream, &request)?,
                "GET" => self.get(&mut stream, &request)?,
                "DELETE" => {
                    send(&mut stream, "204 No Content", "", "")?;
                    true
                }
                _ => {
                    send(&mut stream, "405 Method Not Allowed", "", "")?;
                    true
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }

    fn get(&self, stream: &mut TcpStream, request: &Request) -> io::Result<bool> {
        let known = request.header("mcp-session-id").is_some_and(|id| self.knows(id));
        if self.brain.settings.era == Era::Modern || !known {
            send(stream, "405 Method Not Allowed", "", "")?;
            return Ok(true);
        }
        stream.write_all(STREAM_HEAD.as_bytes())?;
        self.listen(stream, None)?;
        Ok(false)
    }

    fn knows(&self, session: &str) -> bool {
        self.sessions.lock().contains(session)
    }

    /// Keeps the connection for notifications until the client closes it.
    fn listen(&self, stream: &mut TcpStream, subscription: Option<String>) -> io::Result<()> {
        let copy = stream.try_clone()?;
        self.listeners.lock().push((copy, subscription));
        let mut end = [0];
        stream.read(&mut end).map(drop)
    }

    fn announce(&self) {
        let mut listeners = self.listeners.lock();
        listeners.retain_mut(|(stream, subscription)| {
            send_event(stream, &list_changed(subscription.as_deref())).is_ok()
        });
    }

    /// Answers one message. `false` if the connection is no longer usable.
    fn post(&self, stream: &mut TcpStream, request: &Request) -> io::Result<bool> {
        let message = serde_json::from_str::<NeighbourMessage<'_>>(&request.body).ok();
        let id = message.as_ref().and_then(|message| message.id).map_or("null", |id| id.get());
        let opens = message.as_ref().and_then(|message| message.method.as_deref()) == Some("initialize");
        if self.brain.settings.era == Era::Legacy
            && !opens
            && let Some(refusal) = self.refusal(request)
        {
            send(stream, refusal, &error(id, -32000, refusal), "")?;
            return Ok(true);
        }
        match self.brain.consider(&request.body, &request.head) {
            Act::Nothing | Act::Cancelled => send(stream, "202 Accepted", "", "")?,
            Act::Answered(question, answer) => {
                let waiting = self.asked.lock().remove(&question);
                // The waiter may have gone.
                waiting.into_iter().for_each(|waiting| drop(waiting.send(answer.clone())));
                send(stream, "202 Accepted", "", "")?;
            }
            Act::Ask => {
                self.ask(stream, id)?;
                return Ok(false);
            }
            Act::Silence => self.wait_for_the_end(stream)?,
            Act::Leave => return Ok(false),
            Act::Result(_) if opens && self.brain.settings.start() == Start::Garbage => {
                send(stream, "200 OK", GARBAGE, "")?;
            }
            Act::Result(result) if opens => {
                let session = format!("s{}", self.brain.sessions_opened.load(Ordering::SeqCst));
                self.sessions.lock().insert(session.clone());
                send(stream, "200 OK", &response(id, &result), &format!("Mcp-Session-Id: {session}\r\n"))?;
            }
            Act::Result(result) => send(stream, "200 OK", &response(id, &result), "")?,
            Act::Error(code, message) => {
                let status = if code == -32601 && self.brain.settings.era == Era::Modern {
                    "404 Not Found"
                } else {
                    "200 OK"
                };
                send(stream, status, &error(id, code, message), "")?;
            }
            Act::Listen => {
                stream.write_all(STREAM_HEAD.as_bytes())?;
                send_event(stream, &acknowledged(id))?;
                self.listen(stream, Some(id.to_owned()))?;
                return Ok(false);
            }
            Act::Announce(result) => {
                send(stream, "200 OK", &response(id, &result), "")?;
                self.announce();
            }
            Act::Forget(result) => {
                send(stream, "200 OK", &response(id, &result), "")?;
                self.sessions.lock().clear();
            }
            Act::Misdeed(misdeed) => return self.misbehave(stream, misdeed, id),
        }
        Ok(true)
    }

    /// The reason why a message of the older era is refused: a version from the future, no session, or a
    /// forgotten one.
    fn refusal(&self, request: &Request) -> Option<&'static str> {
        if request.header("mcp-protocol-version").is_some_and(|version| version >= "2026") {
            return Some("400 Bad Request");
        }
        match request.header("mcp-session-id") {
            None => Some("400 Bad Request"),
            Some(id) if !self.knows(id) => Some("404 Not Found"),
            Some(_) => None,
        }
    }

    fn wait_for_the_end(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut end = [0];
        stream.read(&mut end).map(drop)
    }

    /// Asks on the stream of the call; the answer is a separate message.
    fn ask(&self, stream: &mut TcpStream, id: &str) -> io::Result<()> {
        let asked = format!("\"ask-{}\"", id.trim_matches('"'));
        let (waiting, answer) = sync_channel(1);
        self.asked.lock().insert(asked.clone(), waiting);
        stream.write_all(STREAM_HEAD.as_bytes())?;
        send_event(stream, &question(&asked))?;
        let Ok(answer) = answer.recv() else { return Ok(()) };
        send_event(stream, &response(id, &self.brain.said(&answer)))
    }

    fn misbehave(&self, stream: &mut TcpStream, misdeed: Misdeed, id: &str) -> io::Result<bool> {
        let answer = response(id, &self.brain.said("after all"));
        match misdeed {
            Misdeed::Hang => {
                self.wait_for_the_end(stream)?;
                return Ok(false);
            }
            Misdeed::Half => {
                stream.write_all(STREAM_HEAD.as_bytes())?;
                stream.write_all(format!("data: {}", &answer[..answer.len() / 2]).as_bytes())?;
                self.wait_for_the_end(stream)?;
                return Ok(false);
            }
            Misdeed::HalfExit => {
                stream.write_all(head("200 OK", "application/json", answer.len(), "").as_bytes())?;
                stream.write_all(&answer.as_bytes()[..answer.len() / 2])?;
                std::process::exit(0);
            }
            Misdeed::Exit => std::process::exit(3),
            Misdeed::Stranger => {
                send(stream, "200 OK", &response("987654321", &self.brain.said("who asked?")), "")?
            }
            Misdeed::Twice => {
                stream.write_all(STREAM_HEAD.as_bytes())?;
                send_event(stream, &answer)?;
                send_event(stream, &answer)?;
                return Ok(false);
            }
            Misdeed::Flood => {
                stream.write_all(STREAM_HEAD.as_bytes())?;
                for at in 0.. {
                    send_event(stream, &noise(at))?;
                }
            }
            Misdeed::Huge => send(stream, "200 OK", &self.brain.huge(id), "")?,
            Misdeed::HugeEvent => {
                stream.write_all(STREAM_HEAD.as_bytes())?;
                send_event(stream, &self.brain.huge(id))?;
                return Ok(false);
            }
            Misdeed::Garbage => send(stream, "200 OK", GARBAGE, "")?,
            Misdeed::Shapeless => send(stream, "200 OK", &format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#), "")?,
            Misdeed::Chatter | Misdeed::Grandchild => send(stream, "200 OK", &answer, "")?,
            Misdeed::AskExit => {
                stream.write_all(STREAM_HEAD.as_bytes())?;
                send_event(stream, &question("\"last words\""))?;
                std::thread::sleep(LINGER);
                std::process::exit(3);
            }
            Misdeed::Status500 => send(stream, "500 Internal Server Error", r#"{"oops":"it broke"}"#, "")?,
            Misdeed::Status401 => send(stream, "401 Unauthorized", "", "WWW-Authenticate: Bearer\r\n")?,
            Misdeed::Redirect => {
                send(stream, "307 Temporary Redirect", "", "Location: http://127.0.0.1:1/mcp\r\n")?
            }
            Misdeed::WrongType => {
                let page = "<html><body>Welcome!</body></html>";
                stream
                    .write_all(format!("{}{page}", head("200 OK", "text/html", page.len(), "")).as_bytes())?;
            }
            Misdeed::Cut => {
                stream.write_all(head("200 OK", "application/json", answer.len(), "").as_bytes())?;
                stream.write_all(&answer.as_bytes()[..answer.len() / 2])?;
                return Ok(false);
            }
            Misdeed::Loris => {
                stream.write_all(head("200 OK", "application/json", answer.len() + 10_000, "").as_bytes())?;
                for _ in 0..10_000 {
                    stream.write_all(b" ")?;
                    std::thread::sleep(DRIP);
                }
                return Ok(false);
            }
            Misdeed::Short => {
                let length = answer.len() - 10;
                stream.write_all(
                    format!("{}{answer}", head("200 OK", "application/json", length, "")).as_bytes(),
                )?;
            }
        }
        Ok(true)
    }
}
