//! Mistakes of agents: every case has its status and its code, and the next request works.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};

use crate::doors::{
    Events, INITIALIZED, Pair, Stdio, WAIT, Wire, another_token, cpu_seconds, initialize, memory_peak_kib,
    modern_meta,
};
use crate::{boot, conforming};

const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;

const OLDER: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Examples of bodies that are not JSON.
const NOT_JSON: [&str; 8] = [
    "",
    "{",
    "hello",
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list""#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list",}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"} trailing"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":NaN}}"#,
];

/// Examples of bodies that are JSON and not JSON-RPC.
const NOT_JSON_RPC: [&str; 14] = [
    "1",
    "null",
    r#""tools/list""#,
    "{}",
    r#"{"id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":2.0,"id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":true,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#,
    r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#,
];

fn expect(answer: &HttpAnswer, status: u16, code: i64, case: &str) {
    assert_eq!(answer.status, status, "{case}: {answer:?}");
    assert_eq!(answer.error_code(), code, "{case}: {answer:?}");
    let error = &answer.response()["error"];
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{case}: {answer:?}");
}

/// The gateway still works normally.
async fn still_serves(gateway: &Gateway) {
    let answer = gateway.client().modern("server/discover", json!({})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn session(gateway: &Gateway, version: &str) -> HttpClient {
    let mut client = gateway.client();
    assert_eq!(client.initialize(version).await["protocolVersion"], version);
    client
}

#[tokio::test]
async fn what_is_not_json_is_a_parse_error_in_both_eras() {
    let gateway = boot("");
    let older = session(&gateway, "2025-11-25").await;
    for body in NOT_JSON {
        let newer = gateway.client().post().header("mcp-protocol-version", "2026-07-28");
        expect(&HttpClient::finish(newer.body(body)).await, 400, PARSE, body);
        expect(&HttpClient::finish(older.legacy_post().body(body)).await, 400, PARSE, body);
        expect(&gateway.client().raw(body).await, 400, PARSE, body);
    }
    let not_utf8 = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec();
    expect(&gateway.client().raw(not_utf8).await, 400, PARSE, "not UTF-8");
    still_serves(&gateway).await;
}

#[tokio::test]
async fn what_is_not_json_rpc_is_an_invalid_request_in_both_eras() {
    let gateway = boot("");
    let older = session(&gateway, "2025-06-18").await;
    for body in NOT_JSON_RPC {
        let newer = gateway.client().post().header("mcp-protocol-version", "2026-07-28");
        expect(&HttpClient::finish(newer.body(body)).await, 400, INVALID_REQUEST, body);
        expect(&HttpClient::finish(older.legacy_post().body(body)).await, 400, INVALID_REQUEST, body);
    }
    still_serves(&gateway).await;
}

#[tokio::test]
async fn a_refusal_repeats_the_id_if_there_was_one_and_never_null() {
    let gateway = boot("");
    for (body, id) in [
        (r#"{"jsonrpc":"2.0","id":"abc","method":7}"#, json!("abc")),
        (r#"{"jsonrpc":"1.0","id":12345678901234567890,"method":"x"}"#, json!(12345678901234567890_u64)),
    ] {
        assert_eq!(gateway.client().raw(body).await.json()["id"], id);
    }
    for body in
        ["{", r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#]
    {
        assert!(gateway.client().raw(body).await.json().get("id").is_none(), "{body}");
    }
}

#[tokio::test]
async fn batches_are_refused_where_the_revision_has_none() {
    let gateway = boot("");
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let client = session(&gateway, version).await;
        expect(&HttpClient::finish(client.legacy_post().body(batch)).await, 400, INVALID_REQUEST, version);
        assert_eq!(client.legacy(3, "ping", json!({})).await.result(), json!({}), "the session lives on");
        let mut stdio = Stdio::initialized(&gateway, version, &json!({})).await;
        stdio.send(batch).await;
        assert_eq!(stdio.message().await["error"]["code"], INVALID_REQUEST, "{version}");
        assert_eq!(stdio.request(3, "ping", json!({})).await["result"], json!({}));
    }
    let newer =
        gateway.client().post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", "ping");
    expect(&HttpClient::finish(newer.body(batch)).await, 400, INVALID_REQUEST, "2026-07-28");
    expect(&gateway.client().raw(batch).await, 400, INVALID_REQUEST, "outside a session");
    let mut pair = Pair::initialized(&gateway, &json!({})).await;
    pair.post(batch).await;
    assert_eq!(pair.events.message().await["error"]["code"], INVALID_REQUEST, "the older pair");
}

#[tokio::test]
async fn batches_work_in_sessions_of_2025_03_26() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let client = session(&gateway, "2025-03-26").await;
    let call = json!({"name": "conf__echo", "arguments": {"text": "in a batch"}});
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call },
        { "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 77 } },
        { "jsonrpc": "2.0", "id": "two", "method": "ping" },
        { "jsonrpc": "2.0", "id": 3, "method": "no/such/method" },
        { "jsonrpc": "2.0", "id": 4, "method": 4 },
    ]);
    let answer = HttpClient::finish(client.legacy_post().body(batch.to_string())).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answers = answer.json();
    let of = |id: Value| {
        answers.as_array().expect("an array").iter().find(|one| one["id"] == id).expect("answered").clone()
    };
    assert_eq!(answers.as_array().map(Vec::len), Some(4), "{answers}");
    assert_eq!(of(json!(1))["result"]["content"][0]["text"], "in a batch");
    assert_eq!(of(json!("two"))["result"], json!({}));
    assert_eq!(of(json!(3))["error"]["code"], METHOD_NOT_FOUND);
    assert_eq!(of(json!(4))["error"]["code"], INVALID_REQUEST);

    let silent =
        HttpClient::finish(client.legacy_post().body(format!("[{INITIALIZED},{INITIALIZED}]"))).await;
    assert_eq!((silent.status, silent.text.as_str()), (202, ""), "nothing in it wants an answer");
    expect(
        &HttpClient::finish(client.legacy_post().body("[]")).await,
        400,
        INVALID_REQUEST,
        "an empty batch",
    );
    expect(&HttpClient::finish(client.legacy_post().body("[{]")).await, 400, PARSE, "a broken batch");

    let mut stdio = Stdio::initialized(&gateway, "2025-03-26", &json!({})).await;
    stdio.send(&batch.to_string()).await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        // Answers come as one array or one by one: a batch leaves both open.
        match stdio.message().await {
            Value::Array(all) => seen.extend(all),
            one => seen.push(one),
        }
        if seen.len() == 4 {
            break;
        }
    }
    assert!(seen.iter().any(|one| one["result"]["content"][0]["text"] == "in a batch"), "{seen:?}");
}

/// A request of the newer era with handwritten headers and body.
fn spelled(gateway: &Gateway, headers: &[(&str, &str)], body: &Value) -> reqwest::RequestBuilder {
    headers
        .iter()
        .fold(gateway.client().post(), |request, (name, value)| request.header(*name, *value))
        .body(body.to_string())
}

fn modern_body(method: &str, mut params: Value) -> Value {
    params["_meta"] = modern_meta(&json!({}));
    json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": params })
}

#[tokio::test]
async fn missing_and_contradicting_headers_are_a_mismatch() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let version = ("mcp-protocol-version", "2026-07-28");
    let list = modern_body("tools/list", json!({}));
    let call = modern_body("tools/call", json!({"name": "conf__echo", "arguments": {"text": "x"}}));
    let prompt = modern_body("prompts/get", json!({"name": "conf__test_simple_prompt"}));
    let read = modern_body("resources/read", json!({"uri": "test://static-text"}));
    let task = modern_body("tasks/get", json!({"taskId": "abc"}));
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, Headers<'_>, &Value); 17] = [
        ("no version header", &[("mcp-method", "tools/list")], &list),
        (
            "an older version header",
            &[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")],
            &list,
        ),
        (
            "an unknown version header",
            &[("mcp-protocol-version", "v999"), ("mcp-method", "tools/list")],
            &list,
        ),
        (
            "two version headers",
            &[version, ("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")],
            &list,
        ),
        ("no method header", &[version], &list),
        ("another method", &[version, ("mcp-method", "tools/call")], &list),
        ("a method in another case", &[version, ("mcp-method", "Tools/List")], &list),
        ("two method headers", &[version, ("mcp-method", "tools/list"), ("mcp-method", "tools/call")], &list),
        ("no name header", &[version, ("mcp-method", "tools/call")], &call),
        ("another name", &[version, ("mcp-method", "tools/call"), ("mcp-name", "conf__greet")], &call),
        (
            "two name headers",
            &[version, ("mcp-method", "tools/call"), ("mcp-name", "conf__echo"), ("mcp-name", "b")],
            &call,
        ),
        (
            "a sentinel that is not base64",
            &[version, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?!!?=")],
            &call,
        ),
        (
            "a sentinel without padding",
            &[version, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?Y29uZl9fZWNobw?=")],
            &call,
        ),
        (
            "a sentinel that is not UTF-8",
            &[version, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?/w==?=")],
            &call,
        ),
        ("a prompt without its name", &[version, ("mcp-method", "prompts/get")], &prompt),
        (
            "a resource under another URI",
            &[version, ("mcp-method", "resources/read"), ("mcp-name", "test://other")],
            &read,
        ),
        ("a task without its id", &[version, ("mcp-method", "tasks/get")], &task),
    ];
    for (case, headers, body) in cases {
        let answer = HttpClient::finish(spelled(&gateway, headers, body)).await;
        expect(&answer, 400, HEADER_MISMATCH, case);
        assert_eq!(answer.json()["id"], 9, "{case}");
    }
    let encoded = [version, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?Y29uZl9fZWNobw==?=")];
    assert_eq!(
        HttpClient::finish(spelled(&gateway, &encoded, &call)).await.result()["content"][0]["text"],
        "x"
    );
}

#[tokio::test]
async fn a_header_that_must_repeat_an_argument_is_held_against_it() {
    let gateway = boot(&conforming("conf", &[]));
    let client = gateway.client();
    client.tool_names(1).await;
    let list = client.modern("tools/list", json!({})).await.result();
    let tool = list["tools"]
        .as_array()
        .and_then(|tools| tools.iter().find(|tool| tool["name"] == "conf__test_custom_header").cloned());
    let properties = tool.expect("the tool is there")["inputSchema"]["properties"].clone();
    let (argument, schema) = properties
        .as_object()
        .and_then(|all| all.iter().find(|(_, one)| one.get("x-mcp-header").is_some()))
        .expect("annotated");
    let header = format!("mcp-param-{}", schema["x-mcp-header"].as_str().expect("a token"));
    let given = if schema["type"] == "string" { json!("here") } else { json!(7) };
    let text = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
    let call = |arguments: Value| {
        client.modern_request(
            1,
            "tools/call",
            json!({"name": "conf__test_custom_header", "arguments": arguments}),
        )
    };
    let with = json!({ argument: given });
    expect(&HttpClient::finish(call(with.clone())).await, 400, HEADER_MISMATCH, "missing");
    expect(
        &HttpClient::finish(call(with.clone()).header(&header, "elsewhere")).await,
        400,
        HEADER_MISMATCH,
        "another value",
    );
    expect(
        &HttpClient::finish(call(with.clone()).header(&header, "=?base64?!?=")).await,
        400,
        HEADER_MISMATCH,
        "a bad sentinel",
    );
    expect(
        &HttpClient::finish(call(with.clone()).header(&header, &text).header(&header, "elsewhere")).await,
        400,
        HEADER_MISMATCH,
        "two values",
    );
    expect(
        &HttpClient::finish(call(json!({})).header(&header, &text)).await,
        400,
        HEADER_MISMATCH,
        "without the argument",
    );
    let right = HttpClient::finish(call(with).header(&header, &text)).await;
    assert_eq!(right.status, 200, "{right:?}");
    assert!(right.result()["isError"] != true, "{right:?}");
}

#[tokio::test]
async fn missing_parts_of_meta_are_invalid_params() {
    let gateway = boot("");
    let full = modern_meta(&json!({}));
    let without = |key: &str| {
        let mut meta = full.clone();
        meta.as_object_mut().expect("an object").remove(key);
        json!({ "_meta": meta })
    };
    let with = |key: &str, value: Value| {
        let mut meta = full.clone();
        meta[key] = value;
        json!({ "_meta": meta })
    };
    let cases = [
        ("no params", Value::Null),
        ("no _meta", json!({})),
        ("an empty _meta", json!({ "_meta": {} })),
        ("_meta that is no object", json!({ "_meta": "2026-07-28" })),
        ("no version", without("io.modelcontextprotocol/protocolVersion")),
        ("a version that is no string", with("io.modelcontextprotocol/protocolVersion", json!(2026))),
        ("no capabilities", without("io.modelcontextprotocol/clientCapabilities")),
        ("capabilities that are no object", with("io.modelcontextprotocol/clientCapabilities", json!([]))),
    ];
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
    for (case, params) in cases {
        let mut body = json!({ "jsonrpc": "2.0", "id": 101, "method": "server/discover" });
        if !params.is_null() {
            body["params"] = params;
        }
        let answer = HttpClient::finish(spelled(&gateway, &headers, &body)).await;
        expect(&answer, 400, INVALID_PARAMS, case);
        assert_eq!(answer.json()["id"], 101, "{case}");
    }
    let nameless = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": without("io.modelcontextprotocol/clientInfo") });
    assert_eq!(
        HttpClient::finish(spelled(&gateway, &headers, &nameless)).await.status,
        200,
        "clientInfo may be missing"
    );
}

#[tokio::test]
async fn a_version_nobody_serves_is_answered_with_those_that_are() {
    let gateway = boot("");
    let discovered = gateway.client().modern("server/discover", json!({})).await.result();
    for version in ["v999.0.0", "2027-01-01", "2025-11-25"] {
        let mut body = modern_body("server/discover", json!({}));
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
        let headers = [("mcp-protocol-version", version), ("mcp-method", "server/discover")];
        let answer = HttpClient::finish(spelled(&gateway, &headers, &body)).await;
        expect(&answer, 400, UNSUPPORTED_VERSION, version);
        let data = answer.json()["error"]["data"].clone();
        assert_eq!(data["requested"], version);
        let supported = data["supported"].as_array().expect("a list");
        assert!(supported.contains(&json!("2026-07-28")), "{data}");
        assert!(
            supported
                .iter()
                .all(|one| discovered["supportedVersions"].as_array().expect("a list").contains(one)),
            "{data}"
        );
    }
    let mut body = modern_body("server/discover", json!({}));
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "v999.0.0".into();
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
    let answer = HttpClient::finish(spelled(&gateway, &headers, &body)).await;
    expect(&answer, 400, HEADER_MISMATCH, "a mismatch is noticed before the version");
}

#[tokio::test]
async fn a_version_nobody_serves_is_refused_inside_an_older_session() {
    let gateway = boot("");
    let client = session(&gateway, "2025-11-25").await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let answer =
        HttpClient::finish(client.legacy_post().header("mcp-protocol-version", "1999-01-01").body(body))
            .await;
    expect(&answer, 400, UNSUPPORTED_VERSION, "POST");
    assert_eq!(answer.json()["error"]["data"]["requested"], "1999-01-01");
    for method in [Method::GET, Method::DELETE] {
        let request = client.http.request(method.clone(), &client.endpoint).bearer_auth(&client.token);
        let request =
            request.header("accept", "text/event-stream").header("mcp-protocol-version", "1999-01-01");
        let answer =
            HttpClient::finish(request.header("mcp-session-id", client.session.clone().expect("open"))).await;
        assert_eq!(answer.status, 400, "{method}: {answer:?}");
    }
    for version in OLDER {
        let answer =
            HttpClient::finish(client.legacy_post().header("mcp-protocol-version", version).body(body)).await;
        assert_eq!(answer.status, 200, "{version} is served: {answer:?}");
    }
}

#[tokio::test]
async fn initialize_agrees_on_a_version_and_refuses_nonsense() {
    let gateway = boot("");
    for asked in ["1999-01-01", "2026-07-28", "2030-01-01", ""] {
        let answer = gateway.client().raw(initialize(asked, &json!({}))).await;
        assert_eq!(answer.result()["protocolVersion"], "2025-11-25", "{asked}");
    }
    for params in [json!(null), json!({}), json!({"protocolVersion": 3, "capabilities": {}})] {
        let mut body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
        if !params.is_null() {
            body["params"] = params;
        }
        let answer = gateway.client().raw(body.to_string()).await;
        assert_eq!(answer.error_code(), INVALID_PARAMS, "{answer:?}");
        assert!(answer.headers.get("mcp-session-id").is_none(), "no session is opened");
    }
}

#[tokio::test]
async fn sessions_are_400_when_missing_and_404_when_unknown_ended_or_someone_elses() {
    let gateway = boot("");
    let mine = session(&gateway, "2025-11-25").await;
    let mut stranger = mine.clone();
    stranger.token = another_token(&gateway);
    let mut unknown = mine.clone();
    unknown.session = Some("no-such-session".into());
    let mut ended = session(&gateway, "2025-11-25").await;
    let bodies = [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        INITIALIZED,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ];
    let delete = |client: &HttpClient| {
        let request = client.http.delete(&client.endpoint).bearer_auth(&client.token);
        HttpClient::finish(request.header("mcp-session-id", client.session.clone().unwrap_or_default()))
    };
    let get = |client: &HttpClient| {
        let request = client
            .http
            .get(&client.endpoint)
            .bearer_auth(&client.token)
            .header("accept", "text/event-stream");
        HttpClient::finish(request.header("mcp-session-id", client.session.clone().unwrap_or_default()))
    };
    assert_eq!(delete(&ended).await.status, 204);
    for (case, client) in [("unknown", &unknown), ("someone else's", &stranger), ("ended", &ended)] {
        for body in bodies {
            expect(&HttpClient::finish(client.legacy_post().body(body)).await, 404, INVALID_REQUEST, case);
        }
        expect(&get(client).await, 404, INVALID_REQUEST, case);
        expect(&delete(client).await, 404, INVALID_REQUEST, case);
    }
    for body in bodies {
        expect(&mine.raw(body).await, 400, INVALID_REQUEST, "missing");
    }
    for method in [Method::GET, Method::DELETE] {
        let request = mine
            .http
            .request(method, &mine.endpoint)
            .bearer_auth(&mine.token)
            .header("accept", "text/event-stream");
        expect(&HttpClient::finish(request).await, 400, INVALID_REQUEST, "missing");
    }
    assert_eq!(mine.legacy(2, "ping", json!({})).await.result(), json!({}), "nobody else could end it");
    ended.initialize("2025-11-25").await;
    assert_eq!(ended.legacy(1, "ping", json!({})).await.result(), json!({}), "a new one can be opened");
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_the_gateway_goes_on() {
    let gateway = boot("[limits]\nrequest_bytes_max = \"64KiB\"\n");
    let filler = "x".repeat(200 << 10);
    let body = modern_body("tools/list", json!({ "filler": filler })).to_string();
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    for _ in 0..5 {
        let request = headers
            .iter()
            .fold(gateway.client().post(), |request, (name, value)| request.header(*name, *value));
        expect(
            &HttpClient::finish(request.body(body.clone())).await,
            413,
            INVALID_REQUEST,
            "said beforehand",
        );
    }
    let older = session(&gateway, "2025-11-25").await;
    expect(
        &HttpClient::finish(older.legacy_post().body(body.clone())).await,
        413,
        INVALID_REQUEST,
        "in a session",
    );
    assert_eq!(older.legacy(1, "ping", json!({})).await.result(), json!({}), "the session lives on");
    let pair = Pair::initialized(&gateway, &json!({})).await;
    assert_eq!(pair.post(body).await, 413, "the older pair");
    still_serves(&gateway).await;
}

#[tokio::test]
async fn a_body_without_end_is_cut_off_and_memory_stays_bounded() {
    let gateway = boot("");
    still_serves(&gateway).await;
    let before = memory_peak_kib(gateway.pid());
    let chunk = format!("{:x}\r\n{}\r\n", 64 << 10, " ".repeat(64 << 10));
    for _ in 0..3 {
        let mut wire = Wire::open(&gateway).await;
        wire.send(&format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
            gateway.agent
        ))
        .await;
        // 100 MiB, or as much of it as the gateway takes.
        for _ in 0..1_600 {
            if wire.0.write_all(chunk.as_bytes()).await.is_err() {
                break;
            }
        }
    }
    let grown = memory_peak_kib(gateway.pid()).saturating_sub(before);
    assert!(grown < 48 << 10, "grew by {grown} KiB for bodies of at most 4 MiB");
    still_serves(&gateway).await;
}

#[tokio::test]
async fn one_connection_survives_refusals() {
    let gateway = boot("");
    let mut wire = Wire::open(&gateway).await;
    let head = |length: usize| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n",
            gateway.agent
        )
    };
    for (body, status) in [("{", 400), ("[1]", 400), (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, 400)] {
        wire.send(&format!("{}{body}", head(body.len()))).await;
        assert_eq!(wire.answer().await.0, status, "{body}");
    }
    let large = " ".repeat(9 << 20);
    wire.send(&format!("{}{large}", head(large.len()))).await;
    assert_eq!(wire.answer().await.0, 413, "a body over the limit is taken to its end");
    let body = initialize("2025-11-25", &json!({}));
    wire.send(&format!("{}{body}", head(body.len()))).await;
    let (status, answer) = wire.answer().await;
    assert_eq!(status, 200, "{answer}");
}

#[tokio::test]
async fn deep_nesting_is_refused_and_what_is_within_the_limit_passes() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let nested = |levels: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"conf__echo","arguments":{{"text":"deep","x":{}{}}},"_meta":{}}}}}"#,
            "[".repeat(levels),
            "]".repeat(levels),
            modern_meta(&json!({}))
        )
    };
    let send = |body: String| {
        let request = gateway.client().post().header("mcp-protocol-version", "2026-07-28");
        HttpClient::finish(
            request.header("mcp-method", "tools/call").header("mcp-name", "conf__echo").body(body),
        )
    };
    // Three levels surround the innermost value: the message, params and arguments.
    assert_eq!(send(nested(97)).await.result()["content"][0]["text"], "deep");
    for levels in [98, 1_000, 500_000] {
        expect(&send(nested(levels)).await, 400, INVALID_REQUEST, &levels.to_string());
    }
    for bottomless in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18)] {
        let answer = send(bottomless).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!([PARSE, INVALID_REQUEST].contains(&answer.error_code()), "{answer:?}");
    }
    let older = session(&gateway, "2025-11-25").await;
    expect(
        &HttpClient::finish(older.legacy_post().body(nested(1_000))).await,
        400,
        INVALID_REQUEST,
        "older era",
    );
    let mut stdio = Stdio::open(&gateway);
    stdio.send(&nested(1_000)).await;
    assert_eq!(stdio.message().await["error"]["code"], INVALID_REQUEST);
    stdio.send(&nested(97)).await;
    assert_eq!(stdio.message().await["result"]["content"][0]["text"], "deep");
}

#[tokio::test]
async fn an_id_in_flight_may_not_be_used_again() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let slow = json!({"name": "conf__test_cancellation"});
    let client = session(&gateway, "2025-11-25").await;
    let first = tokio::spawn({
        let (client, slow) = (client.clone(), slow.clone());
        // An earlier ping may have the id for an instant.
        async move {
            loop {
                let answer = client.legacy(5, "tools/call", slow.clone()).await;
                if answer.response()["error"]["code"] != INVALID_REQUEST {
                    return answer;
                }
            }
        }
    });
    let second = until_async(WAIT, || async {
        let answer = client.legacy(5, "ping", json!({})).await;
        answer.response().get("error").is_some().then_some(answer)
    });
    expect(&second.await.expect("refused while the first is under way"), 200, INVALID_REQUEST, "older era");
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    assert_eq!(HttpClient::finish(client.legacy_post().body(cancelled.to_string())).await.status, 202);
    let free = until_async(WAIT, || async {
        let answer = client.legacy(5, "ping", json!({})).await;
        answer.response().get("result").is_some().then_some(())
    });
    free.await.expect("the id is free again");
    first.abort();

    let mut params = slow.clone();
    params["_meta"] = modern_meta(&json!({}));
    let mut stdio = Stdio::open(&gateway);
    stdio
        .send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params }).to_string())
        .await;
    stdio
        .send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params }).to_string())
        .await;
    let refused = stdio.message().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("a"), &json!(INVALID_REQUEST)));
    let listed = stdio.request(7, "tools/list", json!({ "_meta": modern_meta(&json!({})) })).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}

#[tokio::test]
async fn wrong_media_types_are_refused() {
    let gateway = boot("");
    let client = gateway.client();
    let body = modern_body("server/discover", json!({})).to_string();
    let send = |content: Option<&str>, accept: Option<&str>| {
        let mut request = client.http.post(&client.endpoint).bearer_auth(&client.token).body(body.clone());
        request =
            request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", "server/discover");
        if let Some(content) = content {
            request = request.header("content-type", content);
        }
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        HttpClient::finish(request)
    };
    let both = Some("application/json, text/event-stream");
    for content in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonp")]
    {
        assert_eq!(send(content, both).await.status, 415, "{content:?}");
    }
    for accept in [Some("application/json"), Some("text/event-stream"), Some("text/html")] {
        assert_eq!(send(Some("application/json"), accept).await.status, 406, "{accept:?}");
    }
    for accept in ["text/event-stream;q=0.5, application/json", "*/*", "application/*, text/*"] {
        assert_eq!(send(Some("application/json; charset=utf-8"), Some(accept)).await.status, 200, "{accept}");
    }
    // A request without any Accept header, which the HTTP client of the other cases cannot send.
    let mut wire = Wire::open(&gateway).await;
    wire.send(&format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\nContent-Length: {}\r\n\r\n{body}",
        gateway.agent,
        body.len()
    ))
    .await;
    assert_eq!(wire.answer().await.0, 406, "no Accept at all");
}

#[tokio::test]
async fn unknown_methods_are_404_in_the_newer_era_and_200_in_the_older() {
    let gateway = boot("");
    let removed = [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
    ];
    for method in ["unknown/method", "tools/nothing", "rpc.discover", ""].into_iter().chain(removed) {
        let answer = gateway.client().modern(method, json!({"uri": "test://x", "level": "info"})).await;
        expect(&answer, 404, METHOD_NOT_FOUND, method);
        assert_eq!(answer.json()["id"], 1);
    }
    let older = session(&gateway, "2025-11-25").await;
    for method in ["unknown/method", "server/discover", "subscriptions/listen", "tasks/get"] {
        expect(&older.legacy(3, method, json!({})).await, 200, METHOD_NOT_FOUND, method);
    }
    let mut stdio = Stdio::initialized(&gateway, "2025-11-25", &json!({})).await;
    assert_eq!(stdio.request(4, "unknown/method", json!({})).await["error"]["code"], METHOD_NOT_FOUND);
    let newer = stdio.request(5, "unknown/method", json!({ "_meta": modern_meta(&json!({})) })).await;
    assert_eq!(newer["error"]["code"], METHOD_NOT_FOUND);
}

#[tokio::test]
async fn get_and_delete_belong_to_the_older_era() {
    let gateway = boot("");
    let client = session(&gateway, "2025-11-25").await;
    let send = |method: Method, headers: &[(&str, &str)]| {
        let request = client.http.request(method, &client.endpoint).bearer_auth(&client.token);
        HttpClient::finish(
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)),
        )
    };
    let id = client.session.clone().expect("open");
    let stream = ("accept", "text/event-stream");
    for method in [Method::GET, Method::DELETE] {
        let answer = send(method.clone(), &[stream, ("mcp-protocol-version", "2026-07-28")]).await;
        assert_eq!(answer.status, 405, "{method}: {answer:?}");
        assert!(answer.headers.get("allow").is_some(), "{method}: {answer:?}");
    }
    for method in [Method::PUT, Method::PATCH, Method::from_bytes(b"PROPFIND").expect("a token")] {
        assert_eq!(send(method.clone(), &[stream, ("mcp-session-id", &id)]).await.status, 405, "{method}");
    }
    assert_eq!(
        send(Method::GET, &[("accept", "application/json"), ("mcp-session-id", &id)]).await.status,
        406
    );
    for place in ["nonsense", "9-9", "-", "1", "99999999999999999999-1"] {
        let answer = send(Method::GET, &[stream, ("mcp-session-id", &id), ("last-event-id", place)]).await;
        assert_eq!(answer.status, 400, "{place}: {answer:?}");
    }
    let request =
        client.http.get(&client.endpoint).bearer_auth(&client.token).header("accept", "text/event-stream");
    let mut events = Events::open(request.header("mcp-session-id", &id)).await;
    assert_eq!(send(Method::DELETE, &[("mcp-session-id", &id)]).await.status, 204);
    while events.next().await.is_some() {}
}

#[tokio::test]
async fn nobody_comes_in_without_a_live_token() {
    let gateway = boot("");
    let made = gateway.cli(&["--json", "token", "create", "--role", "agent"]);
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let mut revoked = HttpClient::new(&gateway.endpoint, made["token"].as_str().expect("a token"));
    revoked.initialize("2025-11-25").await;
    assert!(gateway.cli(&["token", "revoke", made["id"].as_str().expect("an id")]).status.success());
    let gone = until_async(Duration::from_secs(5), || async {
        let answer = revoked.legacy(1, "ping", json!({})).await;
        (answer.status == 401).then_some(answer)
    });
    gone.await.expect("a revoked token stops working within seconds, also inside its session");

    let http = gateway.client().http;
    let bearer = |token: &str| Some(format!("Bearer {token}"));
    let wrong = [
        None,
        bearer(""),
        bearer("wrong"),
        bearer(&gateway.agent[..gateway.agent.len() - 1]),
        bearer(&format!("{}x", gateway.agent)),
        Some(format!("Basic {}", gateway.agent)),
        Some(gateway.agent.clone()),
        bearer(&revoked.token),
    ];
    for header in wrong {
        for (method, path) in [
            (Method::POST, "/mcp"),
            (Method::GET, "/mcp"),
            (Method::DELETE, "/mcp"),
            (Method::GET, "/sse"),
            (Method::POST, "/messages?sessionId=x"),
        ] {
            let mut request = http.request(method.clone(), gateway.url(path)).body("{");
            if let Some(header) = &header {
                request = request.header("authorization", header);
            }
            let answer = HttpClient::finish(request).await;
            assert_eq!(answer.status, 401, "{method} {path} with {header:?}: {answer:?}");
            let challenge = answer
                .headers
                .get("www-authenticate")
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default();
            assert!(challenge.starts_with("Bearer"), "{method} {path}: {answer:?}");
            assert!(answer.json()["hint"].is_string(), "{answer:?}");
        }
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(HttpClient::finish(http.get(gateway.url(path))).await.status, 200, "{path} is open");
    }
    assert_eq!(HttpClient::finish(http.get(gateway.url("/metrics")).bearer_auth("wrong")).await.status, 401);
    assert_eq!(
        HttpClient::finish(http.get(gateway.url("/metrics")).bearer_auth(&gateway.agent)).await.status,
        403
    );
    assert_eq!(
        HttpClient::finish(http.get(gateway.url("/metrics")).bearer_auth(&gateway.admin)).await.status,
        200
    );
    assert_eq!(HttpClient::finish(http.get(gateway.url("/metrics"))).await.status, 200, "for this machine");
    for (header, of_others) in [
        ("origin", "http://localhost:3000"),
        ("x-forwarded-host", "gate.example.com"),
        ("x-real-ip", "192.0.2.7"),
        ("via", "1.1 proxy"),
    ] {
        let asked = http.get(gateway.url("/metrics")).header(header, of_others);
        assert_eq!(HttpClient::finish(asked).await.status, 401, "{header} says that it is for somebody else");
    }
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_403_on_every_route() {
    let gateway = boot("");
    let http = gateway.client().http;
    let routes = [
        (Method::POST, "/mcp"),
        (Method::GET, "/mcp"),
        (Method::DELETE, "/mcp"),
        (Method::OPTIONS, "/mcp"),
        (Method::GET, "/sse"),
        (Method::POST, "/messages?sessionId=x"),
        (Method::GET, "/metrics"),
        (Method::GET, "/healthz"),
        (Method::GET, "/readyz"),
        (Method::GET, "/no/such/page"),
    ];
    let wrong = [
        ("host", "evil.example.com"),
        ("host", "localhost.evil.com"),
        ("host", "127.0.0.1.evil.com:8700"),
        ("origin", "http://evil.example.com"),
        ("origin", "https://localhost.evil.com"),
        ("origin", "null"),
        ("origin", "file://"),
    ];
    for (method, path) in routes {
        for (name, value) in wrong {
            let request = http
                .request(method.clone(), gateway.url(path))
                .bearer_auth(&gateway.agent)
                .header(name, value);
            let answer = HttpClient::finish(request).await;
            assert_eq!(answer.status, 403, "{method} {path} with {name}: {value}: {answer:?}");
            assert!(answer.headers.get("access-control-allow-origin").is_none(), "{answer:?}");
        }
    }
    let mut wire = Wire::open(&gateway).await;
    wire.send("GET /healthz HTTP/1.1\r\n\r\n").await;
    assert!([400, 403].contains(&wire.answer().await.0), "no Host at all");
    let mut wire = Wire::open(&gateway).await;
    wire.send("GET http://evil.example.com/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(wire.answer().await.0, 403, "the address in the request line counts");
    let local = http.get(gateway.url("/healthz")).header("origin", "http://localhost:3000");
    assert_eq!(HttpClient::finish(local).await.status, 200);
}

#[tokio::test]
async fn a_configured_host_and_origin_are_served() {
    let gateway =
        boot("allowed_hosts = [\"gate.example.com\"]\nallowed_origins = [\"https://app.example.com\"]\n");
    let http = gateway.client().http;
    let request = http
        .get(gateway.url("/healthz"))
        .header("host", "gate.example.com")
        .header("origin", "https://app.example.com");
    assert_eq!(HttpClient::finish(request).await.status, 200);
}

/// A call of the newer era with a question from an older server, and the state that leads back to it.
async fn asked(client: &HttpClient) -> (Value, String) {
    let params = json!({"name": "conf__test_elicitation", "arguments": {"message": "who are you?"}});
    let result = client.modern("tools/call", params.clone()).await.result();
    assert_eq!(result["resultType"], "input_required", "{result}");
    (params, result["requestState"].as_str().expect("a state").to_owned())
}

fn answered(mut params: Value, state: &str) -> Value {
    params["requestState"] = state.into();
    params["inputResponses"] =
        json!({"input": {"action": "accept", "content": {"username": "ann", "email": "a@b.c"}}});
    params
}

#[tokio::test]
async fn a_request_state_works_once_for_its_owner_and_its_request() {
    let gateway = boot(&conforming("conf", &["--legacy-only"]));
    let mut client = gateway.client();
    client.capabilities = json!({"elicitation": {}});
    client.tool_names(1).await;
    let (params, state) = asked(&client).await;

    let mut stranger = client.clone();
    stranger.token = another_token(&gateway);
    let foreign = stranger.modern("tools/call", answered(params.clone(), &state)).await;
    expect(&foreign, 200, INVALID_PARAMS, "someone else's");
    let mut other = answered(params.clone(), &state);
    other["arguments"]["message"] = "something else".into();
    expect(&client.modern("tools/call", other).await, 200, INVALID_PARAMS, "another request's");
    let middle = state.len() / 2;
    let flipped = format!(
        "{}{}{}",
        &state[..middle],
        if &state[middle..=middle] == "A" { "B" } else { "A" },
        &state[middle + 1..]
    );
    for forged in ["", "g.", "g.AAAA", "nonsense", flipped.as_str(), &state[..state.len() - 1], "u"] {
        expect(
            &client.modern("tools/call", answered(params.clone(), forged)).await,
            200,
            INVALID_PARAMS,
            forged,
        );
    }
    let mut number = answered(params.clone(), "x");
    number["requestState"] = json!(7);
    expect(&client.modern("tools/call", number).await, 200, INVALID_PARAMS, "a state that is no string");

    let right = client.modern("tools/call", answered(params.clone(), &state)).await.result();
    assert!(right["content"][0]["text"].as_str().expect("text").contains("ann"), "{right}");
    expect(&client.modern("tools/call", answered(params, &state)).await, 200, INVALID_PARAMS, "used before");
}

#[tokio::test]
async fn a_state_that_a_newer_server_sealed_is_refused_when_changed() {
    let gateway = boot(&conforming("conf", &["--modern-only"]));
    let mut client = gateway.client();
    client.capabilities = json!({"elicitation": {}});
    client.tool_names(1).await;
    let params = json!({"name": "conf__test_input_required_result_tampered_state"});
    let result = client.modern("tools/call", params.clone()).await.result();
    assert_eq!(result["resultType"], "input_required", "{result}");
    let state = result["requestState"].as_str().expect("a state").to_owned();
    let mut retry = params;
    retry["inputResponses"] = json!({});
    for (key, _) in result["inputRequests"].as_object().expect("questions") {
        retry["inputResponses"][key] = json!({"action": "accept", "content": {"ok": true}});
    }
    retry["requestState"] = format!("{state}-TAMPERED").into();
    expect(&client.modern("tools/call", retry.clone()).await, 200, INVALID_PARAMS, "tampered");
    retry["requestState"] = state.into();
    assert_eq!(client.modern("tools/call", retry).await.result()["resultType"], "complete");
}

#[tokio::test]
async fn task_ids_open_nothing_for_others() {
    let gateway = boot(&conforming("conf", &["--modern-only"]));
    let mut client = gateway.client();
    client.capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    client.tool_names(1).await;
    let started = client
        .modern("tools/call", json!({"name": "conf__slow_compute", "arguments": {"seconds": 30}}))
        .await
        .result();
    assert_eq!(started["resultType"], "task", "{started}");
    let id = started["taskId"].as_str().expect("an id").to_owned();
    let mut stranger = client.clone();
    stranger.token = another_token(&gateway);
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let with = |id: &str| json!({"taskId": id, "inputResponses": {}});
        expect(&stranger.modern(method, with(&id)).await, 200, INVALID_PARAMS, "someone else's");
        for forged in ["", "nonsense", &id[..id.len() - 2]] {
            expect(&client.modern(method, with(forged)).await, 200, INVALID_PARAMS, forged);
        }
        let mut without = client.clone();
        without.capabilities = json!({});
        let answer = without.modern(method, with(&id)).await;
        expect(&answer, 400, MISSING_CAPABILITY, "tasks were not declared");
        assert!(answer.json()["error"]["data"]["requiredCapabilities"].is_object(), "{answer:?}");
    }
    assert_eq!(client.modern("tasks/get", json!({"taskId": id})).await.result()["status"], "working");
    assert_eq!(client.modern("tasks/cancel", json!({"taskId": id})).await.status, 200);
}

#[tokio::test]
async fn bad_cursors_are_invalid_params_in_every_list() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let older = session(&gateway, "2025-11-25").await;
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        for cursor in [json!("made up"), json!(""), json!("from-1"), json!(3), json!({})] {
            let params = json!({ "cursor": cursor });
            expect(
                &gateway.client().modern(method, params.clone()).await,
                200,
                INVALID_PARAMS,
                &format!("{method} {cursor}"),
            );
            expect(
                &older.legacy(1, method, params).await,
                200,
                INVALID_PARAMS,
                &format!("{method} {cursor}"),
            );
        }
    }
}

#[tokio::test]
async fn unknown_names_and_malformed_params_are_invalid_params() {
    let gateway = boot(&conforming("conf", &[]));
    let client = gateway.client();
    client.tool_names(1).await;
    let older = session(&gateway, "2025-11-25").await;
    let cases = [
        ("tools/call", json!({"name": "no_such_tool"})),
        ("tools/call", json!({"name": "conf__no_such_tool"})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({})),
        ("prompts/get", json!({"name": "no_such_prompt"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "a", "value": ""}}),
        ),
        ("completion/complete", json!({"ref": {"type": "ref/else"}})),
        ("completion/complete", json!({})),
    ];
    for (method, params) in cases {
        let case = format!("{method} {params}");
        expect(&client.modern(method, params.clone()).await, 200, INVALID_PARAMS, &case);
        expect(&older.legacy(1, method, params).await, 200, INVALID_PARAMS, &case);
    }
    expect(
        &older.legacy(1, "logging/setLevel", json!({"level": "loud"})).await,
        200,
        INVALID_PARAMS,
        "level",
    );
    expect(&older.legacy(1, "logging/setLevel", json!({})).await, 200, INVALID_PARAMS, "no level");
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused_and_the_next_one_served() {
    let gateway = boot("[limits]\nrequest_bytes_max = \"64KiB\"\n");
    let mut stdio = Stdio::initialized(&gateway, "2025-11-25", &json!({})).await;
    let before = memory_peak_kib(gateway.pid());
    let long =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "filler": "x".repeat(70 << 10) } });
    stdio.send(&long.to_string()).await;
    assert_eq!(stdio.message().await["error"]["code"], INVALID_REQUEST);
    for _ in 0..64 {
        stdio.write(&vec![b'x'; 1 << 20]).await;
    }
    stdio.send("").await;
    assert_eq!(stdio.message().await["error"]["code"], INVALID_REQUEST);
    assert_eq!(stdio.request(2, "ping", json!({})).await["result"], json!({}));
    let grown = memory_peak_kib(gateway.pid()).saturating_sub(before);
    assert!(grown < 16 << 10, "grew by {grown} KiB for a line of 64 MiB");
}

#[tokio::test]
async fn half_a_line_at_the_end_of_stdin_ends_in_good_order() {
    let gateway = boot("");
    let mut stdio = Stdio::initialized(&gateway, "2025-11-25", &json!({})).await;
    assert_eq!(stdio.request(1, "ping", json!({})).await["result"], json!({}));
    stdio.write(br#"{"jsonrpc":"2.0","id":2,"met"#).await;
    let (rest, status) = stdio.end().await;
    assert!(status.success(), "{status}");
    assert!(rest.iter().all(|line| !line.contains("\"result\"")), "half a message was answered: {rest:?}");
    still_serves(&gateway).await;
}

#[tokio::test]
async fn garbage_on_stdin_is_answered_and_the_next_line_served() {
    let gateway = boot("");
    let mut stdio = Stdio::open(&gateway);
    stdio.send("this is not JSON").await;
    assert_eq!(stdio.message().await["error"]["code"], PARSE);
    stdio.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    let early = stdio.message().await;
    assert_eq!(
        (&early["id"], &early["error"]["code"]),
        (&json!(1), &json!(INVALID_REQUEST)),
        "before initialize"
    );
    stdio.send("").await;
    stdio.send(&initialize("2025-06-18", &json!({}))).await;
    assert_eq!(stdio.answer(0).await["result"]["protocolVersion"], "2025-06-18");
    stdio.write(b"\xff\xfe\x00\n").await;
    assert_eq!(stdio.message().await["error"]["code"], PARSE);
    stdio.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"} {}"#).await;
    assert_eq!(stdio.message().await["error"]["code"], PARSE, "bytes after the end");
    for body in NOT_JSON_RPC {
        stdio.send(body).await;
        assert_eq!(stdio.message().await["error"]["code"], INVALID_REQUEST, "{body}");
    }
    assert_eq!(stdio.request(3, "ping", json!({})).await["result"], json!({}));
    let (rest, status) = stdio.end().await;
    assert!(rest.is_empty() && status.success(), "{rest:?} {status}");
}

#[tokio::test]
async fn a_newer_request_on_stdio_is_held_to_its_meta() {
    let gateway = boot("");
    let mut stdio = Stdio::open(&gateway);
    let mut meta = modern_meta(&json!({}));
    assert_eq!(stdio.request(1, "server/discover", json!({})).await["error"]["code"], INVALID_PARAMS);
    meta["io.modelcontextprotocol/protocolVersion"] = "v999".into();
    let refused = stdio.request(2, "tools/list", json!({ "_meta": meta })).await;
    assert_eq!(refused["error"]["code"], UNSUPPORTED_VERSION);
    assert_eq!(refused["error"]["data"]["requested"], "v999");
    let served = stdio.request(3, "tools/list", json!({ "_meta": modern_meta(&json!({})) })).await;
    assert_eq!(served["result"]["resultType"], "complete");
}

#[tokio::test]
async fn the_older_pair_knows_its_sessions_and_their_owners() {
    let gateway = boot("");
    let mut pair = Pair::initialized(&gateway, &json!({})).await;
    let http = gateway.client().http;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let post = |url: String, token: &str| {
        HttpClient::finish(
            http.post(url).bearer_auth(token).header("content-type", "application/json").body(ping),
        )
    };
    assert_eq!(post(gateway.url("/messages?sessionId=unknown"), &gateway.agent).await.status, 404);
    assert_eq!(post(gateway.url("/messages"), &gateway.agent).await.status, 400, "no session named");
    let stranger = another_token(&gateway);
    assert_eq!(post(pair.target.clone(), &stranger).await.status, 404, "someone else's session");
    assert_eq!(HttpClient::finish(http.post(&pair.target).body(ping)).await.status, 401);
    assert_eq!(pair.post("{ not json").await, 202, "answers travel on the stream alone");
    assert_eq!(pair.events.message().await["error"]["code"], PARSE);
    assert_eq!(pair.post(ping).await, 202);
    assert_eq!(pair.events.answer(1).await["result"], json!({}), "the pair lives on");
    let target = pair.target.clone();
    drop(pair);
    let gone = until_async(WAIT, || async {
        (post(target.clone(), &gateway.agent).await.status == 404).then_some(())
    });
    gone.await.expect("a pair ends with its stream");
}

#[tokio::test]
async fn answers_that_nobody_waits_for_are_taken_and_forgotten() {
    let gateway = boot("");
    let client = session(&gateway, "2025-11-25").await;
    for body in [
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
    ] {
        let answer = HttpClient::finish(client.legacy_post().body(body)).await;
        assert_eq!((answer.status, answer.text.as_str()), (202, ""), "{body}");
    }
    let answer =
        HttpClient::finish(client.legacy_post().body(r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#)).await;
    expect(&answer, 400, INVALID_REQUEST, "an error without code");
    assert_eq!(client.legacy(1, "ping", json!({})).await.result(), json!({}));
}

#[tokio::test]
async fn a_session_without_traffic_is_forgotten_unless_somebody_listens() {
    let gateway = boot("[limits]\nsession_idle_seconds = 1\n");
    let (idle, heard) = (session(&gateway, "2025-11-25").await, session(&gateway, "2025-11-25").await);
    let stream =
        heard.http.get(&heard.endpoint).bearer_auth(&heard.token).header("accept", "text/event-stream");
    let listening = Events::open(stream.header("mcp-session-id", heard.session.clone().expect("open"))).await;
    // Asking would be traffic: the number of sessions tells.
    let forgotten = until_async(WAIT, || async {
        let metrics = HttpClient::finish(idle.http.get(gateway.url("/metrics"))).await.text;
        metrics.lines().any(|line| line == "toolgate_sessions 1").then_some(())
    });
    forgotten.await.expect("one session is forgotten");
    expect(&idle.legacy(1, "ping", json!({})).await, 404, INVALID_REQUEST, "forgotten");
    assert_eq!(heard.legacy(1, "ping", json!({})).await.result(), json!({}), "somebody listens");
    drop(listening);
}

#[tokio::test]
async fn limits_on_sessions_and_calls_are_kept_and_said() {
    let limits = "[limits]\nsessions_max = 2\ncalls_per_client_max = 2\n";
    let gateway = boot(&format!("{limits}{}", conforming("conf", &[])));
    gateway.client().tool_names(1).await;
    let client = session(&gateway, "2025-11-25").await;
    let spare = session(&gateway, "2025-11-25").await;
    let refused = gateway.client().raw(initialize("2025-11-25", &json!({}))).await;
    assert_eq!(
        (refused.status, &refused.response()["error"]["data"]["code"]),
        (429, &json!("too_many_sessions"))
    );
    let said = refused.response()["error"]["message"].as_str().expect("an error").to_owned();
    assert!(said.contains("too many sessions"), "{said}");
    let end = spare.http.delete(&spare.endpoint).bearer_auth(&spare.token);
    HttpClient::finish(end.header("mcp-session-id", spare.session.clone().expect("open"))).await;
    assert_eq!(
        gateway.client().raw(initialize("2025-11-25", &json!({}))).await.status,
        200,
        "there is room again"
    );

    let slow = |id: u64| {
        let client = client.clone();
        tokio::spawn(async move {
            loop {
                let answer =
                    client.legacy(id, "tools/call", json!({"name": "conf__test_cancellation"})).await;
                // A ping of below may have had the place; the call tries again.
                let message = answer.response()["error"]["message"].as_str().unwrap_or_default().to_owned();
                if !message.contains("already under way") {
                    return answer;
                }
            }
        })
    };
    // Two run, and fourteen wait for their turn.
    let calls: Vec<_> = (100..116).map(slow).collect();
    let full = until_async(WAIT, || async {
        let answer = client.legacy(3, "ping", json!({})).await;
        answer.response().get("error").is_some().then_some(answer)
    });
    let full = full.await.expect("one more is refused");
    assert_eq!(full.status, 200, "{full:?}");
    let said = full.response()["error"]["message"].as_str().expect("a message").to_owned();
    assert!(said.contains("16 requests are already under way or waiting"), "{said}");
    for id in 100..116 {
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        HttpClient::finish(client.legacy_post().body(cancel.to_string())).await;
    }
    let free = until_async(WAIT, || async {
        client.legacy(3, "ping", json!({})).await.response().get("result").map(|_| ())
    });
    free.await.expect("there is room again");
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn one_principal_leaves_sessions_for_others() {
    let gateway = boot("[limits]\nsessions_max = 4\n");
    let opening = initialize("2025-11-25", &json!({}));
    for _ in 0..3 {
        assert_eq!(gateway.client().raw(opening.clone()).await.response()["error"], Value::Null);
    }
    let fourth = gateway.client().raw(opening.clone()).await;
    assert!(fourth.text.contains("too many sessions"), "{fourth:?}");
    let other = HttpClient::new(&gateway.endpoint, &another_token(&gateway));
    assert_eq!(other.raw(opening).await.response()["error"], Value::Null);
}

/// A generator with the same numbers in every run, so that its findings can be reproduced.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    /// The text with a few bytes changed, removed, doubled or moved.
    fn spoil(&mut self, text: &str) -> Vec<u8> {
        const ODD: [&[u8]; 12] =
            [b"{", b"}", b"[", b"]", b"\"", b"\\", b",", b":", b"\0", b"\xff", b"1e9999", b"\\ud800"];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.roll(3) {
            let at = self.roll(bytes.len());
            let to = (at + self.roll(20)).min(bytes.len());
            match self.roll(4) {
                0 => drop(bytes.drain(at..to)),
                1 => drop(bytes.splice(at..at, bytes[at..to].to_vec())),
                2 => drop(bytes.splice(at..at, ODD[self.roll(ODD.len())].iter().copied())),
                _ => bytes[at] = u8::try_from(self.roll(256)).expect("a byte"),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        bytes
    }
}

#[tokio::test]
async fn spoiled_messages_are_refused_or_answered_and_break_nothing() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let older = session(&gateway, "2025-03-26").await;
    let mut stdio = Stdio::initialized(&gateway, "2025-11-25", &json!({})).await;
    let params = json!({"name": "conf__echo", "arguments": {"text": "x", "n": [1.5, {"a": null}]}});
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let newer = modern_body("tools/call", params).to_string();
    let batch = format!("[{call},{INITIALIZED},{call}]");
    let mut dice = Dice(7);
    for turn in 0..300 {
        let body = dice.spoil(&newer);
        let shown = String::from_utf8_lossy(&body).into_owned();
        let request = gateway.client().post().header("mcp-protocol-version", "2026-07-28");
        let request = request.header("mcp-method", "tools/call").header("mcp-name", "conf__echo");
        let answer = HttpClient::finish(request.body(body)).await;
        assert!(answer.status < 500, "turn {turn}: {shown}: {answer:?}");
        let body = dice.spoil(if turn % 2 == 0 { &call } else { &batch });
        let shown = String::from_utf8_lossy(&body).into_owned();
        let answer = HttpClient::finish(older.legacy_post().body(body)).await;
        assert!(answer.status < 500, "turn {turn}: {shown}: {answer:?}");
        let mut line = dice.spoil(&call);
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        stdio.write(&line).await;
    }
    stdio.send(r#"{"jsonrpc":"2.0","id":"the last","method":"ping"}"#).await;
    let last = stdio.find(|message| message["id"] == "the last").await;
    assert_eq!(last["result"], json!({}));
    assert_eq!(older.legacy(9, "ping", json!({})).await.result(), json!({}));
    still_serves(&gateway).await;
}

#[tokio::test]
async fn clients_that_never_finish_sending_hold_up_nobody() {
    let gateway = boot("");
    let mut stuck = Vec::new();
    for at in 0..300 {
        let mut wire = Wire::open(&gateway).await;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: 1000000\r\n\r\n{{",
            gateway.agent
        );
        let half = head.len() / 2;
        wire.send(if at % 2 == 0 { &head } else { &head[..half] }).await;
        stuck.push(wire);
    }
    let began = std::time::Instant::now();
    still_serves(&gateway).await;
    assert!(began.elapsed() < Duration::from_secs(5), "took {:?}", began.elapsed());
}

/// A request without a credential whose body never arrives.
async fn half_a_login(gateway: &Gateway) -> Wire {
    let mut wire = Wire::open(gateway).await;
    let head = "POST /console/login HTTP/1.1\r\nHost: localhost\r\n\
        Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nt";
    wire.send(head).await;
    wire
}

#[tokio::test]
async fn connections_that_are_all_held_up_leave_a_place_for_health_checks_and_admins() {
    let gateway = boot("[limits]\nconnections_max = 8\n");
    let admin = gateway.cli(&["token", "create", "--role", "admin"]);
    let admin = String::from_utf8(admin.stdout).expect("tokens are text").trim().to_owned();
    let mut stuck = Vec::new();
    for _ in 0..8 {
        stuck.push(half_a_login(&gateway).await);
    }
    let ask = async |path: &str, token: &str| {
        let client = gateway.client();
        let request = client.http.get(gateway.url(path)).bearer_auth(token);
        let request = request.header("connection", "close");
        tokio::time::timeout(WAIT, HttpClient::finish(request)).await.expect("an answer in time")
    };
    assert_eq!(ask("/healthz", "").await.status, 200);
    assert_eq!(ask("/servers", &admin).await.status, 200);
    let agent = ask("/tools", &gateway.agent).await;
    assert_eq!((agent.status, agent.json()["code"].as_str()), (503, Some("connections_full")), "{agent:?}");
    // A client that only occupies a place loses it in time.
    let free =
        until_async(4 * WAIT, || async { (ask("/tools", &gateway.agent).await.status == 200).then_some(()) });
    free.await.expect("there is a place again");
}

#[tokio::test]
async fn a_member_of_params_that_stands_twice_is_refused() {
    let gateway = boot(&conforming("conf", &[]));
    gateway.client().tool_names(1).await;
    let older = session(&gateway, "2025-11-25").await;
    let meta = modern_meta(&json!({}));
    for twice in [
        r#""name":"conf__echo","name":"conf__greet","arguments":{"text":"x"}"#,
        r#""name":"conf__echo","arguments":{"text":"harmless"},"arguments":{"text":"harmful"}"#,
        r#""name":"conf__echo","arguments":{"text":"harmless"},"arg\u0075ments":{"text":"harmful"}"#,
    ] {
        let newer = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{twice},"_meta":{meta}}}}}"#
        );
        let request = gateway.client().post().header("mcp-protocol-version", "2026-07-28");
        let request = request.header("mcp-method", "tools/call").header("mcp-name", "conf__echo");
        expect(&HttpClient::finish(request.body(newer)).await, 400, INVALID_PARAMS, twice);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{twice}}}}}"#);
        let answer = HttpClient::finish(older.legacy_post().body(body)).await;
        assert_eq!(answer.error_code(), INVALID_PARAMS, "{answer:?}");
    }
}

#[tokio::test]
async fn very_many_members_cost_no_more_than_their_bytes() {
    let gateway = boot("");
    let many: Vec<String> = (0..300_000).map(|at| format!("\"k{at}\":1")).collect();
    let many = many.join(",");
    let meta = modern_meta(&json!({})).to_string();
    let inner = &meta[1..meta.len() - 1];
    for body in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}},{many}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta},{many}}}}}"#),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{{inner},{many}}}}}}}"#
        ),
    ] {
        let before = cpu_seconds(gateway.pid());
        let request = gateway
            .client()
            .post()
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/list");
        let sent = HttpClient::finish(request.body(body));
        let answer = tokio::time::timeout(3 * WAIT, sent).await.expect("an answer in time");
        assert_eq!(answer.status, 200, "{answer:?}");
        let took = cpu_seconds(gateway.pid()) - before;
        assert!(took < 5.0, "took {took} s of a core");
    }
}
