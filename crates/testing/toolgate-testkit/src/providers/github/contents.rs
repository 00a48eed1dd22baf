//! Files of the repository: a commit for each change, and the blob's digest against lost updates.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::providers::exchange::{ProviderAnswer, ProviderRequest};

type Files = BTreeMap<String, Vec<u8>>;

pub(super) fn read(files: &Files, path: &str, request: &ProviderRequest) -> ProviderAnswer {
    if let Some(bytes) = files.get(path) {
        let is_raw = request.header("accept").is_some_and(|accept| accept.contains("raw"));
        return match is_raw {
            true => {
                ProviderAnswer::bytes(200, "application/vnd.github.raw+json; charset=utf-8", bytes.clone())
            }
            false => ProviderAnswer::json(200, &file(path, bytes)),
        };
    }
    let listed = folder(files, path);
    if listed.is_empty() {
        return refused(404, "Not Found");
    }
    ProviderAnswer::json(200, &Value::Array(listed))
}

pub(super) fn write(
    files: &mut Files,
    path: &str,
    request: &ProviderRequest,
    effects: &mut Vec<String>,
) -> ProviderAnswer {
    let content = request.content();
    let bytes = content["content"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
    let (Some(bytes), Some(message)) = (bytes, content["message"].as_str()) else {
        return refused(422, "Invalid request.");
    };
    let before = files.get(path).map(|bytes| sha(bytes));
    if before.as_deref() != content["sha"].as_str() {
        return refused(409, &format!("{path} does not match {}", content["sha"]));
    }
    effects.push(format!("contents.write {path} {message}"));
    let answer = json!({ "content": file(path, &bytes), "commit": { "message": message } });
    let status = if before.is_some() { 200 } else { 201 };
    files.insert(path.to_owned(), bytes);
    ProviderAnswer::json(status, &answer)
}

pub(super) fn delete(
    files: &mut Files,
    path: &str,
    request: &ProviderRequest,
    effects: &mut Vec<String>,
) -> ProviderAnswer {
    let content = request.content();
    let Some(before) = files.get(path).map(|bytes| sha(bytes)) else { return refused(404, "Not Found") };
    if content["sha"] != before.as_str() {
        return refused(409, &format!("{path} does not match {}", content["sha"]));
    }
    files.remove(path);
    effects.push(format!("contents.delete {path}"));
    ProviderAnswer::json(200, &json!({ "content": null, "commit": { "message": content["message"] } }))
}

/// What a folder has: files, and folders once each.
fn folder(files: &Files, path: &str) -> Vec<Value> {
    let path = path.trim_end_matches('/');
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut seen = BTreeSet::new();
    let mut listed = Vec::new();
    for (name, bytes) in files {
        let Some(rest) = name.strip_prefix(&prefix) else { continue };
        match rest.split_once('/') {
            Some((folder, _)) if seen.insert(folder.to_owned()) => {
                listed.push(json!({ "type": "dir", "name": folder, "path": format!("{prefix}{folder}") }));
            }
            Some(_) => {}
            None => listed.push(json!({ "type": "file", "name": rest, "path": name, "sha": sha(bytes) })),
        }
    }
    listed
}

fn file(path: &str, bytes: &[u8]) -> Value {
    let name = path.rsplit('/').next().unwrap_or(path);
    json!({
        "type": "file", "name": name, "path": path, "sha": sha(bytes), "size": bytes.len(),
        "encoding": "base64", "content": BASE64_STANDARD.encode(bytes),
    })
}

/// As long as Git's, which is all that anybody looks at.
fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..20].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn refused(status: u16, message: &str) -> ProviderAnswer {
    ProviderAnswer::json(status, &json!({ "message": message }))
}
