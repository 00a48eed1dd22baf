//! The answers of the server, over any transport.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::misdeed::{CHATTER_BYTES, HUGE_BYTES, Misdeed, TOOLS};
use super::{Era, List, Settings, Start};

/// One message, borrowed from its text.
#[derive(Deserialize)]
pub(super) struct NeighbourMessage<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Params<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    cursor: Option<String>,
    uri: Option<String>,
    #[serde(borrow, rename = "inputResponses")]
    answers: Option<&'a RawValue>,
}

/// The treatment of a message.
pub(super) enum Act {
    /// It needs no answer.
    Nothing,
    /// It gets no answer, although it needs one.
    Silence,
    Result(String),
    Error(i64, &'static str),
    /// The connection is for notifications from now on.
    Listen,
    Misdeed(Misdeed),
    /// The result, and then the notification that the list of tools has changed.
    Announce(String),
    /// The result, and then all sessions are forgotten.
    Forget(String),
    /// The user is asked; the answer is the result.
    Ask,
    /// The answer to a question of ours: the question's id and the text of the whole message.
    Answered(String, String),
    /// The client has given up on a request.
    Cancelled,
    /// The process or connection ends.
    Leave,
}

pub(super) struct Brain {
    pub(super) settings: Settings,
    added: AtomicUsize,
    pub(super) sessions_opened: AtomicUsize,
    cancellations: AtomicUsize,
}

const OPENING: [&str; 2] = ["initialize", "server/discover"];

impl Brain {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            added: AtomicUsize::new(0),
            sessions_opened: AtomicUsize::new(0),
            cancellations: AtomicUsize::new(0),
        }
    }

    /// `text` is the raw message, `head` its surroundings.
    pub(super) fn consider(&self, text: &str, head: &str) -> Act {
        let Ok(message) = serde_json::from_str::<NeighbourMessage<'_>>(text) else {
            return Act::Error(-32700, "not JSON");
        };
        let Some(method) = message.method.as_deref() else {
            let id = message.id.map_or("null", RawValue::get);
            return Act::Answered(id.to_owned(), text.to_owned());
        };
        if OPENING.contains(&method) {
            match self.settings.start() {
                Start::Hang => return Act::Silence,
                Start::Exit => return Act::Leave,
                Start::Well | Start::Garbage => {}
            }
        }
        if method == "notifications/cancelled" {
            self.cancellations.fetch_add(1, Ordering::SeqCst);
            return Act::Cancelled;
        }
        if message.id.is_none() {
            return Act::Nothing;
        }
        let params =
            message.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        self.answer(method, &params, text, head)
    }

    fn answer(&self, method: &str, params: &Params<'_>, text: &str, head: &str) -> Act {
        match (method, self.settings.era) {
            ("initialize", Era::Legacy) => {
                self.sessions_opened.fetch_add(1, Ordering::SeqCst);
                Act::Result(self.initialized())
            }
            ("server/discover", Era::Modern) => Act::Result(self.discovered()),
            ("subscriptions/listen", Era::Modern) => Act::Listen,
            ("ping", Era::Legacy) => Act::Result("{}".into()),
            ("tools/list", _) => self.list(params.cursor.as_deref()),
            ("resources/list", _) => Act::Result(self.complete(&self.resources())),
            ("resources/templates/list", _) => Act::Result(self.complete(r#""resourceTemplates":[]"#)),
            ("resources/read", _) => {
                let contents =
                    json!([{ "uri": params.uri, "mimeType": "text/plain", "text": self.settings.label }]);
                Act::Result(self.complete(&format!(r#""contents":{contents}"#)))
            }
            ("tools/call", _) => self.call(params, text, head),
            _ => Act::Error(-32601, "method not found"),
        }
    }

    fn initialized(&self) -> String {
        let info = json!({ "name": "bad-neighbour", "version": "1" });
        let capabilities = self.capabilities();
        format!(r#"{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{info}}}"#)
    }

    fn discovered(&self) -> String {
        let capabilities = self.capabilities();
        self.complete(&format!(
            r#""supportedVersions":["2026-07-28"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private""#
        ))
    }

    fn capabilities(&self) -> serde_json::Value {
        let mut capabilities = json!({ "tools": { "listChanged": true } });
        if !self.settings.resource.is_empty() {
            capabilities["resources"] = json!({});
        }
        capabilities
    }

    /// A result with these members and the era's additions.
    fn complete(&self, members: &str) -> String {
        match self.settings.era {
            Era::Legacy => format!("{{{members}}}"),
            Era::Modern => format!(r#"{{"resultType":"complete",{members}}}"#),
        }
    }

    fn resources(&self) -> String {
        let all: Vec<_> = self
            .settings
            .resource
            .iter()
            .map(|uri| json!({ "uri": uri, "name": self.settings.label }))
            .collect();
        format!(r#""resources":{}"#, json!(all))
    }

    fn list(&self, cursor: Option<&str>) -> Act {
        let page: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let one = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } }).to_string();
        match self.settings.list() {
            List::Hang => Act::Silence,
            List::Shapeless => Act::Result(self.complete(r#""tools":"none""#)),
            List::Endless => self.page(&[one(&format!("page_{page}"))], Some(page + 1)),
            List::Repeat => self.page(&[one(&format!("page_{page}"))], Some(1)),
            List::Well => {
                let tools = self.definitions();
                let size = self.settings.page_size.unwrap_or(usize::MAX);
                let end = page.saturating_add(size).min(tools.len());
                self.page(&tools[page.min(end)..end], (end < tools.len()).then_some(end))
            }
        }
    }

    fn page(&self, tools: &[String], next: Option<usize>) -> Act {
        let mut members = format!(r#""tools":[{}]"#, tools.join(","));
        if let Some(next) = next {
            write!(members, r#","nextCursor":"{next}""#).expect("a string takes everything");
        }
        if self.settings.era == Era::Modern {
            members.push_str(r#","ttlMs":0,"cacheScope":"private""#);
        }
        Act::Result(self.complete(&members))
    }

    fn definitions(&self) -> Vec<String> {
        if let Some(file) = &self.settings.definitions {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            return text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        }
        let plain =
            ["echo", "raw", "head", "verbatim", "change", "forget", "sessions", "cancellations", "ask"];
        let bad = TOOLS.iter().map(|(name, _)| *name);
        let bulk = (0..self.settings.bulk).map(|at| format!("bulk_{at:05}"));
        let added = (0..self.added.load(Ordering::SeqCst)).map(|at| format!("added_{at}"));
        let names = plain.into_iter().chain(bad).map(str::to_owned).chain(bulk).chain(added);
        names.map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }).to_string()).collect()
    }

    fn call(&self, params: &Params<'_>, text: &str, head: &str) -> Act {
        let name = params.name.as_deref().unwrap_or_default();
        if let Some((_, misdeed)) = TOOLS.into_iter().find(|(tool, _)| *tool == name) {
            return Act::Misdeed(misdeed);
        }
        match name {
            "raw" => Act::Result(self.said(text)),
            "head" => Act::Result(self.said(head)),
            "verbatim" => Act::Result(self.verbatim()),
            "sessions" => Act::Result(self.said(&self.sessions_opened.load(Ordering::SeqCst).to_string())),
            "cancellations" => Act::Result(self.said(&self.cancellations.load(Ordering::SeqCst).to_string())),
            "change" => {
                self.added.fetch_add(1, Ordering::SeqCst);
                Act::Announce(self.said("changed"))
            }
            "ask" => match (self.settings.era, params.answers) {
                (Era::Legacy, _) => Act::Ask,
                (Era::Modern, None) => Act::Result(input_required()),
                (Era::Modern, Some(answers)) => Act::Result(self.said(answers.get())),
            },
            "forget" => Act::Forget(self.said("forgotten")),
            _ => {
                let arguments = params.arguments.map_or("", RawValue::get);
                Act::Result(self.said(&format!("{} {name} {arguments}", self.settings.label)))
            }
        }
    }

    fn verbatim(&self) -> String {
        let file = self.settings.result.as_ref().expect("`verbatim` needs --result");
        std::fs::read_to_string(file).expect("the file of --result can be read")
    }

    /// The result of a tool with a text.
    pub(super) fn said(&self, text: &str) -> String {
        self.complete(&format!(r#""content":{}"#, json!([{ "type": "text", "text": text }])))
    }

    /// A whole response of 50 MiB.
    pub(super) fn huge(&self, id: &str) -> String {
        let text = "x".repeat(HUGE_BYTES);
        response(id, &self.complete(&format!(r#""content":[{{"type":"text","text":"{text}"}}]"#)))
    }

    pub(super) fn chatter(&self) {
        let line = format!("{}\n", "chatter ".repeat(128));
        let mut stderr = std::io::stderr().lock();
        for _ in 0..CHATTER_BYTES / line.len() {
            // A closed standard error needs no output.
            drop(stderr.write_all(line.as_bytes()));
        }
    }

    /// Starts a process that carries our label and would run for a long time.
    pub(super) fn grandchild(&self) {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        command.args(["--idle", "--label", &self.settings.label]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("a child can be started");
        std::thread::spawn(move || child.wait());
    }
}

pub(super) fn response(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub(super) fn error(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// The question to the user.
const QUESTION: &str =
    r#"{"message":"Well?","requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}}"#;

/// The question as a request of the older era.
pub(super) fn question(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{QUESTION}}}"#)
}

/// The question as a result of the newer era.
fn input_required() -> String {
    let requests = format!(r#"{{"word":{{"method":"elicitation/create","params":{QUESTION}}}}}"#);
    format!(r#"{{"resultType":"input_required","inputRequests":{requests},"requestState":"the state"}}"#)
}

/// A meaningless notification.
pub(super) fn noise(at: usize) -> String {
    let data = "x".repeat(200);
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{at} {data}"}}}}"#
    )
}

/// `notifications/tools/list_changed`, for the subscription with this id if there is one.
pub(super) fn list_changed(subscription: Option<&str>) -> String {
    let params = subscription
        .map(|id| format!(r#","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#))
        .unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed"{params}}}"#)
}

/// The first message on a subscription.
pub(super) fn acknowledged(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{"toolsListChanged":true}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
    )
}
