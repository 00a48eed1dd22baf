//! The configuration file while the gateway runs.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::site::{OPEN, Site, done};
use super::worker::Worker;
use crate::doors::WAIT;
use crate::kit::{call, names, remote};

fn worker(instance: &str) -> Worker {
    Worker::start(&["--name", "filed", "--instance", instance])
}

#[tokio::test]
async fn servers_of_the_file_come_change_and_go_without_a_restart() {
    let site = Site::open();
    let (one, two) = (worker("one"), worker("two"));
    let agent = site.agent();
    site.configure(&remote("filed", &one.url));
    site.sees(&agent, &["filed__work", "filed__write"]).await;
    assert_eq!(done(&call(&agent, "filed__work", json!({})).await)["instance"], "one");
    site.logged("server \"filed\" added").await;
    site.configure(&format!("{}timeout_seconds = 7\n", remote("filed", &two.url)));
    site.logged("server \"filed\" changed: url, timeout_seconds").await;
    let moved = until_async(WAIT, || async {
        let result = call(&agent, "filed__work", json!({})).await;
        (result["structuredContent"]["instance"] == "two").then_some(())
    });
    moved.await.expect("the next calls go to the new address");
    site.configure("");
    site.sees(&agent, &[]).await;
    site.logged("server \"filed\" removed").await;
    let loaded = site.told_at_least("config.loaded", 3).await;
    assert_eq!(loaded[0]["detail"]["changes"], json!(["server \"filed\" added"]), "{loaded:?}");
    let kinds: Vec<usize> = vec![
        site.told("server.added").await.len(),
        site.told("server.changed").await.len(),
        site.told("server.removed").await.len(),
    ];
    assert_eq!(kinds, [1, 1, 1]);
}

#[tokio::test]
async fn a_broken_file_keeps_what_there_was_and_is_told() {
    let one = worker("one");
    let site = Site::open_with(&remote("filed", &one.url));
    let agent = site.agent();
    site.sees(&agent, &["filed__work", "filed__write"]).await;
    let broken = [
        "[[servers]\n".to_owned(),
        "[[servers]]\nname = \"filed\"\n".to_owned(),
        "[[servers]]\nname = \"other\"\nurl = \"https://x.example/mcp\"\ncolour = \"red\"\n".to_owned(),
        format!("{0}{0}", remote("twice", "https://x.example/mcp")),
        "[[servers]]\nname = \"x\"\nurl = \"https://x.example/\"\nheaders = { Authorization = \"geheim\" \n"
            .to_owned(),
    ];
    for (count, text) in broken.iter().enumerate() {
        site.configure(text);
        let refused = site.told_at_least("config.refused", count + 1).await;
        let reason = refused[count]["detail"]["reason"].as_str().expect("a reason");
        // The position, and not the content: it may be a secret.
        assert!(reason.contains("toolgate.toml:") && !reason.contains("geheim"), "{reason}");
        let said = site.refuse(&["servers", "list"]);
        assert!(said.contains(reason.lines().next().unwrap_or_default()), "{said} / {reason}");
        assert!(said.contains("hint"), "{said}");
        assert_eq!(names(&agent).await, ["filed__work", "filed__write"]);
        assert_eq!(done(&call(&agent, "filed__work", json!({})).await)["instance"], "one");
    }
    assert_eq!(site.told("config.loaded").await, Vec::<Value>::new());
    assert!(!site.gateway.log().join("\n").contains("geheim"));
    site.configure("");
    site.sees(&agent, &[]).await;
}

#[tokio::test]
async fn a_file_that_is_gone_for_a_moment_changes_nothing() {
    let one = worker("one");
    let site = Site::open_with(&remote("filed", &one.url));
    let agent = site.agent();
    site.sees(&agent, &["filed__work", "filed__write"]).await;
    std::fs::remove_file(site.path("toolgate.toml")).expect("it was there");
    site.told_at_least("config.refused", 1).await;
    assert_eq!(names(&agent).await, ["filed__work", "filed__write"]);
    site.configure(&remote("filed", &one.url));
    site.told_at_least("config.loaded", 1).await;
    assert_eq!(names(&agent).await, ["filed__work", "filed__write"]);
    assert_eq!(site.told("server.removed").await, Vec::<Value>::new());
}

#[tokio::test]
async fn rules_of_tools_addresses_and_reviews_are_taken_up_and_the_rest_is_named() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &[]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__work", "jobs__write"]).await;
    site.configure(
        "[[tools]]\nname = \"jobs:work\"\ntimeout_seconds = 0.2\n[limits]\nresult_bytes_max = 100000\n",
    );
    let timed_out = until_async(WAIT, || async {
        let result = call(&agent, "jobs__work", json!({ "ms": 600 })).await;
        (result["isError"] == true).then_some(result)
    });
    let result = timed_out.await.expect("the new rule counts");
    assert!(crate::kit::text(&result).contains("0.2 s"), "{result}");
    site.logged("[limits] counts after a restart only").await;
    // The permission is revoked: this machine is no longer dialled.
    site.write("toolgate.toml", &OPEN.replace("allow_loopback = true", "allow_loopback = false"));
    let refused =
        |server: &Value| server["reason"].as_str().is_some_and(|why| why.contains("allow_loopback"));
    site.server_is("jobs", refused).await;
    assert_eq!(names(&agent).await.len(), 2);
}

#[tokio::test]
async fn the_file_wins_over_settings_and_registration_and_says_so() {
    let (filed, set) = (worker("filed"), Worker::start(&["--name", "both", "--instance", "set"]));
    let site = Site::open();
    let agent = site.agent();
    let value = json!([{ "name": "both", "url": set.url }]);
    assert_eq!(site.set("mcp_servers", value).await.status, 200);
    site.sees(&agent, &["both__work", "both__write"]).await;
    assert_eq!(done(&call(&agent, "both__work", json!({})).await)["instance"], "set");
    site.configure(&remote("both", &filed.url));
    site.server_is("both", |server| server["source"] == "file").await;
    let moved = until_async(WAIT, || async {
        let result = call(&agent, "both__work", json!({})).await;
        (result["structuredContent"]["instance"] == "filed").then_some(())
    });
    moved.await.expect("the file wins");
    let shadowed = |line: &String| line.contains("both") && line.contains("toolgate.toml");
    assert!(site.gateway.log().iter().any(shadowed), "{:#?}", site.gateway.log());
    site.configure("");
    site.server_is("both", |server| server["source"] == "settings").await;
}

#[tokio::test]
async fn secrets_of_the_file_are_in_no_log() {
    let one = worker("one");
    let site = Site::open();
    let secret = "geheim-4711";
    site.configure(&format!(
        "{}headers = {{ Authorization = \"Bearer {secret}\" }}\n",
        remote("filed", &one.url)
    ));
    site.sees(&site.agent(), &["filed__work", "filed__write"]).await;
    site.configure(&format!(
        "{}headers = {{ Authorization = \"Bearer {secret}-2\" }}\n",
        remote("filed", &one.url)
    ));
    site.logged("server \"filed\" changed: headers").await;
    assert!(!site.gateway.log().join("\n").contains(secret));
    let ledger = site.get("/ledger?limit=1000").await.to_string();
    assert!(!ledger.contains(secret), "{ledger}");
}

#[tokio::test]
async fn somebody_restarts_a_server_and_it_goes_on() {
    let program = crate::testkit("bank");
    let word = crate::kit::label("restart");
    let site = Site::open_with(&format!(
        "[[servers]]\nname = \"bank\"\ncommand = {program:?}\nargs = [\"--journal\", \"/tmp/{word}\"]\n"
    ));
    let before = site.server_is("bank", |server| server["health"] == "healthy").await;
    let answer = site.rest(&site.gateway.admin, "POST", "/servers/bank/restart", None).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let restarts = before["restarts"].as_u64().expect("a number");
    let again = |server: &Value| server["health"] == "healthy" && server["restarts"] == restarts + 1;
    site.server_is("bank", again).await;
    let told = until_async(WAIT, || async {
        let told = site.told("server.restarted").await;
        (!told.is_empty()).then_some(told)
    });
    let told = told.await.expect("the ledger has it");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["server"], "bank");
    assert_eq!(told[0]["detail"], json!({ "reason": "somebody restarts it", "count": 1 }));
    drop(site);
    crate::kit::nothing_left(&word);
}
