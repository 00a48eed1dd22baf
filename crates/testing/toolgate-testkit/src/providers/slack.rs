//! A small Slack: 200 whatever happens, `ok` in the body, cursors, and files in three steps.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::exchange::{Provider, ProviderAnswer, ProviderRequest, SignedOut};
use super::pages::{PageManner, cut};

/// The largest page, whatever is asked for.
const PAGE_MAX: usize = 1000;

pub struct Slack {
    pub channels: Vec<Value>,
    pub users: Vec<Value>,
    /// Messages by channel, oldest first.
    pub messages: BTreeMap<String, Vec<Value>>,
    /// Files that were completed: id, name and bytes.
    pub files: Vec<(String, String, Vec<u8>)>,
    /// A page has no more items than this.
    pub page_max: usize,
    /// Begun uploads by id: name, promised length, bytes if they came.
    uploads: BTreeMap<String, (String, usize, Option<Vec<u8>>)>,
    count: u64,
}

impl Default for Slack {
    fn default() -> Self {
        Self {
            channels: [("C1", "general"), ("C2", "random"), ("C3", "deals")].map(channel).to_vec(),
            users: [("U1", "ann"), ("U2", "bob")].map(user).to_vec(),
            messages: BTreeMap::new(),
            files: Vec::new(),
            page_max: PAGE_MAX,
            uploads: BTreeMap::new(),
            count: 0,
        }
    }
}

fn channel((id, name): (&str, &str)) -> Value {
    json!({ "id": id, "name": name, "is_channel": true, "is_archived": false, "num_members": 3 })
}

fn user((id, name): (&str, &str)) -> Value {
    json!({ "id": id, "name": name, "deleted": false, "is_bot": false })
}

impl Slack {
    /// A workspace with so many channels, `C1` first.
    pub fn with_channels(count: usize) -> Self {
        let one = |at: usize| {
            let (id, name) = (format!("C{at}"), format!("channel-{at}"));
            channel((id.as_str(), name.as_str()))
        };
        let channels = (1..=count).map(one).collect();
        Self { channels, ..Self::default() }
    }

    /// The texts of a channel, oldest first.
    pub fn texts(&self, channel: &str) -> Vec<String> {
        let messages = self.messages.get(channel).into_iter().flatten();
        messages.filter_map(|message| message["text"].as_str().map(str::to_owned)).collect()
    }

    fn next_number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn has_channel(&self, id: &str) -> bool {
        self.channels.iter().any(|channel| channel["id"] == id)
    }

    fn post_message(&mut self, request: &ProviderRequest, effects: &mut Vec<String>) -> ProviderAnswer {
        let Some(channel) = request.parameter("channel").filter(|channel| self.has_channel(channel)) else {
            return refused("channel_not_found");
        };
        let Some(text) = request.parameter("text").filter(|text| !text.is_empty()) else {
            return refused("no_text");
        };
        let ts = format!("1700000000.{:06}", self.next_number());
        let thread = request.parameter("thread_ts");
        let message =
            json!({ "type": "message", "user": "UBOT", "text": text, "ts": ts, "thread_ts": thread });
        self.messages.entry(channel.clone()).or_default().push(message.clone());
        effects.push(format!("chat.postMessage {channel} {text}"));
        ProviderAnswer::json(200, &json!({ "ok": true, "channel": channel, "ts": ts, "message": message }))
    }

    fn delete_message(&mut self, request: &ProviderRequest, effects: &mut Vec<String>) -> ProviderAnswer {
        let channel = request.parameter("channel").unwrap_or_default();
        let ts = request.parameter("ts").unwrap_or_default();
        let Some(messages) = self.messages.get_mut(&channel) else { return refused("channel_not_found") };
        let before = messages.len();
        messages.retain(|message| message["ts"] != ts.as_str());
        if messages.len() == before {
            return refused("message_not_found");
        }
        effects.push(format!("chat.delete {channel} {ts}"));
        ProviderAnswer::json(200, &json!({ "ok": true, "channel": channel, "ts": ts }))
    }

    fn replies(&self, request: &ProviderRequest, manner: PageManner) -> ProviderAnswer {
        let channel = request.parameter("channel").unwrap_or_default();
        let ts = request.parameter("ts").unwrap_or_default();
        if !self.has_channel(&channel) {
            return refused("channel_not_found");
        }
        let of_thread =
            |message: &&Value| message["ts"] == ts.as_str() || message["thread_ts"] == ts.as_str();
        let messages: Vec<Value> =
            self.messages.get(&channel).into_iter().flatten().filter(of_thread).cloned().collect();
        if messages.is_empty() {
            return refused("thread_not_found");
        }
        self.list("messages", &messages, request, manner)
    }

    fn list(
        &self,
        member: &str,
        all: &[Value],
        request: &ProviderRequest,
        manner: PageManner,
    ) -> ProviderAnswer {
        let cursor = request.parameter("cursor").unwrap_or_default();
        let Some(from) = (if cursor.is_empty() { Some(0) } else { position(&cursor) }) else {
            return refused("invalid_cursor");
        };
        let size = request.number("limit").unwrap_or(100).min(self.page_max);
        let (items, next) = cut(all, from, size, manner);
        let next = next.map(|at| format!("bmV4dDo{at}=")).unwrap_or_default();
        let mut answer = json!({ "ok": true, "response_metadata": { "next_cursor": next } });
        answer[member] = Value::Array(items);
        ProviderAnswer::json(200, &answer)
    }

    fn begin_upload(&mut self, request: &ProviderRequest) -> ProviderAnswer {
        let name = request.parameter("filename");
        let length = request.number("length");
        let (Some(name), Some(length)) = (name, length) else { return refused("invalid_arguments") };
        let id = format!("F{}", self.next_number());
        let address = format!("{}/upload/v1/{id}", request.origin);
        self.uploads.insert(id.clone(), (name, length, None));
        ProviderAnswer::json(200, &json!({ "ok": true, "upload_url": address, "file_id": id }))
    }

    fn upload(&mut self, request: &ProviderRequest) -> ProviderAnswer {
        let id = request.path.rsplit('/').next().unwrap_or_default();
        let Some((_, length, bytes)) = self.uploads.get_mut(id) else {
            return ProviderAnswer::bytes(404, "text/plain", b"no such upload".to_vec());
        };
        if request.body.len() != *length {
            return ProviderAnswer::bytes(400, "text/plain", b"another length was promised".to_vec());
        }
        *bytes = Some(request.body.clone());
        ProviderAnswer::bytes(200, "text/plain", format!("OK - {length}").into_bytes())
    }

    fn complete_upload(&mut self, request: &ProviderRequest, effects: &mut Vec<String>) -> ProviderAnswer {
        let content = request.content();
        let files = match &content["files"] {
            // A form has the list as text.
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            other => other.clone(),
        };
        let Some(id) = files.pointer("/0/id").and_then(Value::as_str) else {
            return refused("invalid_arguments");
        };
        let channel = request.parameter("channel_id");
        if channel.as_ref().is_some_and(|channel| !self.has_channel(channel)) {
            return refused("channel_not_found");
        }
        let Some((name, _, Some(bytes))) = self.uploads.remove(id) else { return refused("file_not_found") };
        effects.push(format!("files.completeUploadExternal {id} {name} {}", channel.unwrap_or_default()));
        self.files.push((id.to_owned(), name.clone(), bytes));
        let file = json!({ "id": id, "title": files.pointer("/0/title"), "name": name });
        ProviderAnswer::json(200, &json!({ "ok": true, "files": [file] }))
    }
}

impl Provider for Slack {
    const BASE_PATH: &'static str = "/api";

    fn answer(
        &mut self,
        request: &ProviderRequest,
        manner: PageManner,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        match request.path.strip_prefix("/api/").unwrap_or_default() {
            "auth.test" => ProviderAnswer::json(
                200,
                &json!({ "ok": true, "team": "Example", "user": "bot", "team_id": "T1" }),
            ),
            "chat.postMessage" => self.post_message(request, effects),
            "chat.delete" => self.delete_message(request, effects),
            "conversations.list" => self.list("channels", &self.channels, request, manner),
            "users.list" => self.list("members", &self.users, request, manner),
            "conversations.replies" => self.replies(request, manner),
            "files.getUploadURLExternal" => self.begin_upload(request),
            "files.completeUploadExternal" => self.complete_upload(request, effects),
            _ if request.path.starts_with("/upload/v1/") => self.upload(request),
            _ => refused("unknown_method"),
        }
    }

    fn signed_out(&self, how: SignedOut) -> ProviderAnswer {
        refused(match how {
            SignedOut::Unknown => "invalid_auth",
            SignedOut::Expired => "token_expired",
            SignedOut::Revoked => "token_revoked",
        })
    }

    fn limited(&self) -> ProviderAnswer {
        ProviderAnswer::json(429, &json!({ "ok": false, "error": "ratelimited" }))
    }

    /// The address of an upload is its own key.
    fn needs_token(&self, request: &ProviderRequest) -> bool {
        !request.path.starts_with("/upload/")
    }
}

fn position(cursor: &str) -> Option<usize> {
    cursor.strip_prefix("bmV4dDo")?.strip_suffix('=')?.parse().ok()
}

fn refused(error: &str) -> ProviderAnswer {
    ProviderAnswer::json(200, &json!({ "ok": false, "error": error }))
}
