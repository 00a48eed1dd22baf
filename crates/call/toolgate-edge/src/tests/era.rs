//! How a request is read in its client's era, and how the answer is written in it.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use toolgate_core::server::Era;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::{ProtocolVersion, header, meta};

use super::kit::{client, request, seat};
use crate::calls::find::resource_not_found;
use crate::clients::client::Client;
use crate::messages::frame::ResponseFrame;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::protocol::era;

const MODERN: &str = "2026-07-28";

fn modern_call(meta: Value) -> OwnedRequest {
    request(1, "tools/call", json!({"name": "say", "_meta": meta}))
}

fn whole_meta() -> Value {
    json!({(meta::PROTOCOL_VERSION): MODERN, (meta::CLIENT_CAPABILITIES): {"roots": {}}})
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a legal value"))
    };
    pairs.iter().map(pair).collect()
}

fn read(mut request: OwnedRequest, headers: Option<&HeaderMap>) -> Result<Client, RpcError> {
    era::read_modern(&Arc::new(seat("ada")), &mut request, headers)
}

fn body(response: ResponseFrame) -> Value {
    serde_json::from_slice(&response.body.joined()).expect("answers are JSON")
}

#[test]
fn the_newer_era_is_told_by_its_header_or_by_meta() {
    let check =
        |meta, header, expected| assert_eq!(era::of_message(meta, header), expected, "{meta:?} {header:?}");
    check(None, None, Era::Legacy);
    check(None, Some("2025-11-25"), Era::Legacy);
    check(None, Some(MODERN), Era::Modern);
    check(Some(MODERN), None, Era::Modern);
    check(Some(MODERN), Some("2025-11-25"), Era::Modern);
    // Versions that nobody knows are refused as the newer era refuses them.
    check(None, Some("2099-01-01"), Era::Modern);
}

#[test]
fn a_request_of_the_newer_era_says_its_version_and_what_its_client_can_do() {
    let client = read(modern_call(whole_meta()), None).expect("it says both");
    assert!(client.abilities.roots && !client.abilities.sampling);
    let missing = |meta: Value| read(modern_call(meta), None).err().expect("something is missing").message;
    assert!(missing(json!({})).contains(meta::PROTOCOL_VERSION));
    let version_alone = json!({(meta::PROTOCOL_VERSION): MODERN});
    assert!(missing(version_alone).contains(meta::CLIENT_CAPABILITIES));
}

#[test]
fn a_version_that_is_not_served_is_answered_with_those_that_are() {
    for version in ["2099-01-01", "2025-11-25"] {
        let meta = json!({(meta::PROTOCOL_VERSION): version, (meta::CLIENT_CAPABILITIES): {}});
        let error = read(modern_call(meta), None).err().expect("it is not of the newer era");
        assert_eq!(error.code, RpcError::UNSUPPORTED_VERSION);
        let data: Value = error.data.expect("it says which").decode().expect("JSON");
        assert_eq!(data["requested"], version);
        assert_eq!(data["supported"][0], MODERN);
    }
}

#[test]
fn headers_repeat_what_the_body_says() {
    let version = (header::PROTOCOL_VERSION, MODERN);
    let method = (header::METHOD, "tools/call");
    let checked = |pairs: &[(&'static str, &str)]| {
        read(modern_call(whole_meta()), Some(&headers(pairs))).map(|_| ()).map_err(|error| error.code)
    };
    let mismatch = Err(RpcError::HEADER_MISMATCH);
    assert_eq!(checked(&[version, method, (header::NAME, "say")]), Ok(()));
    assert_eq!(checked(&[version, method, (header::NAME, "=?base64?c2F5?=")]), Ok(()));
    assert_eq!(checked(&[version, method, (header::NAME, "=?base64?!?=")]), mismatch);
    assert_eq!(checked(&[version, method, (header::NAME, "other")]), mismatch);
    assert_eq!(checked(&[version, method]), mismatch);
    assert_eq!(checked(&[version, (header::METHOD, "ping"), (header::NAME, "say")]), mismatch);
    assert_eq!(checked(&[method, (header::NAME, "say")]), mismatch);
}

#[test]
fn every_value_of_a_header_has_to_repeat_the_body() {
    let mut twice = headers(&[(header::PROTOCOL_VERSION, MODERN), (header::METHOD, "tools/call")]);
    twice.append(HeaderName::from_static(header::NAME), HeaderValue::from_static("say"));
    twice.append(HeaderName::from_static(header::NAME), HeaderValue::from_static("other"));
    let error = read(modern_call(whole_meta()), Some(&twice)).err().expect("one of them says otherwise");
    assert_eq!(error.code, RpcError::HEADER_MISMATCH);
}

#[test]
fn an_answer_has_what_its_era_requires() {
    let answered = |version, method: &str| {
        let client = client("ada", version, json!({}));
        let head = request(5, method, json!({})).head;
        body(era::respond(&client, &head, Ok(EnvelopedReply::complete(json!({"tools": []}).into()))))
    };
    let plain = json!({"jsonrpc": "2.0", "id": 5, "result": {"tools": []}});
    assert_eq!(answered(ProtocolVersion::V2025_11_25, "tools/list"), plain);
    let list = &answered(ProtocolVersion::LATEST_MODERN, "tools/list")["result"];
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["cacheScope"], "private");
    assert!(list["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0), "{list}");
    let call = &answered(ProtocolVersion::LATEST_MODERN, "tools/call")["result"];
    assert_eq!(*call, json!({"tools": [], "resultType": "complete"}), "only lists may be kept");
}

#[test]
fn a_missing_resource_has_the_code_of_the_clients_era() {
    let code = |version, method: &str| {
        let client = client("ada", version, json!({}));
        let head = request(1, method, json!({})).head;
        era::respond(&client, &head, Err(resource_not_found("doc://x"))).error_code
    };
    assert_eq!(code(ProtocolVersion::LATEST_MODERN, "resources/read"), Some(RpcError::INVALID_PARAMS));
    assert_eq!(
        code(ProtocolVersion::V2025_11_25, "resources/read"),
        Some(RpcError::RESOURCE_NOT_FOUND_LEGACY)
    );
    assert_eq!(code(ProtocolVersion::V2025_11_25, "tools/call"), Some(RpcError::INVALID_PARAMS));
}

#[test]
fn a_large_result_is_sent_from_where_it_lies_behind_what_stands_in_front() {
    let client = client("ada", ProtocolVersion::LATEST_MODERN, json!({}));
    let head = request(1, "tools/call", json!({})).head;
    let text = "x".repeat(100_000);
    let result = RawJson::from(json!({"content": [{"type": "text", "text": text}]}));
    let lies_at = result.as_bytes().as_ptr();
    let mut said = EnvelopedReply::complete(result);
    said.front = r#""_meta":{"a":1}"#.to_owned();
    let response = era::respond(&client, &head, Ok(said));
    let [_, middle, _] = &response.body.0;
    assert_eq!(middle.as_ptr(), lies_at.wrapping_add(1), "all but its first brace, and not a copy");
    let answer = body(response);
    assert_eq!(answer["result"]["_meta"], json!({"a": 1}));
    assert_eq!(answer["result"]["content"][0]["text"].as_str().map(str::len), Some(100_000));
}
