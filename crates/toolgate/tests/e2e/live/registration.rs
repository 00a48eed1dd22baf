//! Who may register what, how a place in the catalogue is kept, and how it is lost.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::site::{Ending, Site, done, failure, refused, registration, tool};
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};

on_both!(
    a_worker_that_registers_is_listed_and_called,
    a_restart_keeps_registrations,
    a_missed_lease_takes_the_last_instance_out_and_its_tools_stay_with_an_honest_error,
);

const BOTH: [&str; 2] = ["jobs__work", "jobs__write"];

async fn a_worker_that_registers_is_listed_and_called(backing: Backing) {
    let site = Site::open_on(backing, "");
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &["--version", "7.1"]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
    assert_eq!((&done(&result)["instance"], &done(&result)["arguments"]["n"]), (&json!("a"), &json!(1)));
    let server = site.healthy("jobs", 1).await;
    assert_eq!(
        (&server["source"], &server["health"], &server["tools"]),
        (&json!("registered"), &json!("healthy"), &json!(2)),
        "{server}"
    );
    let instance = &server["instances"][0];
    assert_eq!(instance["version"], "7.1", "{server}");
    assert!(instance["lease_left"].as_f64().is_some_and(|left| left > 0.0 && left <= 5.0), "{server}");
    for kind in ["server.added", "server.instance.joined", "registry.tools.pinned"] {
        let told = site.told(kind).await;
        assert_eq!((told.len(), &told[0]["server"]), (1, &json!("jobs")), "{told:?}");
    }
    let shown = site.say(&["servers", "show", "jobs"]);
    assert!(shown.contains("registered") && shown.contains("7.1"), "{shown}");
}

#[tokio::test]
async fn a_server_does_not_speak_for_another() {
    let site = Site::open();
    let (mine, other) = (site.server_token("jobs"), site.server_token("mail"));
    assert_eq!(site.register(&mine, registration("jobs", "a")).await.status, 200);
    let problem = refused(&site.register(&other, registration("jobs", "b")).await, 403, "foreign_name");
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("mail") && text.contains("jobs")));
    for name in ["Jobs", "jobs ", "job", "jobs2", "mail/../jobs", ""] {
        let answer = site.register(&other, registration(name, "b")).await;
        refused(&answer, 403, "foreign_name");
    }
    let beat = site.rest(&other, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
    refused(&beat, 403, "foreign_name");
    let leave = site.rest(&other, "DELETE", "/servers/jobs/instances/a", None).await;
    refused(&leave, 403, "foreign_name");
    assert_eq!(site.instances("jobs").await, ["a"], "nothing happened to it");
}

#[tokio::test]
async fn only_servers_and_operators_register() {
    let site = Site::open();
    for role in ["agent", "approver", "auditor"] {
        let token = site.token(&format!("--role {role}"));
        refused(&site.register(&token, registration("jobs", "a")).await, 403, "role_insufficient");
    }
    let answer =
        site.register("tg_server_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", registration("jobs", "a"));
    assert_eq!(answer.await.status, 401);
    let operator = site.token("--role operator");
    assert_eq!(site.register(&operator, registration("jobs", "a")).await.status, 200);
    let told = site.refuse(&["token", "create", "--role", "server"]);
    assert!(told.contains("--server"), "a server's token is bound to a name: {told}");
}

#[tokio::test]
async fn a_revoked_token_renews_nothing() {
    let site = Site::open();
    let token = site.server_token("jobs");
    assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    let listed: Value = serde_json::from_str(&site.say(&["--json", "token", "list"])).expect("JSON");
    let own =
        listed.as_array().expect("a list").iter().find(|one| one["role"] == "server").expect("it is there");
    site.say(&["token", "revoke", own["id"].as_str().expect("an id")]);
    let gone = until_async(WAIT, || async {
        let beat = site.rest(&token, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
        (beat.status == 401).then_some(())
    });
    gone.await.expect("a revoked token is noticed");
}

#[tokio::test]
async fn a_server_token_opens_nothing_but_its_own_place() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &[]);
    site.sees(&site.agent(), &BOTH).await;
    let document = site.get("/openapi.json").await;
    let own = ["/openapi.json", "/servers/register", "/webhooks/{name}/decisions"];
    let mut walked = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        if own.contains(&path.as_str()) || path.contains("/instances/") {
            continue;
        }
        let filled = path.replace(['{', '}'], "");
        for method in methods.as_object().expect("methods").keys() {
            let answer = site.rest(&token, &method.to_uppercase(), &filled, Some(json!({}))).await;
            refused(&answer, 403, "role_insufficient");
            walked += 1;
        }
    }
    assert!(walked >= 25, "{walked} routes");
    let mcp = site.agent_with(&token);
    for method in ["tools/list", "server/discover", "subscriptions/listen"] {
        refused(&mcp.modern(method, json!({})).await, 403, "wrong_role");
    }
    refused(
        &mcp.modern("tools/call", json!({ "name": "jobs__work", "arguments": {} })).await,
        403,
        "wrong_role",
    );
    refused(&mcp.raw(crate::doors::initialize("2025-11-25", &json!({}))).await, 403, "wrong_role");
    let sse = HttpClient::finish(mcp.http.get(site.gateway.url("/sse")).bearer_auth(&token)).await;
    assert_eq!(sse.status, 403, "{sse:?}");
}

#[tokio::test]
async fn a_lease_that_is_gone_is_said_to_be_gone_and_can_be_had_again() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let beat = || site.rest(&token, "POST", "/servers/jobs/instances/a/heartbeat", None);
    let problem = refused(&beat().await, 410, "lease_lost");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("register")), "{problem}");
    assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    let renewed = beat().await;
    assert_eq!(
        renewed.json(),
        json!({
            "server": "jobs", "instance_id": "a", "lease_seconds": 600.0, "heartbeat_seconds": 200.0
        })
    );
    let leave = || site.rest(&token, "DELETE", "/servers/jobs/instances/a", None);
    assert_eq!(leave().await.status, 204);
    refused(&leave().await, 410, "lease_lost");
    refused(&beat().await, 410, "lease_lost");
    assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    assert_eq!(beat().await.status, 200);
}

#[tokio::test]
async fn registering_the_same_again_is_one_instance_and_one_event() {
    let site = Site::open();
    let token = site.server_token("jobs");
    for _ in 0..5 {
        assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    }
    assert_eq!(site.told("server.instance.joined").await.len(), 1);
    let mut other = registration("jobs", "a");
    other["url"] = json!("http://127.0.0.1:10/mcp");
    assert_eq!(site.register(&token, other).await.status, 200);
    let server = site.server("jobs").await;
    assert_eq!(server["instances"].as_array().map(Vec::len), Some(1), "it takes its own place: {server}");
    assert_eq!(server["instances"][0]["url"], "http://127.0.0.1:10/mcp");
    assert_eq!(site.told("server.instance.joined").await.len(), 2);
}

#[tokio::test]
async fn a_flood_of_instances_is_bounded_and_disturbs_nobody() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "real", &[]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let mut statuses = Vec::new();
    for number in 0..80 {
        statuses.push(site.register(&token, registration("jobs", &format!("flood-{number}"))).await.status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 63, "{statuses:?}");
    let answer = site.register(&token, registration("jobs", "one-more")).await;
    let problem = refused(&answer, 429, "too_many_instances");
    assert_eq!(problem["retry"], true, "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("64")), "{problem}");
    let again = site.register(&token, registration("jobs", "flood-1")).await;
    assert_eq!(again.status, 200, "who has a place keeps it: {again:?}");
    let other = site.server_token("mail");
    assert_eq!(site.register(&other, registration("mail", "a")).await.status, 200);
    for n in 0..20 {
        assert_eq!(done(&call(&agent, "jobs__work", json!({ "n": n })).await)["instance"], "real");
    }
}

#[tokio::test]
async fn ten_thousand_tools_said_at_once_are_refused_with_a_reason() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let extras = |count: usize| -> Value {
        let extras = (0..count).map(|n| (format!("tool-{n}"), json!({ "capabilities": ["c"] })));
        Value::Object(extras.collect())
    };
    let mut many = registration("jobs", "a");
    many["tools"] = extras(10_000);
    let problem = refused(&site.register(&token, many.clone()).await, 422, "invalid_registration");
    assert_eq!(problem["field"], "tools", "{problem}");
    let detail = problem["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("10000") && detail.contains("2000"), "{problem}");
    let answer = site.rest(&site.gateway.admin, "GET", "/servers/jobs", None).await;
    assert_eq!(answer.status, 404, "nothing was kept: {answer:?}");
    many["tools"] = extras(2_000);
    assert_eq!(site.register(&token, many.clone()).await.status, 200);
    many["tools"] = json!({ "t": { "capabilities": ["x".repeat(2 << 20)] } });
    refused(&site.register(&token, many).await, 413, "body_too_large");
}

#[tokio::test]
async fn a_server_with_ten_thousand_tools_slows_no_other() {
    let site = Site::open();
    let (big, small) = (site.server_token("big"), site.server_token("small"));
    let tools: Vec<Value> =
        (0..10_000).map(|n| tool(&format!("tool-{n}"), "Does one thing of many")).collect();
    site.offer("many.json", &json!(tools));
    let _big = site.worker(&big, "big", "a", &["--tools", &site.word("many.json")]);
    let _small = site.worker(&small, "small", "a", &[]);
    let agent = site.agent();
    crate::kit::listed(&site.gateway, "small__work").await;
    assert_eq!(done(&call(&agent, "small__work", json!({ "n": 1 })).await)["instance"], "a");
    let there = until_async(WAIT, || async {
        let params = json!({ "name": "big__tool-9999", "arguments": {} });
        let answer = agent.modern("tools/call", params).await.response();
        answer.get("result").cloned()
    });
    assert_eq!(done(&there.await.expect("it can be called"))["tool"], "tool-9999");
    assert_eq!(names(&agent).await.len(), 10_002);
}

#[tokio::test]
async fn a_name_that_normalises_to_another_is_refused_and_both_are_named() {
    let site = Site::open_with("[[servers]]\nname = \"Files.local\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    let admin = site.gateway.admin.clone();
    assert_eq!(site.register(&admin, registration("job_app", "a")).await.status, 200);
    for (name, has) in
        [("Job_App", "job_app"), ("files.local", "Files.local"), ("files__local", "Files.local")]
    {
        let problem = refused(&site.register(&admin, registration(name, "a")).await, 409, "name_taken");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(name) && detail.contains(has), "{problem}");
    }
    let problem = refused(&site.register(&admin, registration("Files.local", "a")).await, 409, "name_taken");
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("toolgate.toml")), "{problem}");
    assert_eq!(site.get("/servers").await["servers"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn of_two_that_take_like_names_at_once_one_is_refused() {
    let site = Site::open();
    let admin = site.gateway.admin.clone();
    for round in 0..20 {
        let (small, large) = (format!("mail-{round}"), format!("MAIL-{round}"));
        let (one, other) = tokio::join!(
            site.register(&admin, registration(&small, "a")),
            site.register(&admin, registration(&large, "a"))
        );
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "round {round}: {one:?} {other:?}");
    }
}

#[tokio::test]
async fn what_is_expected_in_the_file_comes_by_registration() {
    let expected = "[[servers]]\nname = \"jobs\"\nregistered = true\n[servers.tools]\ndeny = [\"write\"]\n";
    let site = Site::open_with(expected);
    let waiting = site.server_is("jobs", |server| server["health"] == "degraded").await;
    assert_eq!(waiting["source"], "expected", "{waiting}");
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &[]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__work"]).await;
    assert_eq!(done(&call(&agent, "jobs__work", json!({})).await)["instance"], "a");
    let forget = site.rest(&site.gateway.admin, "DELETE", "/servers/jobs", None).await;
    assert!(forget.status == 204 || forget.status == 409, "{forget:?}");
}

#[tokio::test]
async fn addresses_keep_to_the_rules_of_the_operator() {
    let closed = Site::open_as(Backing::Sqlite, "[policy]\ntemplate = \"exploratory\"\n");
    let open = Site::open();
    let at = |url: &str| {
        let mut one = registration("jobs", "a");
        one["url"] = json!(url);
        one
    };
    for url in [
        "http://127.0.0.1:4000/mcp",
        "http://localhost:4000/mcp",
        "http://LOCALHOST.:4000/mcp",
        "http://x.localhost/mcp",
        "http://[::1]/mcp",
        "http://2130706433/mcp",
        "http://0x7f.1/mcp",
        "http://[::ffff:127.0.0.1]/mcp",
        "http://[64:ff9b::7f00:1]/mcp",
    ] {
        let problem =
            refused(&closed.register(&closed.gateway.admin, at(url)).await, 422, "invalid_registration");
        assert_eq!(problem["field"], "url", "{url}: {problem}");
        assert!(
            problem["detail"].as_str().is_some_and(|text| text.contains("allow_loopback")),
            "{url}: {problem}"
        );
    }
    for url in [
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/mcp",
        "http://[fe80::1]/mcp",
        "http://0.0.0.0/mcp",
        "http://[::]/mcp",
        "http://224.0.0.1/mcp",
        "http://255.255.255.255/mcp",
        "http://10.0.0.1/mcp",
        "ftp://example.com/mcp",
        "file:///etc/passwd",
        "http://user:secret@example.com/mcp",
        "https://example.com/mcp#part",
        "not an address",
        "",
    ] {
        let answer = open.register(&open.gateway.admin, at(url)).await;
        let problem = refused(&answer, 422, "invalid_registration");
        assert_eq!(problem["field"], "url", "{url}: {problem}");
    }
    let long = format!("https://example.com/{}", "x".repeat(2048));
    refused(&open.register(&open.gateway.admin, at(&long)).await, 422, "invalid_registration");
    assert_eq!(open.get("/servers").await, json!({ "servers": [] }));
}

/// `nip.io`-like names need a network; `/etc/hosts` of most machines has one name for the loopback address besides
/// `localhost`, and if not, the name of this test is not found, which is as good an error.
#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_refused_when_it_is_dialled() {
    let closed = Site::open_as(Backing::Sqlite, "[policy]\ntemplate = \"exploratory\"\n");
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let Some(name) = loopback_name(&hosts) else { return };
    let mut one = registration("jobs", "a");
    one["url"] = json!(format!("http://{name}:9/mcp"));
    assert_eq!(closed.register(&closed.gateway.admin, one).await.status, 200);
    let server = closed.server_is("jobs", |server| server["health"] == "degraded").await;
    assert!(server["reason"].as_str().is_some_and(|reason| reason.contains("allow_loopback")), "{server}");
}

/// A name in the hosts file that means this machine and does not say so.
fn loopback_name(hosts: &str) -> Option<&str> {
    let lines = hosts.lines().filter(|line| line.starts_with("127.") || line.starts_with("::1"));
    let mut names = lines.flat_map(|line| line.split_whitespace().skip(1));
    names.find(|name| !name.starts_with('#') && *name != "localhost" && !name.ends_with(".localhost"))
}

#[tokio::test]
async fn a_tool_whose_schema_is_none_is_left_out_and_the_others_stay() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let bad = |name: &str, schema: Value| json!({ "name": name, "description": "x", "inputSchema": schema });
    site.offer(
        "tools.json",
        &json!([
            tool("good", "Works"),
            bad("text", json!("object")),
            bad("list", json!([])),
            bad("kind", json!({ "type": 7 })),
            bad("deep", json!({ "type": "object", "properties": { "a": { "type": 7 } } })),
            bad("pattern", json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "(" } } })),
            { "description": "has no name" },
            7,
            tool("also good", "Works too"),
        ]),
    );
    let _worker = site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json")]);
    let agent = site.agent();
    crate::kit::listed(&site.gateway, "jobs__good").await;
    let seen = names(&agent).await;
    let expected = ["jobs__also_good_", "jobs__deep", "jobs__good", "jobs__pattern"];
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
    assert!(seen.iter().zip(expected).all(|(name, begin)| name.starts_with(begin)), "{seen:?}");
    assert_eq!(done(&call(&agent, "jobs__good", json!({ "n": 1 })).await)["tool"], "good");
    for name in ["text", "list", "kind"] {
        site.logged(&format!("name=jobs:{name} why=")).await;
    }
    // A schema that is none only inside cannot be held against the arguments, and the caller is told.
    for name in ["jobs__deep", "jobs__pattern"] {
        let result = call(&agent, name, json!({ "a": "x" })).await;
        let warnings = &result["_meta"]["dev.toolgate/envelope"]["warnings"];
        assert_eq!(warnings[0]["code"], "input_unchecked", "{result}");
    }
}

#[tokio::test]
async fn a_body_that_is_none_is_refused_by_the_field() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let with = |key: &str, value: Value| {
        let mut one = registration("jobs", "a");
        one[key] = value;
        one
    };
    for (key, value, field) in [
        ("lease_seconds", json!(4.9), "lease_seconds"),
        ("lease_seconds", json!(601), "lease_seconds"),
        ("lease_seconds", json!(-1), "lease_seconds"),
        ("instance_id", json!(""), "instance_id"),
        ("instance_id", json!("a/b"), "instance_id"),
        ("concurrency_max", json!(0), "concurrency_max"),
        ("version", json!("v".repeat(129)), "version"),
        ("tools", json!({ "t": { "timeout_seconds": -1 } }), "tools.t"),
        ("tools", json!({ "t": { "aliases": vec!["a"; 17] } }), "tools.t"),
    ] {
        let problem =
            refused(&site.register(&token, with(key, value.clone())).await, 422, "invalid_registration");
        assert_eq!(problem["field"], field, "{key} {value}: {problem}");
    }
    for (key, value) in [("lease_seconds", json!("long")), ("tools", json!([])), ("command", json!("sh"))] {
        let answer = site.register(&token, with(key, value.clone())).await;
        assert!(answer.status == 400 || answer.status == 422, "{key} {value}: {answer:?}");
    }
    assert_eq!(site.get("/servers").await, json!({ "servers": [] }));
}

async fn a_missed_lease_takes_the_last_instance_out_and_its_tools_stay_with_an_honest_error(
    backing: Backing,
) {
    let site = Site::open_on(backing, "");
    let token = site.server_token("jobs");
    let mut worker = site.worker(&token, "jobs", "a", &[]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    worker.kill();
    let server = site.server_is("jobs", |server| server["instances"] == json!([])).await;
    let server = match server["reason"].as_str() {
        Some("no instance holds a lease") => server,
        _ => site.server_is("jobs", |server| server["reason"] == "no instance holds a lease").await,
    };
    assert_eq!(server["health"], "degraded", "{server}");
    assert!(server["since"].is_string(), "{server}");
    assert_eq!(names(&agent).await, BOTH, "they are not gone");
    let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
    assert!(failure(&result).contains("no instance holds a lease"), "{result}");
    let left = site.told("server.instance.left").await;
    assert_eq!((left.len(), &left[0]["detail"]["reason"]), (1, &json!("its lease ran out")), "{left:?}");
    let _again = site.worker(&token, "jobs", "b", &[]);
    site.healthy("jobs", 1).await;
    assert_eq!(done(&call(&agent, "jobs__work", json!({ "n": 1 })).await)["instance"], "b");
}

#[tokio::test]
async fn a_worker_that_ends_says_goodbye_and_finishes_what_is_under_way() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let journal = site.word("journal");
    let mut worker = site.worker(&token, "jobs", "a", &["--journal", &journal]);
    let _other = site.worker(&token, "jobs", "b", &[]);
    site.healthy("jobs", 2).await;
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let slow: Vec<_> = (0..12)
        .map(|n| {
            let client = agent.clone();
            tokio::spawn(async move { call(&client, "jobs__write", json!({ "n": n, "ms": 1500 })).await })
        })
        .collect();
    let reached = || async { std::path::Path::new(&journal).exists().then_some(()) };
    until_async(WAIT, reached).await.expect("one reaches it");
    tokio::task::spawn_blocking(move || worker.end()).await.expect("it ends");
    let left = site.told_at_least("server.instance.left", 1).await;
    assert_eq!(left[0]["detail"], json!({ "instance": "a", "reason": "it said goodbye" }), "{left:?}");
    assert_eq!(site.instances("jobs").await, ["b"]);
    for one in slow {
        done(&one.await.expect("answered"));
    }
}

async fn a_restart_keeps_registrations(backing: Backing) {
    let site = Site::open_on(backing, "");
    let admin = site.gateway.admin.clone();
    let worker = super::worker::Worker::start(&["--name", "jobs", "--instance", "a"]);
    let mut one = registration("jobs", "a");
    one["url"] = json!(worker.url);
    assert_eq!(site.register(&admin, one).await.status, 200);
    site.sees(&site.agent(), &BOTH).await;
    let site = site.restarted(Ending::Asked);
    site.sees(&site.agent(), &BOTH).await;
    let site = site.restarted(Ending::Killed);
    site.sees(&site.agent(), &BOTH).await;
    site.healthy("jobs", 1).await;
    assert_eq!(done(&call(&site.agent(), "jobs__work", json!({})).await)["instance"], "a");
    let beat = site.rest(&admin, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
    assert_eq!(beat.status, 200, "{beat:?}");
    assert_eq!(site.told("server.instance.joined").await.len(), 1);
    assert_eq!(site.told("registry.tools.pinned").await.len(), 1, "nothing is pinned twice");
}

#[tokio::test]
async fn an_operator_forgets_a_server_that_registered() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &["--lease-seconds", "600"]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let forget = || site.rest(&site.gateway.admin, "DELETE", "/servers/jobs", None);
    assert_eq!(forget().await.status, 204);
    site.sees(&agent, &[]).await;
    refused(&forget().await, 404, "unknown_server");
    assert_eq!(site.told("server.removed").await.len(), 1);
    site.tool_is("jobs:work", "retired").await;
}
