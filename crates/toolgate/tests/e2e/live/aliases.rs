//! Other names for tools: old ones that end on a date, and given ones that agents see instead.

use serde_json::{Value, json};

use super::site::{Site, done, refused, registration};
use super::worker::Worker;
use crate::kit::{call, names};

/// A site with a running worker, with the names of `more`.
async fn with_worker(more: &str, wanted: &[&str]) -> (Site, Worker) {
    let site = Site::open_with(more);
    let token = site.server_token("jobs");
    let worker = site.worker(&token, "jobs", "a", &[]);
    site.sees(&site.agent(), wanted).await;
    (site, worker)
}

fn warnings(result: &Value) -> &Value {
    &result["_meta"]["dev.toolgate/envelope"]["warnings"]
}

#[tokio::test]
async fn an_old_name_works_with_a_warning_until_its_date_and_not_after() {
    let more = "[[aliases]]\nname = \"do_work\"\ntool = \"jobs:work\"\nuntil = \"2999-01-01\"\n\
        [[aliases]]\nname = \"did_work\"\ntool = \"jobs:work\"\nuntil = \"2020-01-01\"\n";
    let (site, _worker) = with_worker(more, &["jobs__work", "jobs__write"]).await;
    let agent = site.agent();
    let result = call(&agent, "do_work", json!({ "n": 1 })).await;
    assert_eq!(done(&result)["tool"], "work");
    let warning = &warnings(&result)[0];
    assert_eq!(warning["code"], "alias", "{result}");
    let message = warning["message"].as_str().expect("a message");
    assert!(message.contains("2999-01-01") && message.contains("jobs__work"), "{message}");
    for name in ["jobs__work", "jobs:work"] {
        let result = call(&agent, name, json!({ "n": 1 })).await;
        assert_eq!(warnings(&result), &json!([]), "{name} is no alias: {result}");
    }
    let over = agent.modern("tools/call", json!({ "name": "did_work", "arguments": {} })).await.response();
    assert_eq!(over["error"]["data"]["code"], "alias_sunset", "{over}");
    assert!(over["error"]["message"].as_str().is_some_and(|text| text.contains("jobs:work")), "{over}");
    assert_eq!(names(&agent).await, ["jobs__work", "jobs__write"], "aliases are not listed");
    let ledger = site.told_at_least("tool.call.completed", 4).await;
    let (nowhere, ran): (Vec<_>, Vec<_>) = ledger.iter().partition(|one| one["outcome"] == "refused");
    assert!(ran.iter().all(|one| one["tool"] == "jobs:work"), "the ledger has one name: {ran:?}");
    let asked: Vec<_> = nowhere.iter().map(|one| &one["detail"]["asked"]).collect();
    assert_eq!(asked, ["did_work"]);
    let aliases = site.get("/aliases").await;
    let in_use: Vec<(&Value, &Value)> = aliases["aliases"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["owner"] != "Toolgate")
        .map(|one| (&one["name"], &one["in_use"]))
        .collect();
    assert_eq!(in_use, [(&json!("did_work"), &json!(false)), (&json!("do_work"), &json!(true))]);
    let listed = site.say(&["aliases", "list"]);
    assert!(
        listed.contains("did_work") && listed.contains("(over)") && listed.contains("2999-01-01"),
        "{listed}"
    );
}

#[tokio::test]
async fn a_given_name_is_what_agents_see_and_the_old_ones_go_on() {
    let (site, _worker) = with_worker("", &["jobs__work", "jobs__write"]).await;
    let agent = site.agent();
    let value = json!([{ "name": "jobs.queue.run", "tool": "jobs:work", "primary": true }]);
    assert_eq!(site.set("aliases", value).await.status, 200);
    site.sees(&agent, &["jobs__queue__run", "jobs__write"]).await;
    for name in ["jobs__queue__run", "jobs.queue.run", "jobs__work", "jobs:work"] {
        let result = call(&agent, name, json!({ "n": 1 })).await;
        assert_eq!(done(&result)["tool"], "work", "{name}");
    }
    let renamed = site.told("registry.tool.renamed").await;
    assert_eq!(renamed.len(), 1, "{renamed:?}");
    assert_eq!(renamed[0]["detail"], json!({ "from": "jobs__work", "to": "jobs__queue__run" }));
    assert_eq!(renamed[0]["tool"], "jobs:work");
    let calls = site.told("tool.call.completed").await;
    assert!(calls.iter().all(|one| one["tool"] == "jobs:work"), "{calls:?}");
    assert_eq!(site.set("aliases", json!([])).await.status, 200);
    site.sees(&agent, &["jobs__work", "jobs__write"]).await;
    let back = site.told_at_least("registry.tool.renamed", 2).await;
    assert_eq!(back[1]["detail"], json!({ "from": "jobs__queue__run", "to": "jobs__work" }));
}

#[tokio::test]
async fn policies_hold_whatever_name_a_tool_is_called_by() {
    let toml = "[network]\nallow_loopback = true\n[policy]\nguard = '''permit (principal, action, resource);\n\
        forbid (principal, action == Action::\"jobs:work\", resource);'''\n\
        [[aliases]]\nname = \"do_work\"\ntool = \"jobs:work\"\n\
        [[aliases]]\nname = \"jobs.queue.run\"\ntool = \"jobs:work\"\nprimary = true\n";
    let site = Site::open_as(crate::governed::database::Backing::Sqlite, toml);
    let token = site.server_token("jobs");
    let journal = site.word("journal");
    let _worker = site.worker(&token, "jobs", "a", &["--journal", &journal]);
    site.tool_is("jobs:work", "active").await;
    for name in ["do_work", "jobs.queue.run", "jobs__queue__run", "jobs__work", "jobs:work"] {
        let answer =
            site.agent().modern("tools/call", json!({ "name": name, "arguments": {} })).await.response();
        let refused = answer.get("error").is_some() || answer["result"]["isError"] == true;
        assert!(refused, "{name}: {answer}");
    }
    assert!(!std::path::Path::new(&journal).exists(), "nothing ran");
}

#[tokio::test]
async fn a_name_that_is_taken_is_refused_and_both_owners_are_named() {
    let more = "[[aliases]]\nname = \"do_work\"\ntool = \"jobs:work\"\n";
    let (site, _worker) = with_worker(more, &["jobs__work", "jobs__write"]).await;
    for (value, owners) in [
        (json!([{ "name": "do_work", "tool": "jobs:write" }]), ["toolgate.toml", "settings"]),
        (json!([{ "name": "jobs__work", "tool": "jobs:write" }]), ["server \"jobs\"", "settings"]),
        (json!([{ "name": "jobs:work", "tool": "jobs:write" }]), ["server \"jobs\"", "settings"]),
    ] {
        let problem = refused(&site.set("aliases", value.clone()).await, 422, "alias_taken");
        let detail = problem["detail"].as_str().expect("text");
        assert!(owners.iter().all(|owner| detail.contains(owner)), "{value}: {problem}");
        assert_eq!(problem["field"], "value[0].name");
    }
    let mail = site.server_token("mail");
    for name in ["do_work", "jobs__write"] {
        let mut one = registration("mail", "a");
        one["tools"] = json!({ "send": { "aliases": [name] } });
        let problem = refused(&site.register(&mail, one).await, 409, "alias_taken");
        let detail = problem["detail"].as_str().expect("text");
        assert!(detail.contains("mail") && detail.contains("jobs"), "{problem}");
    }
    assert_eq!(site.rest(&site.gateway.admin, "GET", "/servers/mail", None).await.status, 404);
    let both = format!("{more}[[aliases]]\nname = \"do_work\"\ntool = \"jobs:write\"\n");
    site.configure(&both);
    let told = site.told_at_least("config.refused", 1).await;
    let reason = told[0]["detail"]["reason"].as_str().expect("text");
    assert!(reason.contains("toolgate.toml:"), "{reason}");
    let checked = site.refuse(&["servers", "list"]);
    assert!(checked.contains("jobs:work") && checked.contains("jobs:write"), "{checked}");
    assert_eq!(
        done(&call(&site.agent(), "do_work", json!({})).await)["tool"],
        "work",
        "the old state counts"
    );
}

/// The operator decides the name that agents see; servers add further names.
#[tokio::test]
async fn servers_bring_further_names_of_their_own() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let extras = json!({ "work": { "aliases": ["run_job", "jobs.queue.run"], "capabilities": ["queue"] } });
    site.write("extras.json", &extras.to_string());
    let mut worker = site.worker(&token, "jobs", "a", &["--extras", &site.word("extras.json")]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__work", "jobs__write"]).await;
    for name in ["run_job", "jobs.queue.run"] {
        let result = call(&agent, name, json!({ "n": 1 })).await;
        assert_eq!(
            (&done(&result)["tool"], &warnings(&result)[0]["code"]),
            (&json!("work"), &json!("alias"))
        );
    }
    let row = site.tool("jobs:work").await;
    assert_eq!(
        (&row["capabilities"], &row["aliases"]),
        (&json!(["queue"]), &json!(["run_job", "jobs.queue.run"]))
    );
    // While its last instance is down, names still lead to it, and its caller learns why there is no answer.
    tokio::task::spawn_blocking(move || worker.end()).await.expect("it ends");
    site.server_is("jobs", |server| server["health"] == "degraded").await;
    for name in ["jobs.queue.run", "run_job"] {
        let answer = agent.modern("tools/call", json!({ "name": name, "arguments": {} })).await.response();
        assert!(answer.to_string().contains("no instance holds a lease"), "{name}: {answer}");
    }
}

#[tokio::test]
async fn a_tool_wins_over_an_alias_of_the_file_that_takes_its_name() {
    let more = "[[aliases]]\nname = \"jobs__write\"\ntool = \"jobs:work\"\n";
    let (site, _worker) = with_worker(more, &["jobs__work", "jobs__write"]).await;
    assert_eq!(done(&call(&site.agent(), "jobs__write", json!({})).await)["tool"], "write");
    let told =
        |line: &String| line.contains("jobs__write") && (line.contains("WARN") || line.contains("INFO"));
    assert!(site.gateway.log().iter().any(told), "{:#?}", site.gateway.log());
}

#[tokio::test]
async fn a_server_cannot_take_the_names_of_one_that_comes_later() {
    let site = Site::open();
    let jobs = site.server_token("jobs");
    let extras = json!({ "work": { "aliases": ["mail__work"] }, "write": { "aliases": ["mail.box.send"] } });
    site.write("extras.json", &extras.to_string());
    let _squatter = site.worker(&jobs, "jobs", "squatter", &["--extras", &site.word("extras.json")]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__work", "jobs__write"]).await;
    assert_eq!(done(&call(&agent, "mail__work", json!({})).await)["instance"], "squatter");
    let mail = site.server_token("mail");
    site.offer(
        "mail.json",
        &json!([super::site::tool("work", "Works"), super::site::tool("box.send", "Sends")]),
    );
    let _mail = site.worker(&mail, "mail", "owner", &["--tools", &site.word("mail.json")]);
    site.tool_is("mail:work", "active").await;
    crate::kit::listed(&site.gateway, "mail__work").await;
    assert_eq!(
        done(&call(&agent, "mail__work", json!({})).await)["instance"],
        "owner",
        "a tool wins over an alias"
    );
    assert_eq!(
        done(&call(&agent, "mail__box__send", json!({})).await)["instance"],
        "owner",
        "and over a given name"
    );
    assert_eq!(done(&call(&agent, "mail:box.send", json!({})).await)["instance"], "owner");
}
