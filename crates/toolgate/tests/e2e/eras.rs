//! All four combinations of client era and server era, over pipes and over the web: all of MCP works.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};

use crate::boot;
use crate::doors::{Events, Pair, Stdio, WAIT, another_token, modern_meta};
use crate::kit::{Remote, call, child, listed, names, remote, text};

/// One conforming server of each era and transport.
const SERVERS: [&str; 4] = ["pipe-older", "pipe-newer", "web-older", "web-newer"];

struct ErasWorld {
    gateway: Gateway,
    _remotes: Vec<Remote>,
}

impl ErasWorld {
    async fn open() -> Self {
        let mut toml = String::new();
        let mut remotes = Vec::new();
        for name in SERVERS {
            let only = if name.ends_with("older") { "--legacy-only" } else { "--modern-only" };
            if name.starts_with("pipe") {
                toml.push_str(&child(name, "conformance-server", &["--stdio", only]));
            } else {
                remotes.push(Remote::start("conformance-server", &[only]));
                toml.push_str(&remote(name, &remotes.last().expect("just pushed").url));
            }
            toml.push_str("sampling = true\n");
        }
        let gateway = boot(&toml);
        for name in SERVERS {
            listed(&gateway, &format!("{name}__echo")).await;
        }
        Self { gateway, _remotes: remotes }
    }

    /// A client of the newer era that can answer everything.
    fn newer(&self) -> HttpClient {
        let mut client = self.gateway.client();
        client.capabilities = able();
        client
    }

    /// A session of the older era that can answer everything.
    async fn older(&self) -> HttpClient {
        let mut client = self.newer();
        client.initialize("2025-11-25").await;
        client
    }
}

fn able() -> Value {
    json!({ "elicitation": {}, "sampling": {}, "roots": { "listChanged": true } })
}

/// A client's answer to a question.
fn reply_to(method: &str) -> Value {
    match method {
        "elicitation/create" => json!({ "action": "accept", "content": {
            "name": "Ann", "username": "ann", "email": "a@b.c", "color": "blue", "ok": true, "confirm": true, "context": "rain" } }),
        "sampling/createMessage" => {
            json!({ "role": "assistant", "content": { "type": "text", "text": "Paris" }, "model": "m", "stopReason": "endTurn" })
        }
        "roots/list" => json!({ "roots": [{ "uri": "file:///home/ann", "name": "home" }] }),
        other => panic!("nobody may ask {other}"),
    }
}

/// A request seen to its end.
#[derive(Debug, Default)]
struct FinishedRequest {
    response: Value,
    /// Every question the client was asked, in order.
    asked: Vec<String>,
    /// The params of the questions.
    questions: Vec<Value>,
    notifications: Vec<Value>,
}

impl FinishedRequest {
    fn result(&self) -> &Value {
        self.response.get("result").unwrap_or_else(|| panic!("no result: {self:?}"))
    }

    fn text(&self) -> &str {
        text(self.result())
    }

    fn of(&self, method: &str) -> Vec<&Value> {
        self.notifications.iter().filter(|one| one["method"] == method).map(|one| &one["params"]).collect()
    }
}

/// The newer era: questions come as a result, and the request is repeated with the answers.
async fn tell_newer(client: &HttpClient, method: &str, params: &Value) -> FinishedRequest {
    let mut told = FinishedRequest::default();
    let mut params = params.clone();
    for id in 1..10 {
        let answer = HttpClient::finish(client.modern_request(id, method, params.clone())).await;
        let mut messages = answer.messages();
        told.response = messages.pop().expect("a response");
        assert_eq!(told.response["id"], id, "{answer:?}");
        for message in messages {
            assert!(message.get("id").is_none(), "the newer era has no requests to clients: {message}");
            told.notifications.push(message);
        }
        if told.response["result"]["resultType"] != "input_required" {
            return told;
        }
        let mut responses = json!({});
        let requests = told.response["result"]["inputRequests"].as_object().expect("questions").clone();
        for (key, request) in requests {
            let method = request["method"].as_str().expect("a method");
            told.asked.push(method.to_owned());
            told.questions.push(request["params"].clone());
            responses[key] = reply_to(method);
        }
        params["inputResponses"] = responses;
        match told.response["result"].get("requestState") {
            Some(state) => params["requestState"] = state.clone(),
            None => drop(params.as_object_mut().expect("an object").remove("requestState")),
        }
    }
    panic!("asked without end: {told:?}");
}

/// The older era: questions come as requests while the call is open.
async fn tell_older(client: &HttpClient, id: u64, method: &str, params: &Value) -> FinishedRequest {
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let response = client.legacy_post().body(body.to_string()).send().await.expect("an answer");
    assert_eq!(response.status().as_u16(), 200);
    let mut told = FinishedRequest::default();
    if !response.headers()["content-type"].to_str().expect("text").starts_with("text/event-stream") {
        told.response = response.json().await.expect("JSON");
        return told;
    }
    let mut events = Events::of(response);
    loop {
        let message = events.message().await;
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(asked)) => {
                told.asked.push(method.to_owned());
                told.questions.push(message["params"].clone());
                let answer = json!({ "jsonrpc": "2.0", "id": asked, "result": reply_to(method) });
                assert_eq!(
                    HttpClient::finish(client.legacy_post().body(answer.to_string())).await.status,
                    202
                );
            }
            (Some(_), None) => told.notifications.push(message),
            (None, _) => {
                assert_eq!(message["id"], id);
                told.response = message;
                return told;
            }
        }
    }
}

/// Both eras, one after the other.
struct Clients {
    newer: HttpClient,
    older: HttpClient,
}

impl Clients {
    async fn of(world: &ErasWorld) -> Self {
        Self { newer: world.newer(), older: world.older().await }
    }

    /// The same request in both eras.
    async fn tell(&self, method: &str, params: Value) -> [(&'static str, FinishedRequest); 2] {
        [
            ("newer client", tell_newer(&self.newer, method, &params).await),
            ("older client", tell_older(&self.older, 50, method, &params).await),
        ]
    }

    async fn call(&self, tool: &str, arguments: Value) -> [(&'static str, FinishedRequest); 2] {
        self.tell("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }
}

#[tokio::test]
async fn tools_are_called_in_all_combinations() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        for (client, told) in clients.call(&format!("{server}__echo"), json!({"text": "hello"})).await {
            assert_eq!(told.text(), "hello", "{client}, {server}");
            let complete = told.result().get("resultType") == Some(&json!("complete"));
            assert!(complete || client == "older client", "{client}, {server}: {told:?}");
        }
        for (client, told) in
            clients.call(&format!("{server}__test_structured_content"), json!({"number": 21})).await
        {
            assert_eq!(
                told.result()["structuredContent"]["doubled"].as_f64(),
                Some(42.0),
                "{client}, {server}"
            );
        }
        for (client, told) in clients.call(&format!("{server}__test_error_handling"), json!({})).await {
            assert_eq!(told.result()["isError"], true, "{client}, {server}");
        }
        for (client, told) in clients.call(&format!("{server}__test_multiple_content_types"), json!({})).await
        {
            let result = told.result();
            let blocks = result["content"].as_array().expect("blocks").iter().map(|block| &block["type"]);
            let kinds: Vec<&Value> = blocks.collect();
            assert_eq!(kinds, ["text", "text", "resource_link", "resource"], "{client}, {server}");
        }
    }
}

#[tokio::test]
async fn progress_comes_under_the_clients_own_token() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        for token in [json!("progress-\u{e9}"), json!(7)] {
            let params = json!({"name": format!("{server}__test_tool_with_progress"), "_meta": {"progressToken": token}});
            for (client, told) in clients.tell("tools/call", params).await {
                let seen = told.of("notifications/progress");
                assert!(seen.iter().all(|one| one["progressToken"] == token), "{client}, {server}: {told:?}");
                let steps: Vec<f64> = seen.iter().filter_map(|one| one["progress"].as_f64()).collect();
                assert_eq!(steps, [0.0, 50.0, 100.0], "{client}, {server}");
                assert!(told.text().contains("success"), "{client}, {server}");
            }
        }
        for (client, told) in clients.call(&format!("{server}__test_tool_with_progress"), json!({})).await {
            assert!(told.notifications.is_empty(), "{client}, {server}: nobody asked for progress: {told:?}");
        }
    }
}

#[tokio::test]
async fn elicitation_reaches_every_client_in_its_own_way() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        let tool = format!("{server}__test_elicitation");
        for (client, told) in clients.call(&tool, json!({"message": "Who are you?"})).await {
            assert_eq!(told.asked, ["elicitation/create"], "{client}, {server}");
            let asked = format!("Server \"{server}\" asks: Who are you?");
            assert_eq!(told.questions[0]["message"], asked, "{client}, {server}");
            assert!(
                told.questions[0]["requestedSchema"]["properties"]["email"].is_object(),
                "{client}, {server}"
            );
            assert!(told.text().contains("ann"), "{client}, {server}: {told:?}");
        }
        for (client, told) in
            clients.call(&format!("{server}__test_input_required_result_multi_round"), json!({})).await
        {
            assert_eq!(told.asked, ["elicitation/create"; 2], "{client}, {server}");
            assert_eq!(told.text(), "Ann likes blue", "{client}, {server}");
        }
        let streamed =
            json!({"name": format!("{server}__test_streaming_elicitation"), "_meta": {"progressToken": 1}});
        for (client, told) in clients.tell("tools/call", streamed).await {
            assert_eq!(told.text(), "Hello, Ann!", "{client}, {server}");
            assert!(
                !told.of("notifications/progress").is_empty(),
                "{client}, {server}: progress before the question"
            );
        }
    }
}

#[tokio::test]
async fn a_state_only_server_gets_its_state_back() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        for (client, told) in
            clients.call(&format!("{server}__test_input_required_result_request_state"), json!({})).await
        {
            assert!(told.text().starts_with("state-ok"), "{client}, {server}: {told:?}");
        }
    }
}

#[tokio::test]
async fn sampling_and_roots_reach_every_client() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        for (client, told) in
            clients.call(&format!("{server}__test_sampling"), json!({"prompt": "Capital?"})).await
        {
            assert_eq!(told.asked, ["sampling/createMessage"], "{client}, {server}");
            assert_eq!(told.questions[0]["messages"][0]["content"]["text"], "Capital?", "{client}, {server}");
            assert!(told.text().contains("Paris"), "{client}, {server}: {told:?}");
        }
        for (client, told) in clients.call(&format!("{server}__test_roots"), json!({})).await {
            assert_eq!(told.asked, ["roots/list"], "{client}, {server}");
            assert!(told.text().contains("file:///home/ann"), "{client}, {server}: {told:?}");
        }
        for (client, told) in
            clients.call(&format!("{server}__test_input_required_result_multiple_inputs"), json!({})).await
        {
            assert_eq!(told.asked.len(), 3, "{client}, {server}: {told:?}");
            assert!(
                told.text().contains("Ann") && told.text().contains("file:///home/ann"),
                "{client}, {server}"
            );
        }
    }
}

#[tokio::test]
async fn a_client_is_not_asked_what_it_cannot_answer() {
    let world = ErasWorld::open().await;
    let mut newer = world.newer();
    newer.capabilities = json!({});
    let mut older = newer.clone();
    older.initialize("2025-11-25").await;
    for server in SERVERS {
        let params = json!({"name": format!("{server}__test_elicitation"), "arguments": {"message": "?"}});
        let told = tell_newer(&newer, "tools/call", &params).await;
        assert!(told.asked.is_empty() && refused(&told.response), "newer client, {server}: {told:?}");
        let told = tell_older(&older, 3, "tools/call", &params).await;
        assert!(told.asked.is_empty() && refused(&told.response), "older client, {server}: {told:?}");
    }
    for server in ["pipe-newer", "web-newer"] {
        let answer =
            newer.modern("tools/call", json!({"name": format!("{server}__test_missing_capability")})).await;
        assert_eq!((answer.status, answer.error_code()), (400, -32021), "{server}: {answer:?}");
        assert!(
            answer.response()["error"]["data"]["requiredCapabilities"]["sampling"].is_object(),
            "{server}"
        );
        let able = world
            .newer()
            .modern("tools/call", json!({"name": format!("{server}__test_missing_capability")}))
            .await;
        assert!(
            text(&able.result()).contains("can sample"),
            "{server}: capabilities are those of the request"
        );
    }
}

fn refused(response: &Value) -> bool {
    response.get("error").is_some() || response["result"]["isError"] == true
}

#[tokio::test]
async fn prompts_resources_and_completion_work_in_all_combinations() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for (client, told) in clients.tell("prompts/list", json!({})).await {
        let count = told.result()["prompts"].as_array().map(Vec::len);
        assert_eq!(count, Some(20), "{client}");
    }
    for (client, told) in clients.tell("resources/list", json!({})).await {
        assert_eq!(told.result()["resources"].as_array().map(Vec::len), Some(12), "{client}");
    }
    for (client, told) in clients.tell("resources/templates/list", json!({})).await {
        assert_eq!(told.result()["resourceTemplates"].as_array().map(Vec::len), Some(4), "{client}");
    }
    for server in SERVERS {
        let named = |name: &str| json!({"name": format!("{server}__{name}"), "arguments": {"arg1": "one", "arg2": "two"}});
        for (client, told) in clients.tell("prompts/get", named("test_prompt_with_arguments")).await {
            let said = told.result()["messages"].to_string();
            assert!(said.contains("one") && said.contains("two"), "{client}, {server}: {said}");
        }
        for (client, told) in clients.tell("prompts/get", named("test_input_required_result_prompt")).await {
            assert_eq!(told.asked, ["elicitation/create"], "{client}, {server}");
            assert!(told.result()["messages"].to_string().contains("rain"), "{client}, {server}: {told:?}");
        }
        for (uri, holds) in [
            ("static-text", "content of the static"),
            ("static-binary", "iVBOR"),
            ("template/9/data", "Data for ID: 9"),
        ] {
            let uri = format!("{server}+test://{uri}");
            for (client, told) in clients.tell("resources/read", json!({ "uri": uri })).await {
                assert!(
                    told.result()["contents"].to_string().contains(holds),
                    "{client}, {server}, {uri}: {told:?}"
                );
            }
        }
        let argument = json!({"name": "arg1", "value": "p"});
        let prompt = json!({"type": "ref/prompt", "name": format!("{server}__test_prompt_with_arguments")});
        let template =
            json!({"type": "ref/resource", "uri": format!("{server}+test://template/{{id}}/data")});
        for reference in [prompt, template] {
            for (client, told) in
                clients.tell("completion/complete", json!({ "ref": reference, "argument": argument })).await
            {
                assert!(told.result()["completion"]["values"].is_array(), "{client}, {server}: {told:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_resource_that_a_result_links_to_can_be_read() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        for (client, told) in clients.call(&format!("{server}__test_resource_link"), json!({})).await {
            let block = told.result()["content"]
                .as_array()
                .and_then(|all| all.iter().find(|one| one["type"] == "resource_link").cloned());
            let uri = block.unwrap_or_else(|| panic!("{client}, {server}: {told:?}"))["uri"].clone();
            for (reader, read) in clients.tell("resources/read", json!({ "uri": uri })).await {
                assert!(read.result()["contents"].is_array(), "{client}, {reader}, {server}: {read:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_missing_resource_has_the_code_of_the_clients_era() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        let uri = format!("{server}+test://no-such-thing");
        for (client, told) in clients.tell("resources/read", json!({ "uri": uri })).await {
            let code = if client == "newer client" { -32602 } else { -32002 };
            assert_eq!(told.response["error"]["code"], code, "{client}, {server}: {told:?}");
        }
    }
    for (client, told) in clients.tell("resources/read", json!({ "uri": "unheard-of://x" })).await {
        let code = if client == "newer client" { -32602 } else { -32002 };
        assert_eq!(told.response["error"]["code"], code, "{client}: {told:?}");
    }
}

#[tokio::test]
async fn log_lines_come_to_whoever_asked_for_them() {
    let world = ErasWorld::open().await;
    let clients = Clients::of(&world).await;
    for server in SERVERS {
        let tool = format!("{server}__test_tool_with_logging");
        let quiet = tell_newer(&clients.newer, "tools/call", &json!({ "name": tool })).await;
        assert!(quiet.notifications.is_empty(), "{server}: nobody asked: {quiet:?}");
        let level =
            |level: &str| json!({ "name": tool, "_meta": { "io.modelcontextprotocol/logLevel": level } });
        let told = tell_newer(&clients.newer, "tools/call", &level("info")).await;
        assert_eq!(told.of("notifications/message").len(), 3, "newer client, {server}: {told:?}");
        let deaf = tell_newer(&clients.newer, "tools/call", &level("error")).await;
        assert!(deaf.notifications.is_empty(), "{server}: {deaf:?}");
    }
    assert_eq!(
        clients.older.legacy(1, "logging/setLevel", json!({"level": "info"})).await.result(),
        json!({})
    );
    for server in SERVERS {
        let params = json!({ "name": format!("{server}__test_tool_with_logging") });
        let three = until_async(WAIT, || async {
            // The level reaches servers of the older era as a separate request, which takes a moment.
            let told = tell_older(&clients.older, 9, "tools/call", &params).await;
            (told.of("notifications/message").len() == 3).then_some(told)
        });
        let told = three.await.unwrap_or_else(|| panic!("older client, {server}: no lines"));
        assert_eq!(told.of("notifications/message")[0]["data"], "Tool execution started", "{server}");
    }
    assert_eq!(
        clients.older.legacy(1, "logging/setLevel", json!({"level": "error"})).await.result(),
        json!({})
    );
    for server in SERVERS {
        let told = tell_older(
            &clients.older,
            9,
            "tools/call",
            &json!({ "name": format!("{server}__test_tool_with_logging") }),
        )
        .await;
        assert!(told.notifications.is_empty(), "older client, {server}: below the level: {told:?}");
    }
}

async fn count(world: &ErasWorld, server: &str, arguments: Value) -> u64 {
    let result = call(&world.newer(), &format!("{server}__test_cancellations_seen"), arguments).await;
    text(&result).parse().expect("a number")
}

async fn cancellations(world: &ErasWorld, server: &str) -> u64 {
    count(world, server, json!({})).await
}

/// Sends a call that runs until it is cancelled, and hangs up once `reached` of them have arrived at the
/// server.
async fn send_and_hang_up(world: &ErasWorld, server: &str, request: reqwest::RequestBuilder, reached: u64) {
    let is_there =
        || async { (count(world, server, json!({ "begun": true })).await >= reached).then_some(()) };
    tokio::select! {
        answer = request.send() => panic!("{server}: the call runs until it is cancelled: {answer:?}"),
        there = until_async(WAIT, is_there) => assert!(there.is_some(), "{server}: the call gets there"),
    }
}

async fn cancelled(world: &ErasWorld, server: &str, count: u64) {
    let seen = until_async(WAIT, || async { (cancellations(world, server).await == count).then_some(()) });
    assert!(
        seen.await.is_some(),
        "{server} saw {} cancellations, not {count}",
        cancellations(world, server).await
    );
}

#[tokio::test]
async fn a_newer_client_that_hangs_up_cancels_at_the_server() {
    let world = ErasWorld::open().await;
    for server in SERVERS {
        let params = json!({ "name": format!("{server}__test_cancellation") });
        let request = world.newer().modern_request(1, "tools/call", params);
        send_and_hang_up(&world, server, request, 1).await;
        cancelled(&world, server, 1).await;
    }
}

/// Posts to the REST API as the agent.
async fn post(world: &ErasWorld, path: &str, body: Value) -> HttpAnswer {
    let client = world.gateway.client();
    let request = client.http.post(world.gateway.url(path)).bearer_auth(&client.token);
    HttpClient::finish(request.header("content-type", "application/json").body(body.to_string())).await
}

#[tokio::test]
async fn a_cancelled_run_cancels_its_calls_at_the_server() {
    let world = ErasWorld::open().await;
    for server in SERVERS {
        let run =
            post(&world, "/runs", json!({})).await.json()["run"]["id"].as_str().expect("an id").to_owned();
        let calls = json!({ "calls": [{ "id": "1.0", "name": format!("{server}__test_cancellation") }] });
        let path = format!("/runs/{run}/tool-calls");
        let cancelling = async {
            let is_there =
                || async { (count(&world, server, json!({ "begun": true })).await == 1).then_some(()) };
            assert!(until_async(WAIT, is_there).await.is_some(), "{server}: the call gets there");
            let cancel = post(&world, &format!("/runs/{run}/cancel"), json!({})).await;
            assert_eq!(cancel.status, 200, "{cancel:?}");
        };
        let (answered, ()) = tokio::join!(post(&world, &path, calls), cancelling);
        let result = &answered.json()["results"][0];
        let told = (&result["status"], &result["error"]["code"]);
        assert_eq!(told, (&json!("cancelled"), &json!("cancelled")), "{server}: {answered:?}");
        cancelled(&world, server, 1).await;
    }
}

#[tokio::test]
async fn an_older_client_cancels_by_notification_and_not_by_hanging_up() {
    let world = ErasWorld::open().await;
    let client = world.older().await;
    for server in SERVERS {
        let body = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": format!("{server}__test_cancellation") } });
        let cancel = |id: u64| {
            let body = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "enough" } });
            HttpClient::finish(client.legacy_post().body(body.to_string()))
        };
        // One client hangs up, another call is cancelled: the server hears only of the second.
        for id in [1, 2] {
            send_and_hang_up(&world, server, client.legacy_post().body(body(id).to_string()), id).await;
        }
        assert_eq!(cancel(2).await.status, 202);
        cancelled(&world, server, 1).await;
        assert_eq!(cancel(1).await.status, 202);
        cancelled(&world, server, 2).await;
    }
}

#[tokio::test]
async fn cancellation_on_stdio_reaches_the_server_in_both_eras() {
    let world = ErasWorld::open().await;
    let mut older = Stdio::initialized(&world.gateway, "2025-11-25", &able()).await;
    let mut newer = Stdio::open(&world.gateway);
    for server in SERVERS {
        let name = format!("{server}__test_cancellation");
        older
            .send(
                &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name } })
                    .to_string(),
            )
            .await;
        let params = json!({ "name": name, "_meta": modern_meta(&able()) });
        newer
            .send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string())
            .await;
        // Requests and notifications of one client are processed in order, so these answers show that the
        // calls are in progress.
        assert_eq!(older.request(2, "ping", json!({})).await["result"], json!({}));
        newer.request(2, "server/discover", json!({ "_meta": modern_meta(&able()) })).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })
                .to_string();
        older.send(&cancel).await;
        cancelled(&world, server, 1).await;
        newer.send(&cancel).await;
        cancelled(&world, server, 2).await;
    }
}

/// The stream of a session that belongs to no request.
async fn push_stream(client: &HttpClient) -> Events {
    let request =
        client.http.get(&client.endpoint).bearer_auth(&client.token).header("accept", "text/event-stream");
    Events::open(request.header("mcp-session-id", client.session.clone().expect("open"))).await
}

async fn subscription(client: &HttpClient, notifications: Value) -> Events {
    let params = json!({ "notifications": notifications });
    let mut events = Events::open(client.modern_request(31, "subscriptions/listen", params)).await;
    let opening = events.message().await;
    assert_eq!(opening["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(opening["params"]["notifications"], notifications, "all of it is accepted");
    events
}

#[tokio::test]
async fn changed_lists_are_announced_to_both_eras() {
    let world = ErasWorld::open().await;
    let older = world.older().await;
    let mut pushed = push_stream(&older).await;
    let all = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let mut heard = subscription(&world.newer(), all).await;
    let mut prompts_only = subscription(&world.newer(), json!({"promptsListChanged": true})).await;
    let mut stdio = Stdio::initialized(&world.gateway, "2025-06-18", &json!({})).await;
    for server in SERVERS {
        for (kind, list, entry) in [
            ("tool", "tools", "test_changing_tool"),
            ("prompt", "prompts", "test_changing_prompt"),
            ("resource", "resources", "test://changing-resource"),
        ] {
            call(&world.newer(), &format!("{server}__test_trigger_{kind}_change"), json!({})).await;
            let method = format!("notifications/{list}/list_changed");
            let news = heard.message().await;
            assert_eq!(news["method"], method, "{server}");
            assert_eq!(news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 31, "{server}");
            pushed.called(&method).await;
            stdio.called(&method).await;
            if kind == "prompt" {
                assert_eq!(prompts_only.message().await["method"], method, "only what was asked for");
            }
            let list = world.newer().modern(&format!("{list}/list"), json!({})).await.text;
            assert!(list.contains(entry), "{server}: the new {kind} is listed when the news come");
        }
    }
}

#[tokio::test]
async fn resource_updates_reach_subscribers_of_both_eras() {
    let world = ErasWorld::open().await;
    let older = world.older().await;
    let mut pushed = push_stream(&older).await;
    for server in SERVERS {
        let uri = format!("{server}+test://watched-resource");
        assert_eq!(
            older.legacy(1, "resources/subscribe", json!({ "uri": uri })).await.result(),
            json!({}),
            "{server}"
        );
        let mut heard = subscription(&world.newer(), json!({ "resourceSubscriptions": [uri] })).await;
        // An answered client is subscribed: one update is enough.
        call(&world.newer(), &format!("{server}__test_trigger_resource_update"), json!({})).await;
        let news = heard.called("notifications/resources/updated").await;
        assert_eq!(news["params"]["uri"], json!(uri), "{server}: under the URI that was subscribed");
        assert_eq!(news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 31, "{server}");
        let news = pushed.called("notifications/resources/updated").await;
        assert_eq!(news["params"]["uri"], json!(uri), "{server}");
        assert_eq!(
            older.legacy(1, "resources/unsubscribe", json!({ "uri": uri })).await.result(),
            json!({}),
            "{server}"
        );
    }
}

#[tokio::test]
async fn tasks_live_their_whole_life_through_the_gateway() {
    let world = ErasWorld::open().await;
    let mut client = world.newer();
    client.capabilities["extensions"] = json!({ "io.modelcontextprotocol/tasks": {} });
    for server in ["pipe-newer", "web-newer"] {
        let start = async |tool: &str, arguments: Value| {
            let task = call(&client, &format!("{server}__{tool}"), arguments).await;
            assert_eq!(task["resultType"], "task", "{server}: {task}");
            task["taskId"].clone()
        };
        let until_status = async |id: &Value, status: &str| {
            let reached = until_async(WAIT, || async {
                let task = client.modern("tasks/get", json!({ "taskId": id })).await.result();
                assert_eq!(task["taskId"], *id, "{server}");
                (task["status"] == status).then_some(task)
            });
            reached.await.unwrap_or_else(|| panic!("{server}: never {status}"))
        };
        let id = start("slow_compute", json!({"seconds": 0.3, "label": "it"})).await;
        let done = until_status(&id, "completed").await;
        assert!(text(&done["result"]).contains("Computed it"), "{server}: {done}");
        let id = start("slow_compute", json!({"seconds": 60})).await;
        assert_eq!(client.modern("tasks/cancel", json!({ "taskId": id })).await.status, 200, "{server}");
        until_status(&id, "cancelled").await;
        let id = start("confirm_delete", json!({"filename": "a.txt"})).await;
        let asking = until_status(&id, "input_required").await;
        let mut responses = json!({});
        for (key, request) in asking["inputRequests"].as_object().expect("questions") {
            responses[key] = reply_to(request["method"].as_str().expect("a method"));
        }
        let updated =
            client.modern("tasks/update", json!({ "taskId": id, "inputResponses": responses })).await;
        assert_eq!(updated.status, 200, "{server}: {updated:?}");
        let done = until_status(&id, "completed").await;
        assert!(text(&done["result"]).contains("Deleted a.txt"), "{server}: {done}");
        let id = start("failing_job", json!({})).await;
        assert_eq!(until_status(&id, "completed").await["result"]["isError"], true, "{server}");
        let id = start("protocol_error_job", json!({})).await;
        assert!(until_status(&id, "failed").await["error"]["message"].is_string(), "{server}");
    }
    for server in ["pipe-older", "web-older"] {
        let done =
            call(&client, &format!("{server}__slow_compute"), json!({"seconds": 0.1, "label": "it"})).await;
        assert!(text(&done).contains("Computed it"), "{server} has no tasks and answers: {done}");
    }
    let answer = world.newer().modern("tools/call", json!({"name": "web-newer__failing_job"})).await;
    assert_eq!((answer.status, answer.error_code()), (400, -32021), "{answer:?}");
}

#[tokio::test]
async fn trace_context_reaches_the_server() {
    let remotes = ["legacy", "modern"].map(|era| Remote::start("bad-neighbour", &["--era", era]));
    let mut toml = String::new();
    for (at, era) in ["legacy", "modern"].into_iter().enumerate() {
        toml.push_str(&child(&format!("pipe-{era}"), "bad-neighbour", &["--era", era]));
        toml.push_str(&remote(&format!("web-{era}"), &remotes[at].url));
    }
    let gateway = boot(&toml);
    let newer = gateway.client();
    let mut older = gateway.client();
    older.initialize("2025-11-25").await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let meta = json!({ "traceparent": format!("00-{trace}-b7ad6b7169203331-01"), "tracestate": "v=1", "baggage": "user=ann", "com.example/own": {"n": 1} });
    for server in ["pipe-legacy", "pipe-modern", "web-legacy", "web-modern"] {
        let tool = format!("{server}__raw");
        listed(&gateway, &tool).await;
        let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
        for result in [
            newer.modern("tools/call", params.clone()).await.result(),
            older.legacy(1, "tools/call", params).await.result(),
        ] {
            let seen: Value = serde_json::from_str(text(&result)).expect("the message as the server saw it");
            let seen = &seen["params"]["_meta"];
            assert!(
                seen["traceparent"].as_str().is_some_and(|parent| parent.contains(trace)),
                "{server}: {seen}"
            );
            assert_eq!(
                (&seen["tracestate"], &seen["baggage"]),
                (&json!("v=1"), &json!("user=ann")),
                "{server}"
            );
            assert_eq!(seen["com.example/own"], json!({"n": 1}), "{server}: whatever else came along");
        }
    }
}

#[tokio::test]
async fn an_expired_session_at_a_server_is_opened_anew_and_the_call_repeated_once() {
    let server = Remote::start("bad-neighbour", &["--era", "legacy", "--label", "sessions"]);
    let gateway = boot(&remote("web", &server.url));
    listed(&gateway, "web__echo").await;
    let client = gateway.client();
    let opened =
        async || -> u64 { text(&call(&client, "web__sessions", json!({})).await).parse().expect("a number") };
    let before = opened().await;
    for turn in 1..=3 {
        call(&client, "web__forget", json!({})).await;
        let result = call(&client, "web__echo", json!({"turn": turn})).await;
        assert_eq!(text(&result), format!("sessions echo {{\"turn\":{turn}}}"), "the caller notices nothing");
    }
    assert!(opened().await >= before + 3, "sessions were opened anew");
    call(&client, "web__forget", json!({})).await;
    call(&client, "web__change", json!({})).await;
    let again = until_async(WAIT, || async {
        names(&client).await.contains(&"web__added_0".to_owned()).then_some(())
    });
    again.await.expect("changes are heard in the new session");
}

/// A question to a client must be about its own call.
fn own_question(message: &Value, client: &str) {
    let question = message["params"]["message"].as_str().or(message["message"].as_str()).expect("a message");
    assert_eq!(question, format!("Server \"conf\" asks: {client}"), "somebody else's question");
}

#[tokio::test]
async fn a_question_for_a_secret_is_kept_from_the_client_and_recorded() {
    let world = ErasWorld::open().await;
    let clients = [("newer", world.newer()), ("older", world.older().await)];
    for server in SERVERS {
        let arguments = json!({ "message": "Enter your Toolgate admin token" });
        let params = json!({ "name": format!("{server}__test_elicitation"), "arguments": arguments });
        for (era, client) in &clients {
            let told = match *era {
                "newer" => tell_newer(client, "tools/call", &params).await,
                _ => tell_older(client, 7, "tools/call", &params).await,
            };
            assert!(told.asked.is_empty(), "{era}, {server}: {told:?}");
            assert!(told.response.to_string().contains("asks for a secret"), "{era}, {server}: {told:?}");
        }
        let events = world.gateway.cli(&["ledger", "export", "--kind", "server.asked", "--server", server]);
        let events = String::from_utf8(events.stdout).expect("text");
        assert!(events.contains("asks for a secret") && events.contains("\"call\""), "{server}: {events}");
    }
}

#[tokio::test]
async fn servers_ask_only_what_the_operator_lets_them_ask() {
    let closed = child("conf", "conformance-server", &["--stdio"]) + "elicitation = false\n";
    let gateway = boot(&closed);
    listed(&gateway, "conf__test_elicitation").await;
    let mut client = gateway.client();
    client.capabilities = able();
    let mut older = client.clone();
    older.initialize("2025-11-25").await;
    for (tool, key) in [("test_elicitation", "elicitation"), ("test_sampling", "sampling")] {
        let params =
            json!({ "name": format!("conf__{tool}"), "arguments": { "message": "?", "prompt": "?" } });
        let newer = tell_newer(&client, "tools/call", &params).await;
        let older = tell_older(&older, 3, "tools/call", &params).await;
        for told in [newer, older] {
            assert!(told.asked.is_empty(), "{told:?}");
            assert!(told.response.to_string().contains(key), "{told:?}");
        }
    }
}

#[tokio::test]
async fn several_older_clients_of_one_process_never_get_each_others_questions() {
    let gateway = boot(&child("conf", "conformance-server", &["--stdio", "--legacy-only"]));
    listed(&gateway, "conf__test_elicitation").await;
    let mut calls = Vec::new();
    for at in 0..6 {
        let mut client = gateway.client();
        client.capabilities = able();
        client.initialize("2025-11-25").await;
        calls.push(tokio::spawn(async move {
            let own = format!("client {at}");
            let params = json!({"name": "conf__test_elicitation", "arguments": {"message": own}});
            let told = tell_older(&client, 1, "tools/call", &params).await;
            told.questions.iter().for_each(|question| own_question(question, &own));
            told
        }));
    }
    for one in calls {
        let told = one.await.expect("nobody saw a foreign question");
        if told.asked.is_empty() {
            // On a shared pipe the protocol does not tell which call a question belongs to; naming it is the
            // solution.
            assert!(refused(&told.response), "{told:?}");
        } else {
            assert!(told.text().contains("ann"), "{told:?}");
        }
    }
}

#[tokio::test]
async fn several_newer_clients_of_one_process_never_get_each_others_questions() {
    let gateway = boot(&child("conf", "conformance-server", &["--stdio", "--legacy-only"]));
    listed(&gateway, "conf__test_elicitation").await;
    let mut calls = Vec::new();
    for at in 0..6 {
        let mut client = gateway.client();
        client.capabilities = able();
        calls.push(tokio::spawn(async move {
            let own = format!("client {at}");
            let params = json!({"name": "conf__test_elicitation", "arguments": {"message": own}});
            let told = tell_newer(&client, "tools/call", &params).await;
            told.questions.iter().for_each(|question| own_question(question, &own));
            told
        }));
    }
    for one in calls {
        let told = one.await.expect("nobody saw a foreign question");
        assert!(refused(&told.response) || told.text().contains("ann"), "{told:?}");
    }
}

#[tokio::test]
async fn with_a_process_for_each_principal_everyone_is_asked_their_own() {
    let entry = child("conf", "conformance-server", &["--stdio", "--legacy-only"]);
    let gateway = boot(&format!("{entry}isolation = \"principal\"\n"));
    listed(&gateway, "conf__test_elicitation").await;
    let mut calls = Vec::new();
    for at in 0..4 {
        let mut client = gateway.client();
        client.capabilities = able();
        client.token = another_token(&gateway);
        calls.push(tokio::spawn(async move {
            let own = format!("client {at}");
            let params = json!({"name": "conf__test_elicitation", "arguments": {"message": own}});
            let told = if at % 2 == 0 {
                tell_newer(&client, "tools/call", &params).await
            } else {
                client.initialize("2025-11-25").await;
                tell_older(&client, 1, "tools/call", &params).await
            };
            own_question(&told.questions[0], &own);
            assert!(told.text().contains("ann"), "{told:?}");
        }));
    }
    for one in calls {
        one.await.expect("everyone got their own question");
    }
}

#[tokio::test]
async fn several_clients_of_one_web_server_are_asked_their_own() {
    let server = Remote::start("conformance-server", &["--legacy-only"]);
    let gateway = boot(&remote("conf", &server.url));
    listed(&gateway, "conf__test_elicitation").await;
    let mut calls = Vec::new();
    for at in 0..6 {
        let mut client = gateway.client();
        client.capabilities = able();
        calls.push(tokio::spawn(async move {
            let own = format!("client {at}");
            let params = json!({"name": "conf__test_elicitation", "arguments": {"message": own}});
            let told = if at % 2 == 0 {
                tell_newer(&client, "tools/call", &params).await
            } else {
                client.initialize("2025-11-25").await;
                tell_older(&client, 1, "tools/call", &params).await
            };
            own_question(&told.questions[0], &own);
            assert!(told.text().contains("ann"), "{told:?}");
        }));
    }
    for one in calls {
        one.await.expect("everyone got their own question");
    }
}

#[tokio::test]
async fn a_broken_stream_is_taken_up_where_it_stopped() {
    let world = ErasWorld::open().await;
    let client = world.older().await;
    for server in SERVERS {
        let params =
            json!({"name": format!("{server}__test_tool_with_progress"), "_meta": {"progressToken": "p"}});
        let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params });
        let mut events = Events::open(client.legacy_post().body(body.to_string())).await;
        let first = events.event().await;
        assert_eq!(first.json()["params"]["progress"].as_f64(), Some(0.0), "{server}");
        let place = first.id.expect("events of the older era have ids");
        drop(events);
        let resume = async |place: &str| {
            let get = client
                .http
                .get(&client.endpoint)
                .bearer_auth(&client.token)
                .header("accept", "text/event-stream");
            let get = get
                .header("mcp-session-id", client.session.clone().expect("open"))
                .header("last-event-id", place);
            let mut events = Events::open(get).await;
            let mut seen = Vec::new();
            while let Some(event) = events.next().await {
                if !event.data.is_empty() {
                    seen.push(event.json());
                }
            }
            seen
        };
        let rest = resume(&place).await;
        let steps: Vec<f64> = rest.iter().filter_map(|one| one["params"]["progress"].as_f64()).collect();
        assert_eq!(steps, [50.0, 100.0], "{server}: {rest:?}");
        assert!(
            rest.last().is_some_and(|last| text(&last["result"]).contains("success")),
            "{server}: {rest:?}"
        );
        assert_eq!(resume(&place).await, rest, "{server}: as often as it takes");
    }
}

#[tokio::test]
async fn questions_travel_over_stdio_and_the_older_pair_too() {
    let world = ErasWorld::open().await;
    let call = |server: &str, id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": format!("{server}__test_elicitation"), "arguments": { "message": "?" } } });
    let answer = |asked: &Value| {
        json!({ "jsonrpc": "2.0", "id": asked["id"], "result": reply_to("elicitation/create") }).to_string()
    };
    let mut stdio = Stdio::initialized(&world.gateway, "2025-11-25", &able()).await;
    let mut pair = Pair::initialized(&world.gateway, &able()).await;
    for server in SERVERS {
        stdio.send(&call(server, 1).to_string()).await;
        let asked = stdio.called("elicitation/create").await;
        stdio.send(&answer(&asked)).await;
        assert!(text(&stdio.answer(1).await["result"]).contains("ann"), "stdio, {server}");
        assert_eq!(pair.post(call(server, 2).to_string()).await, 202);
        let asked = pair.events.called("elicitation/create").await;
        assert_eq!(pair.post(answer(&asked)).await, 202);
        assert!(text(&pair.events.answer(2).await["result"]).contains("ann"), "pair, {server}");
    }
    let mut newer = Stdio::open(&world.gateway);
    for server in SERVERS {
        let mut params = call(server, 1)["params"].clone();
        params["_meta"] = modern_meta(&able());
        let asked = newer.request(1, "tools/call", params.clone()).await["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{server}: {asked}");
        let (key, _) =
            asked["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
        params["inputResponses"] = json!({ key: reply_to("elicitation/create") });
        if let Some(state) = asked.get("requestState") {
            params["requestState"] = state.clone();
        }
        let done = newer.request(2, "tools/call", params).await;
        assert!(text(&done["result"]).contains("ann"), "newer stdio, {server}: {done}");
    }
}
