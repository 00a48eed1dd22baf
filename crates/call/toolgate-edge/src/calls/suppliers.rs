//! Suppliers for files and refs: the text of a document, by a tool that reads documents, and what a server keeps
//! under an id of its own.

use std::sync::{Arc, Weak};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{CatalogEntry, Snapshot};
use toolgate_core::codes;
use toolgate_core::content::{Attachment, ContentHolder, Suppliers};
use toolgate_core::port::{BoxFuture, ServerError, ServerReply, ServerRequest};
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Digest, RawJson, Refusal, RefusalKind, ServerName};
use toolgate_pipeline::{CallAnswer, CallAnswerBody, WaitMode};
use toolgate_wire::ProtocolVersion;
use toolgate_wire::object::push_member;

use crate::calls::forward;
use crate::calls::tool_call::{ResultAudience, SchemaNote, ToolCall};
use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::text::quoted;

/// The gateway, as files and refs ask it.
pub struct GatewaySuppliers(Weak<Gateway>);

impl GatewaySuppliers {
    pub fn of(gateway: &Arc<Gateway>) -> Self {
        Self(Arc::downgrade(gateway))
    }

    fn gateway(&self) -> Result<Arc<Gateway>, Refusal> {
        let ended = || Refusal::new(&codes::SHUTTING_DOWN, "the gateway is shutting down");
        self.0.upgrade().ok_or_else(ended)
    }
}

impl Suppliers for GatewaySuppliers {
    fn extract<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a str,
        file: &'a Attachment,
    ) -> BoxFuture<'a, Result<String, Refusal>> {
        Box::pin(async move {
            let gateway = self.gateway()?;
            gateway.wait_settled().await;
            let entry = find_extractor(&gateway.discovery.snapshot(), gateway.pipeline.now_ms(), tool)?;
            let server = entry.server.clone();
            let answer = ask_extractor(&gateway, holder, entry, file).await?;
            match text_of(tool, &file.id, answer)? {
                DocumentText::Whole(text) => Ok(text),
                DocumentText::Kept(own) => {
                    let read = self.fetch(holder, &server, &own, None).await?;
                    kept_text(tool, &file.id, &read)
                }
            }
        })
    }

    fn extractor_version(&self, tool: &str) -> Option<Digest> {
        let gateway = self.0.upgrade()?;
        let found = gateway.discovery.snapshot();
        let found = found.find_tool(tool, gateway.pipeline.now_ms())?;
        found.entry.tool.as_ref().map(|tool| tool.version)
    }

    fn fetch<'a>(
        &'a self,
        holder: &'a ContentHolder,
        server: &'a ServerName,
        own: &'a str,
        uri: Option<&'a str>,
    ) -> BoxFuture<'a, Result<RawJson, Refusal>> {
        Box::pin(async move {
            let gateway = self.gateway()?;
            let uri = match uri {
                Some(uri) => uri.to_owned(),
                None => address_of(&gateway.discovery.snapshot(), server, own)?,
            };
            fetch(&gateway, holder, server, own, &uri).await
        })
    }
}

/// The tool that reads documents. It is looked for among all tools there are: it works for the gateway.
fn find_extractor(snapshot: &Snapshot, now_ms: i64, tool: &str) -> Result<Arc<CatalogEntry>, Refusal> {
    let missing = || {
        let message = format!("the text of this file is read by {tool}, and there is no such tool now");
        Refusal::new(&codes::EXTRACTOR_FAILED, message)
            .hint("start the server that has it, or name another tool: `[files] extractor = \"server:tool\"`")
    };
    snapshot.find_tool(tool, now_ms).map(|found| found.entry).ok_or_else(missing)
}

async fn ask_extractor(
    gateway: &Arc<Gateway>,
    holder: &ContentHolder,
    entry: Arc<CatalogEntry>,
    file: &Attachment,
) -> Result<CallAnswer, Refusal> {
    let takes_bytes = |slot: &&FileSlot| slot.strategy == FileStrategy::BinaryBase64 && !slot.many;
    let slots = entry.tool.as_ref().map(|tool| tool.handling.files.clone()).unwrap_or_default();
    let Some(slot) = slots.iter().find(takes_bytes) else {
        let message =
            format!("{} cannot read the text of files: it does not take their bytes", entry.canonical);
        return Err(Refusal::new(&codes::EXTRACTOR_FAILED, message)
            .hint("give it `file_strategy = \"binary_base64\"` under `[[tools]]`"));
    };
    let arguments: RawJson = json!({ (slot.argument.as_str()): file.id }).into();
    let call = ToolCall {
        gateway: gateway.clone(),
        caller: Arc::new(quiet_caller(gateway, holder)?),
        request: Arc::new(OwnedRequest::of_tool_call(entry.canonical.as_str(), &arguments)),
        entry,
        patience: WaitMode::NotAtAll,
        warnings: Vec::new(),
        barred: None,
        note: SchemaNote::Never,
        whole: ResultAudience::ForGateway,
    };
    let told = |error: toolgate_core::RpcError| Refusal::new(&codes::EXTRACTOR_FAILED, error.message);
    // In a box: an extraction is a call within a call.
    Box::pin(call.govern(&CancellationToken::new())).await.map_err(told)
}

/// A caller that can neither be asked nor told anything.
fn quiet_caller(gateway: &Gateway, holder: &ContentHolder) -> Result<RequestCaller, Refusal> {
    let gone = || Refusal::new(&codes::SESSION_CLOSED, "the session of this call has ended");
    let seat = gateway.seats.seat_of(&holder.session).ok_or_else(gone)?;
    let client = Client::new(seat, ProtocolVersion::LATEST_MODERN, RawJson::EMPTY);
    Ok(RequestCaller::quiet(client, gateway.limits.input_wait))
}

/// The text from a tool that reads documents.
#[derive(PartialEq, Debug)]
enum DocumentText {
    Whole(String),
    /// Only the beginning: the server keeps the text under this id.
    Kept(String),
}

fn unread(tool: &str, file: &str, why: &str) -> Refusal {
    let message = format!("{tool} could not read the text of {file}: {why}");
    Refusal::new(&codes::EXTRACTOR_FAILED, message)
        .hint("use a tool that takes the file itself, or a file that holds text")
}

fn text_of(tool: &str, file: &str, answer: CallAnswer) -> Result<DocumentText, Refusal> {
    let failed = |why: String| Err(unread(tool, file, &why));
    let result: Value = match answer.body {
        CallAnswerBody::Result(result) => result.decode().unwrap_or_default(),
        CallAnswerBody::Refusal(refusal) => return failed(refusal.message),
        CallAnswerBody::Error(error) => return failed(error.message),
        CallAnswerBody::InputRequired { .. } | CallAnswerBody::Task(_) | CallAnswerBody::Handle(_) => {
            return failed("it wants something first that a person has to give".to_owned());
        }
    };
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    if result["isError"] == true {
        return failed(texts.join("\n"));
    }
    // Servers repeat their structured content as text; the text itself is what is wanted.
    Ok(extracted(&result["structuredContent"], &texts))
}

fn extracted(structured: &Value, texts: &[&str]) -> DocumentText {
    match (structured["text"].as_str(), structured["ref_id"].as_str()) {
        // A part of a text that looks like all of it would be the worst of answers.
        (_, Some(own)) if structured["truncated"] == true => DocumentText::Kept(own.to_owned()),
        (Some(text), _) => DocumentText::Whole(text.to_owned()),
        (None, Some(own)) => DocumentText::Kept(own.to_owned()),
        (None, None) => DocumentText::Whole(texts.join("\n")),
    }
}

/// The text of what `resources/read` gave.
fn kept_text(tool: &str, file: &str, read: &RawJson) -> Result<String, Refusal> {
    let read: Value = read.decode().unwrap_or_default();
    let contents = read["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = contents.iter().filter_map(|content| content["text"].as_str()).collect();
    if texts.is_empty() {
        return Err(unread(tool, file, "what it keeps of it is not text"));
    }
    Ok(texts.concat())
}

/// The template under which a server's own ids can be read: one with a single place to fill.
fn address_of(snapshot: &Snapshot, server: &ServerName, own: &str) -> Result<String, Refusal> {
    let templates = snapshot.templates.entries().iter().filter(|entry| entry.server == *server);
    let filled = templates.filter_map(|entry| fill(&entry.own, own));
    let mut filled: Vec<(bool, String)> = filled.collect();
    // A place that is called by the name of the argument comes before one that merely is one.
    filled.sort_by_key(|(is_named, _)| !is_named);
    match filled.into_iter().next() {
        Some((_, uri)) => Ok(uri),
        None => {
            let message = format!(
                "server \"{server}\" gave the id {own:?} and offers no way to read what is behind it"
            );
            Err(Refusal::new(&codes::UNKNOWN_REF, message).kind(RefusalKind::Conflict)
                .hint("the server has to list a resource template such as \"docs://{ref_id}\", or a resource_link with the result"))
        }
    }
}

/// A template with its only place filled, and whether the place is for ids.
fn fill(template: &str, own: &str) -> Option<(bool, String)> {
    let (before, rest) = template.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    if after.contains('{') || name.starts_with(['?', '&', '#', '/', '.', ';']) {
        return None;
    }
    let value = match name.strip_prefix('+') {
        Some(_) => own.to_owned(),
        None => utf8_percent_encode(own, UNRESERVED).to_string(),
    };
    Some((name.trim_start_matches('+').ends_with("id"), format!("{before}{value}{after}")))
}

/// The characters that a simple expression of a URI template leaves as they are.
const UNRESERVED: &percent_encoding::AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

async fn fetch(
    gateway: &Arc<Gateway>,
    holder: &ContentHolder,
    server: &ServerName,
    own: &str,
    uri: &str,
) -> Result<RawJson, Refusal> {
    let caller = Arc::new(quiet_caller(gateway, holder)?);
    let mut params = String::new();
    push_member(&mut params, "uri", &quoted(uri));
    let mut request = ServerRequest::new("resources/read", params);
    request.name = Some(uri.to_owned());
    let failed = |why: String| {
        let message = format!("server \"{server}\" did not give what it calls {own:?}: {why}");
        Refusal::new(&codes::UNKNOWN_REF, message)
            .kind(RefusalKind::Conflict)
            .hint("it may have forgotten it; call the tool again that made it")
    };
    match forward::forward(gateway, &caller, server, None, request).await {
        Ok(ServerReply::Complete(result) | ServerReply::Cached(result)) => Ok(result),
        Ok(ServerReply::InputRequired(_) | ServerReply::Task(_)) => {
            Err(failed("it asks for something first".to_owned()))
        }
        Err(ServerError::Rpc(error)) => Err(failed(error.message)),
        Err(ServerError::Fault(fault)) => Err(failed(fault.told())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_is_taken_from_where_the_server_keeps_all_of_it() {
        let of = |structured: Value| extracted(&structured, &["as", "text"]);
        assert_eq!(of(json!({"text": "all", "truncated": false})), DocumentText::Whole("all".into()));
        assert_eq!(
            of(json!({"text": "al", "truncated": true, "ref_id": "doc_1"})),
            DocumentText::Kept("doc_1".into())
        );
        assert_eq!(of(json!({"text": "all", "ref_id": "doc_1"})), DocumentText::Whole("all".into()));
        assert_eq!(of(json!({"ref_id": "doc_1"})), DocumentText::Kept("doc_1".into()));
        assert_eq!(of(Value::Null), DocumentText::Whole("as\ntext".into()));
    }

    #[test]
    fn what_is_kept_has_to_be_text() {
        let read = |value: Value| kept_text("docs:text", "file_1", &value.into());
        let two = json!({"contents": [{"uri": "a", "text": "one "}, {"uri": "b", "text": "two"}]});
        assert_eq!(read(two).expect("text"), "one two");
        let bytes = json!({"contents": [{"uri": "a", "blob": "AAAA"}]});
        assert!(read(bytes).expect_err("bytes").message.contains("not text"));
    }

    #[test]
    fn a_template_with_one_place_leads_to_what_an_id_names() {
        let filled = |template: &str| fill(template, "doc 1");
        assert_eq!(filled("docs://{ref_id}"), Some((true, "docs://doc%201".to_owned())));
        assert_eq!(filled("docs://{+path}/raw"), Some((false, "docs://doc 1/raw".to_owned())));
        for other in ["docs://all", "docs://{a}/{b}", "docs://x{?id}", "docs://{open"] {
            assert_eq!(filled(other), None, "{other}");
        }
    }
}
