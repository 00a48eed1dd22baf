//! The ledger for auditors: filters, pages, exports, and data that must never be in it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, FORBIDDEN, GATED, NO_HOLD, envelope, money, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::WAIT;
use crate::kit::call;

const TOOL: &str = "bank__transfer";
const PASSWORD: &str = "Zuckerhut-4711-Kaffee";

on_both!(every_filter_finds_what_it_names, pages_have_no_gaps_and_no_repeats);

/// The condition of a filter.
type Fits<'a> = &'a dyn Fn(&Value) -> bool;

async fn page(bank: &Bank, query: &str) -> Value {
    let answer = bank.get(&bank.gateway.admin, &format!("/ledger?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    answer.json()
}

async fn found(bank: &Bank, query: &str) -> Vec<Value> {
    page(bank, query).await["events"].as_array().expect("a list").clone()
}

async fn every_filter_finds_what_it_names(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{FORBIDDEN}{NO_HOLD}"));
    let ann = bank.agent_with(&bank.token("--role agent --principal ann"));
    let about = json!({ "dev.toolgate/run_id": "run_7", "dev.toolgate/task_id": "t-9" });
    let params = json!({ "name": "bank__refund", "arguments": money(1), "_meta": about });
    let done = ann.modern("tools/call", params).await.result();
    let id = envelope(&done)["tool_call_id"].as_str().expect("an id").to_owned();
    let forbidden = ann.modern("tools/call", json!({ "name": TOOL, "arguments": money(2) })).await;
    assert_eq!(forbidden.error_code(), -32602, "{forbidden:?}");
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    older.legacy(1, "tools/call", json!({ "name": "bank__balance", "arguments": {} })).await.result();
    // Sessions, and futile attempts of agents, are recorded in the background.
    let all = until_async(WAIT, || async {
        let all = found(&bank, "limit=1000").await;
        let count = |kind: &str| all.iter().filter(|one| one["kind"] == kind).count();
        ((count("session.started"), count("tool.call.completed")) == (2, 3)).then_some(all)
    });
    let all = all.await.expect("both sessions and all calls are in the ledger");
    let ended = |tool: &str| {
        all.iter().find(|one| one["tool"] == tool && one["kind"] == "tool.call.completed").expect("it ended")
    };
    let session = ended("bank:balance")["session"].as_str().expect("every call has a session");
    let hex = session.strip_prefix("ses_").unwrap_or_default();
    assert!(hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()), "{session}");
    assert_ne!(older.session.as_deref(), Some(session), "it is not the client's connection");
    assert_ne!(ended("bank:refund")["session"], session, "another principal has another session");
    assert_eq!(ended("bank:refund")["session"], ended("bank:transfer")["session"], "and keeps it");
    let at = done_at(&all, &id);
    let filters: [(&str, Fits<'_>); 11] = [
        ("principal=ann", &|one| one["principal"] == "ann"),
        (&format!("session={session}"), &|one| one["session"] == session),
        ("run=run_7", &|one| one["run"] == "run_7"),
        (&format!("call={id}"), &|one| one["call"] == id.as_str()),
        ("tool=bank:transfer", &|one| one["tool"] == "bank:transfer"),
        ("server=bank", &|one| one["server"] == "bank"),
        ("outcome=denied", &|one| one["outcome"] == "denied"),
        ("decision=deny", &|one| one["decision"] == "deny"),
        ("kind=tool.call.completed", &|one| one["kind"] == "tool.call.completed"),
        (&format!("from={at}"), &|one| one["at_ms"].as_i64() >= Some(at)),
        (&format!("until={at}"), &|one| one["at_ms"].as_i64() < Some(at)),
    ];
    for (query, fits) in filters {
        let expected: Vec<&Value> = all.iter().filter(|one| fits(one)).collect();
        assert!(!expected.is_empty() && expected.len() < all.len(), "{query} says nothing about {all:?}");
        let events = found(&bank, &format!("{query}&limit=1000")).await;
        assert_eq!(events.iter().collect::<Vec<_>>(), expected, "{query}");
    }
    let both = found(&bank, "principal=ann&outcome=denied").await;
    assert_eq!(both.len(), 1, "filters add up: {both:?}");
    assert_eq!(found(&bank, "principal=nobody").await, Vec::<Value>::new());
    let wrong = bank.get(&bank.gateway.admin, "/ledger?outcom=denied").await;
    assert_eq!(wrong.status, 400, "a filter that nobody knows is not ignored: {wrong:?}");
    let whole = bank.get(&bank.gateway.admin, &format!("/ledger/{id}")).await.json();
    let started =
        whole["events"].as_array().into_iter().flatten().find(|one| one["kind"] == "tool.call.started");
    let input = started.and_then(|one| one["input"].as_str()).expect("the arguments are kept");
    assert_eq!(whole["bodies"][input], money(1), "{whole}");
    assert!(bank.say(&["ledger", "show", &id]).contains("bank:refund"));
}

fn done_at(all: &[Value], id: &str) -> i64 {
    let end = all.iter().find(|one| one["call"] == id && one["kind"] == "tool.call.completed");
    end.and_then(|end| end["at_ms"].as_i64()).expect("the call has an end")
}

async fn pages_have_no_gaps_and_no_repeats(backing: Backing) {
    const CALLS: u64 = 12;
    let bank = Bank::open_on(backing, NO_HOLD);
    let agent = bank.agent();
    for amount in 0..CALLS {
        assert_eq!(status(&call(&agent, TOOL, money(amount)).await), "succeeded");
    }
    for order in ["newest", "oldest"] {
        let mut seen = Vec::new();
        let mut pages = 0;
        let mut query = format!("kind=tool.call.completed&limit=5&order={order}");
        loop {
            let page = page(&bank, &query).await;
            pages += 1;
            seen.extend(
                page["events"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|one| one["number"].as_i64().expect("a place")),
            );
            // New events are on none of the later pages, or on the last one in forward order.
            call(&agent, "bank__balance", json!({})).await;
            let Some(cursor) =
                page["next_cursor"].as_str().filter(|_| seen.len() < usize::try_from(CALLS).expect("few"))
            else {
                break;
            };
            query = format!("kind=tool.call.completed&limit=5&order={order}&cursor={cursor}");
        }
        assert!(pages >= 3, "{pages} pages");
        let once: BTreeSet<i64> = seen.iter().copied().collect();
        assert_eq!(once.len(), seen.len(), "{order}: repeated: {seen:?}");
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        if order == "newest" {
            sorted.reverse();
        }
        assert_eq!(seen, sorted, "{order}");
        let all = found(&bank, "kind=tool.call.completed&limit=1000&order=oldest").await;
        let (first, last) = (*once.first().expect("events"), *once.last().expect("events"));
        let between =
            all.iter().filter_map(|one| one["number"].as_i64()).filter(|one| (first..=last).contains(one));
        assert_eq!(between.count(), seen.len(), "{order}: left out");
    }
    let odd = bank.get(&bank.gateway.admin, "/ledger?cursor=x").await;
    assert_eq!(odd.status, 400, "{odd:?}");
}

#[tokio::test]
async fn the_ledger_is_exported_as_lines_and_as_cloud_events() {
    let bank = Bank::open(NO_HOLD);
    call(&bank.agent(), TOOL, money(1)).await;
    let lines = bank.events(&["--format", "jsonl"]);
    let clouds = bank.events(&["--format", "cloudevents"]);
    assert!(lines.len() >= 4 && lines.len() == clouds.len(), "{lines:?}");
    for (line, cloud) in lines.iter().zip(&clouds) {
        assert_eq!((&cloud["specversion"], &cloud["data"]), (&json!("1.0"), line), "{cloud}");
        let kind = line["kind"].as_str().expect("a kind");
        assert!(cloud["type"].as_str().is_some_and(|name| name.ends_with(kind)), "{cloud}");
    }
    let ids: BTreeSet<&str> = clouds.iter().filter_map(|cloud| cloud["id"].as_str()).collect();
    assert_eq!(ids.len(), clouds.len(), "ids are given once");
    bank.say(&["ledger", "export", "--tool", "bank:transfer", "--output", "out.jsonl"]);
    let written = std::fs::read_to_string(bank.gateway.folder().join("out.jsonl")).expect("written");
    assert_eq!(written.lines().count(), 2, "started, completed: {written}");
}

/// The files of the data folder that contain these bytes.
pub(super) fn stands_in_files(bank: &Bank, what: &str) -> Vec<String> {
    let files = std::fs::read_dir(bank.gateway.data()).expect("a folder").filter_map(Result::ok);
    let holding = files.filter(|file| {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        bytes.windows(what.len()).any(|window| window == what.as_bytes())
    });
    holding.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_password_reaches_the_server_and_nothing_else() {
    let rules = "[[redact]]\ntools = \"bank:*\"\ninput = [\"/account\"]\noutput = [\"/content/*/text\"]\n";
    let bank =
        Bank::open(&format!("{GATED}{NO_HOLD}{rules}[[tools]]\nname = \"bank:*\"\naudit = \"detailed\"\n"));
    let agent = bank.agent();
    let account = "DE-geheim-0815";
    let secret = json!({ "account": account, "amount": 1, "password": PASSWORD });
    let id = pending(&call(&agent, TOOL, secret.clone()).await);
    let shown = bank.approval(&id);
    assert_eq!(
        (&shown["arguments"]["password"], &shown["arguments"]["account"]),
        (&json!("[redacted: secret, 21 characters]"), &json!("[redacted: by rule, 14 characters]")),
        "{shown}"
    );
    let other = json!({ "account": account, "amount": 1, "password": "another" });
    assert_ne!(pending(&call(&agent, TOOL, other).await), id, "what is not shown still counts");
    bank.approve(&id);
    assert_eq!(status(&call(&agent, TOOL, secret.clone()).await), "succeeded");
    for tool in ["bank__refund", "bank__balance"] {
        assert_eq!(status(&call(&agent, tool, secret.clone()).await), "succeeded");
    }
    let unfit = json!({ "account": account, "amount": "one", "password": PASSWORD });
    assert_eq!(status(&call(&agent, TOOL, unfit).await), "invalid");
    for password in [json!(471_147_114_711_u64), json!({ "is": PASSWORD })] {
        let unfit = json!({ "account": account, "amount": 1, "password": password });
        assert_eq!(status(&call(&agent, TOOL, unfit).await), "invalid");
    }
    let ran = bank.ran();
    assert_eq!(
        ran.iter().filter(|line| line.contains(PASSWORD) && line.contains(account)).count(),
        3,
        "{ran:?}"
    );
    for what in [PASSWORD, account, "471147114711"] {
        assert_eq!(stands_in_files(&bank, what), Vec::<String>::new(), "{what} was stored");
        assert!(!bank.gateway.log().join("\n").contains(what), "{what} was logged");
    }
    assert_ne!(stands_in_files(&bank, "bank:transfer"), Vec::<String>::new(), "the files are looked at");
    let token = bank.say(&["token", "create", "--role", "agent"]).trim().to_owned();
    assert!(token.starts_with("tg_agent_"), "{token}");
    assert_eq!(stands_in_files(&bank, &token), Vec::<String>::new(), "tokens are not stored");
}

#[tokio::test]
async fn a_password_that_a_server_repeats_is_not_kept_either() {
    let bank = Bank::open(NO_HOLD);
    let secret = json!({ "account": "DE1", "amount": 1, "password": PASSWORD });
    let done = call(&bank.agent(), TOOL, secret).await;
    assert!(
        done["content"][0]["text"].as_str().is_some_and(|text| text.contains(PASSWORD)),
        "the agent gets it: {done}"
    );
    assert_eq!(stands_in_files(&bank, PASSWORD), Vec::<String>::new());
}

#[tokio::test]
async fn no_route_opens_without_a_token() {
    let bank = Bank::open(NO_HOLD);
    let client = bank.agent();
    let document = bank.get(&bank.gateway.admin, "/openapi.json").await.json();
    let mut walked = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        // These authenticate by their address, and have their own tests.
        if path.starts_with("/uploads/") || path.starts_with("/signed/") {
            continue;
        }
        let filled = filled(path);
        assert!(!filled.contains('{'), "{path}");
        for method in methods.as_object().expect("methods").keys() {
            for token in [None, Some("tg_admin_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), Some("")] {
                let verb = method.to_uppercase().parse().expect("a method");
                let mut request = client.http.request(verb, bank.gateway.url(&filled));
                request = request.header("content-type", "application/json").body("{}");
                if let Some(token) = token {
                    request = request.bearer_auth(token);
                }
                let answer = toolgate_testkit::gateway::HttpClient::finish(request).await;
                assert_eq!(answer.status, 401, "{method} {path} with {token:?}: {answer:?}");
                let media = answer.headers["content-type"].to_str().unwrap_or_default();
                assert_eq!(media, "application/problem+json", "{method} {path}");
                let problem = answer.json();
                assert!(
                    problem["code"].is_string() && problem["hint"].is_string() && problem["retry"] == false,
                    "{problem}"
                );
            }
            walked += 1;
        }
    }
    assert!(walked >= 15, "{walked} routes");
}

/// The path with a value in the place of each parameter.
fn filled(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let values = parts.iter().map(|part| match *part {
        "{number}" => "0",
        part if part.starts_with('{') => "x",
        part => part,
    });
    values.collect::<Vec<_>>().join("/")
}
