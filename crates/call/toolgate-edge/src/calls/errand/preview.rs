//! The request that a connector would send: shown to the people who are asked about a call, and looked at again before it is sent.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::connector::ConnectorName;
use toolgate_core::content::AttachedContents;
use toolgate_core::id::CallId;
use toolgate_core::port::{ServerError, ServerReply, ServerRequest};
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Digest, Refusal, RpcError};

use super::{AgreedRequest, Errand};
use crate::calls::own;
use crate::calls::tool_call::ToolCall;

/// Only the gateway sends it, and never a client.
const METHOD: &str = "toolgate/preview";
/// Stands for the id of the call where a request would name it.
const SHOWN_CALL: &str = "tc_of_this_call";
/// Characters of a request that people are shown.
const SHOWN_CHARS_MAX: usize = 64 << 10;

/// The part of the server's answer that people see.
#[derive(Deserialize)]
struct PreviewText {
    text: String,
}

impl Errand<'_> {
    /// True if the call is a write of a connector.
    pub(super) fn is_shown_to_people(&self) -> bool {
        let ToolCall { entry, .. } = self.call;
        let is_connector = !own::is_own(entry) && ConnectorName::of(&entry.server).is_some();
        is_connector && self.call.tool().effects.changes_something()
    }

    /// Keeps the request that these arguments would make. A server that shows none leaves people with the arguments.
    pub(super) async fn show_request(&self, arguments: &Value) -> Result<AttachedContents, Refusal> {
        let Some(text) = self.previewed(arguments).await? else { return Ok(AttachedContents::default()) };
        let shown = AgreedRequest { arguments: arguments.clone(), text: Digest::of(&text) };
        let attached = self.call.gateway.contents.keep_request(&self.holder, text).await?;
        self.state.lock().shown = Some(shown);
        Ok(attached)
    }

    /// People may have taken their time: what they saw must still make the same request. Whoever edits the arguments decides on those.
    pub(super) async fn check_request(&self, shown: &AgreedRequest) -> Result<(), Refusal> {
        let now = self.previewed(&shown.arguments).await?;
        match now.is_some_and(|text| Digest::of(&text) == shown.text) {
            true => Ok(()),
            false => {
                let message =
                    format!("the request of {} is not what was agreed to any more", self.call.tool().name);
                Err(Refusal::new(&codes::REQUEST_CHANGED, message))
            }
        }
    }

    async fn previewed(&self, arguments: &Value) -> Result<Option<String>, Refusal> {
        let ToolCall { gateway, caller, entry, .. } = self.call;
        let filled = with_files_named(&self.call.tool().handling.files, arguments);
        let params = format!("\"name\":{},\"arguments\":{filled}", json!(entry.own));
        let mut request = ServerRequest::new(METHOD, params);
        // The same each time, so that the same arguments have the same text.
        request.call = Some(CallId::new(SHOWN_CALL));
        let asked = gateway.servers.request(&entry.server, request, caller.clone());
        match asked.await {
            Ok(ServerReply::Complete(result) | ServerReply::Cached(result)) => {
                let PreviewText { text } = result.decode().map_err(|_| unshown("its answer has no text"))?;
                Ok(Some(cut(text)))
            }
            Ok(ServerReply::InputRequired(_) | ServerReply::Task(_)) => {
                Err(unshown("it answered with a question"))
            }
            Err(ServerError::Rpc(error)) if error.code == RpcError::METHOD_NOT_FOUND => Ok(None),
            Err(ServerError::Rpc(error)) if error.code == RpcError::INVALID_PARAMS => {
                Err(Refusal::new(&codes::INVALID_ARGUMENTS, error.message))
            }
            Err(ServerError::Rpc(error)) => Err(unshown(&error.message)),
            Err(ServerError::Fault(fault)) => {
                Err(Refusal::new(fault.kind.code(), fault.told()).hint(fault.hint()))
            }
        }
    }
}

fn unshown(why: &str) -> Refusal {
    let message = format!("the request cannot be shown to people, so they were not asked: {why}");
    Refusal::new(&codes::SERVER_GARBLED, message)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        None => text,
        Some((at, _)) => format!("{}\n… and {} bytes more\n", &text[..at], text.len() - at),
    }
}

/// The arguments as the server takes them, with the name of each file in place of its content: people are shown the files beside.
fn with_files_named(slots: &[FileSlot], arguments: &Value) -> Value {
    let mut filled = arguments.clone();
    let Some(members) = filled.as_object_mut() else { return filled };
    for slot in slots.iter().filter(|slot| slot.content != slot.argument) {
        let Some(id) = members.remove(&slot.argument) else { continue };
        let named = match &id {
            Value::Array(ids) => ids.iter().map(|id| placeholder(slot.strategy, id)).collect(),
            id => placeholder(slot.strategy, id),
        };
        members.insert(slot.content.clone(), named);
        if let Some(media_type) = &slot.media_type {
            members.entry(media_type.clone()).or_insert_with(|| json!("application/octet-stream"));
        }
        if let Some(file_name) = &slot.file_name {
            members.insert(file_name.clone(), id);
        }
    }
    filled
}

fn placeholder(strategy: FileStrategy, id: &Value) -> Value {
    let named = format!("[the content of {}]", id.as_str().unwrap_or("a file"));
    match strategy {
        FileStrategy::BinaryBase64 | FileStrategy::ImageBase64 => json!(BASE64_STANDARD.encode(named)),
        _ => json!(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_by_its_name() {
        let slots = [FileSlot::of(FileStrategy::BinaryBase64)];
        let shown = with_files_named(&slots, &json!({ "file_id": "file_1", "channel": "C1" }));
        let content = BASE64_STANDARD.encode("[the content of file_1]");
        let expected =
            json!({ "channel": "C1", "file_data": content, "file_type": "application/octet-stream" });
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_long_request_is_cut_and_says_so() {
        assert_eq!(cut("short".to_owned()), "short");
        let long = cut("ü".repeat(SHOWN_CHARS_MAX + 3));
        assert!(long.ends_with("… and 6 bytes more\n"), "{}", &long[long.len() - 40..]);
    }
}
