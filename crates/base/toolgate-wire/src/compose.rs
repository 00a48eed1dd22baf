//! Messages of ours, as text around values that are not ours.

use bytes::Bytes;
use toolgate_core::{RawJson, RpcError};

use crate::object::{push_member, push_string};

/// `{"jsonrpc":"2.0","id":…,"result":…}`
pub fn response(id: &str, result: &str) -> Bytes {
    let mut text = String::with_capacity(result.len() + id.len() + 40);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(id);
    text.push_str(r#","result":"#);
    text.push_str(result);
    text.push('}');
    text.into()
}

/// The beginning of a response, up to its result; a closing brace must follow the result.
pub fn response_head(id: &str) -> String {
    let mut text = String::with_capacity(id.len() + 40);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(id);
    text.push_str(r#","result":"#);
    text
}

/// The same with more members in front of those of `result`, which must be an object.
pub fn response_with_front(id: &str, front: &str, result: &str) -> Bytes {
    let rest = result.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
    let mut text = String::with_capacity(result.len() + front.len() + id.len() + 40);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(id);
    text.push_str(r#","result":{"#);
    text.push_str(front);
    if !rest.starts_with('}') {
        text.push(',');
    }
    text.push_str(rest);
    text.push('}');
    text.into()
}

/// An error answer. If the id could not be read, the newer era omits it and the older sends null.
pub fn error(id: Option<&str>, error: &RpcError) -> Bytes {
    let mut text = String::with_capacity(160 + error.message.len());
    text.push_str(r#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        text.push_str(r#","id":"#);
        text.push_str(id);
    }
    text.push_str(r#","error":{"code":"#);
    text.push_str(&error.code.to_string());
    text.push_str(r#","message":"#);
    push_string(&mut text, &error.message);
    if let Some(data) = &error.data {
        push_member(&mut text, "data", data.as_str());
    }
    text.push_str("}}");
    text.into()
}

pub fn request(id: u64, method: &str, params: &str) -> Bytes {
    let mut text = String::with_capacity(params.len() + 80);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(&id.to_string());
    text.push_str(r#","method":"#);
    push_string(&mut text, method);
    text.push_str(r#","params":"#);
    text.push_str(params);
    text.push('}');
    text.into()
}

pub fn notification(method: &str, params: Option<&RawJson>) -> Bytes {
    let mut text = String::with_capacity(80 + params.map_or(0, |params| params.as_bytes().len()));
    text.push_str(r#"{"jsonrpc":"2.0","method":"#);
    push_string(&mut text, method);
    if let Some(params) = params {
        text.push_str(r#","params":"#);
        text.push_str(params.as_str());
    }
    text.push('}');
    text.into()
}
