//! The body of a request: JSON, a form, parts, or bytes as they are.

use openapi_tools::ApiBody;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::escape;
use super::text::{member, texts};
use crate::bytes::bytes_of;
use crate::error::BadActionArguments;
use crate::pointer;
use crate::step::PlacedValue;
use crate::words::{Encoding, RequestPlace};

const BINARY: &str = "application/octet-stream";

/// The body of these values, which are all of one kind: the file was checked for that.
pub(super) fn body(values: &[PlacedValue]) -> Result<Option<ApiBody>, BadActionArguments> {
    let of = |place| values.iter().filter(move |one| one.place == place).peekable();
    if let Some(raw) = of(RequestPlace::Raw).next() {
        return raw_body(raw).map(Some);
    }
    if of(RequestPlace::Multipart).peek().is_some() {
        return parts(of(RequestPlace::Multipart)).map(Some);
    }
    if of(RequestPlace::Form).peek().is_some() {
        return form(of(RequestPlace::Form)).map(Some);
    }
    if of(RequestPlace::Body).peek().is_some() {
        return json(of(RequestPlace::Body)).map(Some);
    }
    Ok(None)
}

fn raw_body(value: &PlacedValue) -> Result<ApiBody, BadActionArguments> {
    let bytes = match value.encode {
        Some(Encoding::Bytes) => bytes_of(&value.argument, &value.value)?,
        _ => texts(value)?.concat().into_bytes(),
    };
    Ok(ApiBody { media_type: BINARY.to_owned(), bytes })
}

fn json<'a>(values: impl Iterator<Item = &'a PlacedValue>) -> Result<ApiBody, BadActionArguments> {
    let mut body = Value::Object(Map::new());
    for one in values {
        pointer::put(&mut body, &one.name, member(one)?);
    }
    Ok(ApiBody {
        media_type: "application/json; charset=utf-8".to_owned(),
        bytes: body.to_string().into_bytes(),
    })
}

fn form<'a>(values: impl Iterator<Item = &'a PlacedValue>) -> Result<ApiBody, BadActionArguments> {
    let mut pairs = Vec::new();
    for one in values {
        for text in texts(one)? {
            pairs.push(format!("{}={}", escape(&one.name), escape(&text)));
        }
    }
    let bytes = pairs.join("&").into_bytes();
    Ok(ApiBody { media_type: "application/x-www-form-urlencoded".to_owned(), bytes })
}

/// The boundary is the digest of the parts, so that the same arguments are the same bytes: an approval is bound to them.
fn parts<'a>(values: impl Iterator<Item = &'a PlacedValue>) -> Result<ApiBody, BadActionArguments> {
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for one in values {
        if one.encode == Some(Encoding::Bytes) {
            let file = one.file_name.as_deref().unwrap_or("file");
            let head = format!(
                "name=\"{}\"; filename=\"{}\"\r\nContent-Type: {BINARY}",
                quoted(&one.name),
                quoted(file)
            );
            parts.push((head, bytes_of(&one.argument, &one.value)?));
            continue;
        }
        for text in texts(one)? {
            parts.push((format!("name=\"{}\"", quoted(&one.name)), text.into_bytes()));
        }
    }
    let boundary = boundary(&parts);
    let mut bytes = Vec::new();
    for (head, content) in parts {
        bytes.extend_from_slice(
            format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes(),
        );
        bytes.extend_from_slice(&content);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(ApiBody { media_type: format!("multipart/form-data; boundary={boundary}"), bytes })
}

fn boundary(parts: &[(String, Vec<u8>)]) -> String {
    let mut digest = Sha256::new();
    for (head, content) in parts {
        digest.update(head.as_bytes());
        digest.update(content);
    }
    let digest = digest.finalize();
    digest[..16].iter().fold("part-".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// The escapes of browsers for names in a `Content-Disposition`.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
