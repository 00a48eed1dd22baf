//! Registrations that are invalid, excessive, or another server's: refused or limited, with a reason, and
//! without side effects.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::site::{Site, done, refused, registration, tool};
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::kit::{call, names};

const BOTH: [&str; 2] = ["jobs__work", "jobs__write"];

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
    let site = Site::open_with("[[agents]]\nname = \"default\"\ntoken_budget = \"off\"\n");
    let (big, small) = (site.server_token("big"), site.server_token("small"));
    let tools: Vec<Value> =
        (0..10_000).map(|n| tool(&format!("tool-{n}"), "Does one thing of many")).collect();
    site.offer("many.json", &json!(tools));
    let _big = site.worker(&big, "big", "a", &["--tools", &site.word("many.json")]);
    let _small = site.worker(&small, "small", "a", &[]);
    let agent = site.agent();
    crate::kit::listed(&site.gateway, "small__work").await;
    assert_eq!(done(&call(&agent, "small__work", json!({ "n": 1 })).await)["instance"], "a");
    // Parsing this many takes a while in an unoptimised build.
    let there = until_async(3 * WAIT, || async {
        let params = json!({ "name": "big__tool-9999", "arguments": {} });
        let answer = agent.modern("tools/call", params).await.response();
        answer.get("result").cloned()
    });
    assert_eq!(done(&there.await.expect("it can be called"))["tool"], "tool-9999");
    assert_eq!(names(&agent).await.len(), 10_002);
    site.configure("");
    let searched = until_async(WAIT, || async {
        let page = agent.modern("tools/list", json!({})).await.result();
        (page["tools"].as_array().map(Vec::len) == Some(3)).then_some(())
    });
    searched.await.expect("without that, so many are searched");
    assert_eq!(names(&agent).await, ["call_tool", "describe_tools", "search_tools"]);
    assert_eq!(done(&call(&agent, "small__work", json!({ "n": 2 })).await)["instance"], "a");
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

/// `nip.io`-like names need a network; `/etc/hosts` of most machines has one name for the loopback address
/// besides `localhost`, and if not, the name of this test is not found, which is as good an error.
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
async fn what_the_operator_wrote_needs_no_permission_and_what_registers_does() {
    let worker = super::worker::Worker::start(&["--name", "filed", "--instance", "a"]);
    let toml = format!(
        "{}[[servers]]\nname = \"jobs\"\nregistered = true\n",
        crate::kit::remote("filed", &worker.url)
    );
    let closed = Site::open_as(Backing::Sqlite, &toml);
    closed.sees(&closed.agent(), &["filed__work", "filed__write"]).await;
    let token = closed.server_token("jobs");
    let mut one = registration("jobs", "a");
    one["url"] = json!(worker.url);
    refused(&closed.register(&token, one).await, 422, "invalid_registration");
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
    let expected = ["jobs__also_good_", "jobs__good", "jobs__pattern"];
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
    assert!(seen.iter().zip(expected).all(|(name, begin)| name.starts_with(begin)), "{seen:?}");
    assert_eq!(done(&call(&agent, "jobs__good", json!({ "n": 1 })).await)["tool"], "good");
    for name in ["text", "list", "kind", "deep"] {
        site.logged(&format!("name=jobs:{name} why=")).await;
    }
    // A schema that fails only in use cannot check the arguments, and the caller is told.
    let result = call(&agent, "jobs__pattern", json!({ "a": "x" })).await;
    let warnings = &result["_meta"]["dev.toolgate/envelope"]["warnings"];
    assert_eq!(warnings[0]["code"], "input_unchecked", "{result}");
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

#[tokio::test]
async fn what_is_no_registration_at_all_is_refused() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let post = |body: String, media: &str| {
        let request = site.agent().http.post(site.gateway.url("/servers/register")).bearer_auth(&token);
        HttpClient::finish(request.header("content-type", media.to_owned()).body(body))
    };
    let deep = format!("{{\"name\":\"jobs\",\"tools\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    for body in ["", "{", "null", "[]", "7", "\"jobs\"", "{\"name\":\"jobs\"}", "{\"name\":null}", &deep] {
        let answer = post(body.to_owned(), "application/json").await;
        assert!((400..500).contains(&answer.status), "{}: {answer:?}", &body[..body.len().min(40)]);
        assert!(answer.json()["code"].is_string(), "{answer:?}");
    }
    let answer = post(registration("jobs", "a").to_string(), "text/plain").await;
    assert_eq!(answer.status, 415, "{answer:?}");
    assert_eq!(site.get("/servers").await, json!({ "servers": [] }));
}
