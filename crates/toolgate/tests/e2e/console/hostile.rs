//! Hostile text in every place that shows text from outside: no script runs, no page breaks.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::office::{Office, TRANSFER};
use super::person::{DESK, PHONE, Person};
use super::plain::Visitor;
use crate::doors::WAIT;
use crate::kit::{call, names};
use crate::runs::work::Work;

/// Closes tags and quotes, includes scripts, reverses the direction of text, and hides characters.
const EVIL: &str = "\"'></textarea></title></script><script>window.pwned=1</script><img src=x onerror=\"window.pwned=2\">\
    <svg onload=window.pwned=3> {{7*7}} ${7*7} \u{202e}gnp.exe\u{2066}\u{200b}\u{7} javascript:window.pwned=4";
/// No character that reverses text is on the page unescaped.
const TURNED: &str = "const turned = (node) => [...node.childNodes].some((one) => one.nodeType === 3 \
    ? /[\\u202a-\\u202e\\u2066-\\u2069]/.test(one.data) : !['TEXTAREA', 'SCRIPT'].includes(one.nodeName) && turned(one)); \
    return turned(document.body)";
const MEGABYTE: usize = 1 << 20;
/// A page about something large is itself not that large.
const PAGE_CHARS_MAX: u64 = 3 << 20;

fn evil_tool(name: &str) -> Value {
    json!({
        "name": name, "title": EVIL, "description": EVIL,
        "inputSchema": {
            "type": "object", "title": EVIL, "description": EVIL,
            "properties": {
                "note": { "type": "string", "description": EVIL, "default": EVIL },
                (EVIL): { "type": "string", "enum": [EVIL, "fine"], "title": EVIL },
            },
        },
        "annotations": { "title": EVIL, "readOnlyHint": true },
    })
}

/// Everything hostile that can be brought about from outside; the pages that show it.
async fn infested() -> (Office, Vec<String>) {
    let mut office = Office::open().await;
    office.hire_any(json!([evil_tool("evil"), evil_tool("worse"), evil_tool(EVIL)])).await;
    let echoed = accepted(&office).await;
    let long = "A".repeat(MEGABYTE);
    let mut pages = vec![format!("/console/calls/{echoed}")];
    let mut approvals = Vec::new();
    for account in [EVIL.to_owned(), format!("{EVIL}{long}")] {
        let asked = call(&office.helper, TRANSFER, json!({ "account": account, "amount": 1 })).await;
        let id = asked["_meta"]["dev.toolgate/envelope"]["approval_id"].as_str();
        let id = id.unwrap_or_else(|| panic!("it waits: {}", short(&asked))).to_owned();
        pages.push(format!("/console/inbox/approvals/{id}"));
        approvals.push(id);
        let done = call(&office.helper, "bank__refund", json!({ "account": account, "amount": 1 })).await;
        let id = done["_meta"]["dev.toolgate/envelope"]["tool_call_id"].as_str();
        pages.push(format!("/console/calls/{}", id.expect("a call has an id")));
        if let Some(one) = done["_meta"]["dev.toolgate/envelope"]["refs"][0]["ref_id"].as_str() {
            pages.push(format!("/console/refs/{one}"));
        }
    }
    office.decide(&office.admin(), &approvals[0], json!({ "decision": "deny", "reason": EVIL })).await;
    pages.extend(infested_run(&office).await);
    pages.push(infested_task(&office).await);
    let bytes = format!("<script>window.pwned=5</script>{EVIL}");
    let file = office.archive.file("\"><img src=x onerror=window.pwned=8>.txt", bytes.as_bytes()).await;
    pages.push(format!("/console/files/{file}"));
    office.site().say(&[
        "token",
        "create",
        "--role",
        "auditor",
        "--label",
        "<img src=x onerror=window.pwned=6>",
    ]);
    (office, pages)
}

/// Accepts one of the tools, so that every page about a tool shows it, and calls it; returns the call.
async fn accepted(office: &Office) -> String {
    let evil = office.site().becomes("/registry/tools/jobs:evil", |tool| tool["version"].is_string()).await;
    if evil["status"] != "active" {
        let version = evil.get("candidate_version").filter(|one| one.is_string()).unwrap_or(&evil["version"]);
        let accepted = office.site().review("jobs:evil", "accept", version).await;
        assert_eq!(accepted.status, 200, "{accepted:?}");
        office.site().tool_is("jobs:evil", "active").await;
    }
    let listed = until_async(WAIT, || async {
        names(&office.helper).await.iter().any(|name| name == "jobs__evil").then_some(())
    });
    listed.await.expect("agents see it");
    let echoed = call(&office.helper, "jobs__evil", json!({ "note": EVIL })).await;
    assert_ne!(echoed["isError"], true, "{}", short(&echoed));
    let id = echoed["_meta"]["dev.toolgate/envelope"]["tool_call_id"].as_str();
    id.expect("a call has an id").to_owned()
}

async fn infested_run(office: &Office) -> Vec<String> {
    let work = Work::start_by(&office.archive, &office.helper.token, json!({})).await;
    work.look_around().await;
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.pwned=7\">{EVIL}</svg>");
    work.call("store_artifact", json!({ "file_name": "picture.svg", "content": svg })).await;
    let question =
        json!({ "slot_type": "choice", "slot_id": "tone", "prompt_key": EVIL, "options": [EVIL, "fine"] });
    let id = work.ask(question).await;
    let compared = format!("/console/runs/compare?a={0}&b={0}", work.id);
    vec![format!("/console/runs/{}", work.id), compared, format!("/console/inbox/inputs/{id}")]
}

async fn infested_task(office: &Office) -> String {
    let task = json!({ "name": "<script>window.pwned=9</script>\u{202e}", "description": EVIL });
    let made = office.site().rest(&office.admin(), "POST", "/tasks", Some(task)).await;
    assert_eq!(made.status, 201, "{made:?}");
    format!("/console/tasks/{}", made.json()["id"].as_str().expect("a task has an id"))
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(600).collect()
}

const LISTS: [&str; 16] = [
    "/",
    "/console/inbox",
    "/console/inbox?show=decided",
    "/console/calls",
    "/console/ledger",
    "/console/runs",
    "/console/tasks",
    "/console/settings/quotas",
    "/console/tools",
    "/console/tools/jobs%3Aevil",
    "/console/tools/jobs%3Aevil/try",
    "/console/reviews",
    "/console/reviews/jobs%3Aworse",
    "/console/servers",
    "/console/servers/jobs",
    "/console/settings/tokens",
];

#[tokio::test]
async fn hostile_text_stays_text_and_breaks_no_page() {
    let (office, pages) = infested().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    let mut wrong = Vec::new();
    let evil: String = url::form_urlencoded::byte_serialize(EVIL.as_bytes()).collect();
    let asked = [
        format!("/console/tools?q={evil}"),
        format!("/console/calls?tool={evil}"),
        format!("/console/{evil}"),
    ];
    let lists = LISTS.iter().map(|path| (*path).to_owned());
    // A search for hostile words need not find anything; every other page must exist, or nothing was checked.
    let there = lists.chain(pages).map(|path| (path, 200..300));
    for (path, expected) in there.chain(asked.into_iter().map(|path| (path, 200..500))) {
        for screen in [DESK, PHONE] {
            person.sits_at(screen).await;
            person.open(&path).await;
            let status = person.status().await;
            if !expected.contains(&status) {
                wrong.push(format!("{path}: it answers {status}"));
            }
            wrong.extend(
                examine(&person).await.into_iter().map(|what| format!("{path} ({}): {what}", screen.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    person.leaves_forgiving(&["status of 40"]).await;
}

async fn examine(person: &Person) -> Vec<String> {
    let mut wrong = Vec::new();
    let ran = person.run("return window.pwned ?? null", vec![]).await;
    if !ran.is_null() {
        wrong.push(format!("script {ran} ran"));
    }
    let planted = "return document.body.querySelectorAll('script, [onerror], [onload], iframe, object, a[href^=\"javascript:\" i]').length";
    if person.run(planted, vec![]).await != 0 {
        wrong.push("what was written became a part of the page".to_owned());
    }
    if person.run(TURNED, vec![]).await != false {
        wrong.push("text is turned around".to_owned());
    }
    let size = person.run("return document.documentElement.outerHTML.length", vec![]).await;
    if size.as_u64() > Some(PAGE_CHARS_MAX) {
        wrong.push(format!("it has {size} characters"));
    }
    wrong.extend(person.sticks_out().await);
    wrong
}

#[tokio::test]
async fn files_and_pictures_from_outside_are_looked_at_and_do_nothing() {
    let office = Office::open().await;
    let page = b"<html><script>window.pwned=1</script><body>hello</body></html>";
    let svg =
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>window.pwned=2</script><text>hello</text></svg>";
    let visitor = Visitor::enters(office.gateway(), &office.admin()).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    for (name, bytes) in [("page.html", &page[..]), ("picture.svg", &svg[..])] {
        let id = office.archive.file(name, bytes).await;
        let path = format!("/console/files/{id}/content");
        let headers = visitor.get(&path).await.headers;
        let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert!(said("content-security-policy").contains("sandbox"), "{name}: {headers:?}");
        assert_eq!(said("x-content-type-options"), "nosniff", "{name}: {headers:?}");
        let kind = said("content-type");
        assert!(kind.starts_with("text/plain") || kind == "application/octet-stream", "{name}: {kind}");
        person.open(&format!("/console/files/{id}")).await;
        person.sees(name).await;
        assert!(person.run("return window.pwned ?? null", vec![]).await.is_null(), "{name} did something");
    }
    person.leaves().await;
}
