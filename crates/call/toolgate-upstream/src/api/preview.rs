//! The request that a call would send, for the people who agree to it: every secret is masked, and nothing is sent.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use connector_file::PlannedRequest;
use openapi_tools::ApiRequest;
use serde_json::{Map, Value, json};
use toolgate_core::RawJson;
use toolgate_core::tool::FileSlot;
use url::Url;

use super::book::{BookTool, BookToolKind};
use super::exchange::ApiRoute;
use super::masks::MASK;
use super::operation::{address_of, request_of};

/// The longest body that is shown as text.
const BODY_BYTES_MAX: usize = 16 << 10;

/// The preview of a call; words if the arguments make no request.
pub(super) fn of_call(
    route: ApiRoute<'_>,
    tool: &BookTool,
    arguments: &Map<String, Value>,
    call: &str,
) -> Result<RawJson, String> {
    let mut arguments = with_placeholders(&tool.files, arguments);
    let labels = tool.labels(&mut arguments);
    let requests: Vec<ShownRequest> = match &tool.kind {
        BookToolKind::Operation(operation) => {
            let request = request_of(operation, &arguments, &labels, call)?;
            let address = address_of(route, operation, &request);
            vec![ShownRequest::of(route, &request, &address, true)]
        }
        BookToolKind::Action(action) => {
            let steps = action.call(&arguments, call).map_err(|bad| bad.to_string())?;
            let planned = steps.preview(&route.origin.base).map_err(|bad| bad.to_string())?;
            let shown =
                |one: &PlannedRequest| ShownRequest::of(route, &one.request, &one.address, one.with_secrets);
            planned.iter().map(shown).collect()
        }
    };
    let text: Vec<String> = requests.iter().map(ShownRequest::text).collect();
    let requests: Vec<Value> = requests.into_iter().map(ShownRequest::json).collect();
    let first = requests.first().cloned().unwrap_or_default();
    Ok(RawJson::from_serialize(&json!({ "request": first, "requests": requests, "text": text.join("\n\n") })))
}

/// Ids of files stand where their bytes would.
fn with_placeholders(slots: &[FileSlot], arguments: &Map<String, Value>) -> Map<String, Value> {
    let placeholder =
        |id: &Value| Value::from(BASE64_STANDARD.encode(format!("‹{}›", id.as_str().unwrap_or_default())));
    let mut filled = arguments.clone();
    for slot in slots {
        let Some(given) = filled.remove(&slot.argument) else { continue };
        let content = match &given {
            Value::Array(ids) => ids.iter().map(placeholder).collect(),
            id => placeholder(id),
        };
        filled.insert(slot.content.clone(), content);
    }
    filled
}

struct ShownRequest {
    method: &'static str,
    url: String,
    /// The address within that of the API, for callers who are not told where that is.
    path: String,
    headers: Vec<(String, String)>,
    body: ShownBody,
}

enum ShownBody {
    None,
    Text(String),
    Bytes(usize),
}

impl ShownRequest {
    fn of(route: ApiRoute<'_>, request: &ApiRequest, address: &str, with_secrets: bool) -> Self {
        let mut headers = request.headers.clone();
        headers
            .extend(request.cookies.iter().map(|(name, _)| ("cookie".to_owned(), format!("{name}={MASK}"))));
        headers.extend(request.body.iter().map(|body| ("content-type".to_owned(), body.media_type.clone())));
        let mut url = address.to_owned();
        let path = path_of(&route.origin.base, address);
        if with_secrets {
            headers.extend(route.origin.header_names.iter().map(|name| (name.clone(), MASK.to_owned())));
            for (name, _) in &route.origin.query {
                url.push(if url.contains('?') { '&' } else { '?' });
                url.push_str(&format!("{name}={MASK}"));
            }
        }
        Self { method: request.method.as_str(), url, path, headers, body: ShownBody::of(request) }
    }

    fn json(self) -> Value {
        let headers: Map<String, Value> =
            self.headers.into_iter().map(|(name, value)| (name, value.into())).collect();
        let mut shown =
            json!({ "method": self.method, "url": self.url, "path": self.path, "headers": headers });
        match self.body {
            ShownBody::None => {}
            ShownBody::Text(text) => shown["body_text"] = text.into(),
            ShownBody::Bytes(bytes) => shown["body_bytes"] = bytes.into(),
        }
        shown
    }

    fn text(&self) -> String {
        let mut text = format!("{} {}", self.method, self.url);
        for (name, value) in &self.headers {
            text.push_str(&format!("\n{name}: {value}"));
        }
        match &self.body {
            ShownBody::None => {}
            ShownBody::Text(body) => text.push_str(&format!("\n\n{body}")),
            ShownBody::Bytes(bytes) => text.push_str(&format!("\n\n({bytes} bytes)")),
        }
        text
    }
}

/// An address of its own, or one that an answer will name, is left out but for its path.
fn path_of(base: &str, address: &str) -> String {
    if let Some(path) = address.strip_prefix(base) {
        return path.to_owned();
    }
    match Url::parse(address) {
        Ok(url) => url.path().to_owned(),
        Err(_) => address.to_owned(),
    }
}

impl ShownBody {
    fn of(request: &ApiRequest) -> Self {
        let Some(body) = &request.body else { return Self::None };
        match std::str::from_utf8(&body.bytes) {
            Ok(text) if body.bytes.len() <= BODY_BYTES_MAX && !text.contains('\0') => {
                Self::Text(text.to_owned())
            }
            _ => Self::Bytes(body.bytes.len()),
        }
    }
}
