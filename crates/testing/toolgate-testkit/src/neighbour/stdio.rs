//! The server on stdin and stdout.

use std::collections::BTreeMap;
use std::io::{BufRead, Write, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::brain::{
    Act, Brain, NeighbourMessage, acknowledged, error, list_changed, noise, question, response,
};
use super::misdeed::{GARBAGE, LINGER, Misdeed};
use super::{Era, Settings, Start};

/// Serves one client until it closes stdin.
pub fn serve(settings: Settings) {
    let server = StdioNeighbour {
        brain: Brain::new(settings),
        listeners: Mutex::default(),
        flooding: Arc::default(),
        asked: Mutex::default(),
    };
    match server.brain.settings.start() {
        Start::Exit => return,
        Start::Garbage => write(GARBAGE),
        Start::Well | Start::Hang => {}
    }
    for line in stdin().lock().lines().map_while(Result::ok) {
        server.take(&line);
    }
}

struct StdioNeighbour {
    brain: Brain,
    /// Ids of open subscriptions.
    listeners: Mutex<Vec<String>>,
    flooding: Arc<AtomicBool>,
    /// Open questions, and their calls.
    asked: Mutex<BTreeMap<String, String>>,
}

/// A closed pipe needs no output.
fn write(text: &str) {
    let mut stdout = stdout().lock();
    drop(stdout.write_all(text.as_bytes()));
    drop(stdout.flush());
}

fn send(message: &str) {
    write(&format!("{message}\n"));
}

impl StdioNeighbour {
    fn take(&self, line: &str) {
        let id = serde_json::from_str::<NeighbourMessage<'_>>(line)
            .ok()
            .and_then(|message| message.id.map(|id| id.get().to_owned()));
        let id = id.unwrap_or_else(|| "null".into());
        match self.brain.consider(line, "") {
            Act::Nothing | Act::Silence => {}
            Act::Result(result) | Act::Forget(result) => send(&response(&id, &result)),
            Act::Error(code, message) => send(&error(&id, code, message)),
            Act::Listen => {
                send(&acknowledged(&id));
                self.listeners.lock().push(id);
            }
            Act::Announce(result) => {
                send(&response(&id, &result));
                self.announce();
            }
            Act::Ask => {
                let asked = format!("\"ask-{}\"", id.trim_matches('"'));
                send(&question(&asked));
                self.asked.lock().insert(asked, id);
            }
            Act::Answered(question, answer) => {
                let call = self.asked.lock().remove(&question);
                call.into_iter().for_each(|call| send(&response(&call, &self.brain.said(&answer))));
            }
            Act::Cancelled => self.flooding.store(false, Ordering::SeqCst),
            Act::Leave => std::process::exit(0),
            Act::Misdeed(misdeed) => self.misbehave(misdeed, &id),
        }
    }

    fn announce(&self) {
        if self.brain.settings.era == Era::Legacy {
            return send(&list_changed(None));
        }
        for id in self.listeners.lock().iter() {
            send(&list_changed(Some(id)));
        }
    }

    fn misbehave(&self, misdeed: Misdeed, id: &str) {
        let answer = response(id, &self.brain.said("after all"));
        match misdeed {
            Misdeed::Half => write(&answer[..answer.len() / 2]),
            Misdeed::HalfExit => {
                write(&answer[..answer.len() / 2]);
                std::process::exit(0);
            }
            Misdeed::Stranger => {
                send(&response("987654321", &self.brain.said("who asked?")));
                send(&response("\"nobody\"", &self.brain.said("who asked?")));
                send(&error("null", -32000, "nothing in particular"));
            }
            Misdeed::Twice => {
                send(&answer);
                send(&answer);
            }
            Misdeed::Flood => self.flood(),
            Misdeed::Huge | Misdeed::HugeEvent => send(&self.brain.huge(id)),
            Misdeed::Exit => std::process::exit(3),
            Misdeed::Garbage => {
                write(GARBAGE);
                send(&answer);
            }
            Misdeed::Shapeless => send(&format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#)),
            Misdeed::Chatter => {
                self.brain.chatter();
                send(&answer);
            }
            Misdeed::Grandchild => {
                self.brain.grandchild();
                send(&answer);
            }
            Misdeed::AskExit => {
                send(&question("\"last words\""));
                std::thread::sleep(LINGER);
                std::process::exit(3);
            }
            // The rest can only be done over HTTP.
            _ => {}
        }
    }

    /// Continues until the call is cancelled or half a minute has passed; other calls are answered meanwhile.
    fn flood(&self) {
        self.flooding.store(true, Ordering::SeqCst);
        let flooding = self.flooding.clone();
        std::thread::spawn(move || {
            let began = std::time::Instant::now();
            let mut at = 0;
            while flooding.load(Ordering::SeqCst) && began.elapsed() < Duration::from_secs(30) {
                send(&noise(at));
                at += 1;
            }
        });
    }
}
