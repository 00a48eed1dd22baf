//! The same scope gives the same list, byte by byte: over a restart, on every replica, in any order of
//! servers.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::ears::EraListeners;
use super::stage::{AGENTS, Stage, becomes, list_text};
use crate::governed::database::Backing;
use crate::kit::names;
use crate::live::site::{Ending, Site, tool};
use crate::live::worker::Worker;

/// Every kind of list: whole, scoped, searched, marked, on a diet.
const KINDS: [&str; 4] = ["reader", "writer", "miser", "lean"];
const MORE: &str = r#"
[[agents]]
name = "miser"
token_budget = 0
pinned = ["two:work"]
[[agents]]
name = "lean"
schema_diet = true
policy_template = "regulated"
"#;

async fn lists(site: &Site, tokens: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for token in tokens {
        all.push(list_text(&site.agent_with(token)).await);
    }
    all
}

fn tokens(site: &Site) -> Vec<String> {
    KINDS.map(|agent| site.token(&format!("--role agent --principal {agent}-bot --agent {agent}"))).to_vec()
}

#[tokio::test]
async fn a_list_is_the_same_bytes_again_and_again_and_after_a_restart() {
    let stage = Stage::open(MORE).await;
    let tokens = tokens(&stage.site);
    let before = lists(&stage.site, &tokens).await;
    for (at, one) in before.iter().enumerate() {
        assert!(before.iter().skip(at + 1).all(|other| other != one), "they differ by agent: {one}");
        let said: Value = serde_json::from_str(one).expect("JSON");
        assert_eq!(said["result"]["cacheScope"], "private", "{said}");
        assert!(said["result"]["ttlMs"].is_u64(), "{said}");
    }
    assert_eq!(lists(&stage.site, &tokens).await, before);
    let mut site = stage.site.restarted(Ending::Asked);
    for how in [Ending::Killed, Ending::Asked] {
        let everybody = site.agent_with(&site.gateway.admin);
        becomes("all are listed again", || async { names(&everybody).await.len() == 4 }).await;
        assert_eq!(lists(&site, &tokens).await, before);
        site = site.restarted(how);
    }
}

#[tokio::test]
async fn two_gateways_on_one_database_give_the_same_bytes() {
    let stage = Stage::open_on(Backing::postgres(), MORE).await;
    let database = stage.site.backing.database().expect("a database").clone();
    let two = Site::open_on(Backing::Shared(database, "second"), &stage.toml);
    let elsewhere = HttpClient::new(&two.gateway.endpoint, &stage.site.gateway.admin);
    becomes("the second lists all", || async { names(&elsewhere).await.len() == 4 }).await;
    let tokens = tokens(&stage.site);
    assert_eq!(lists(&two, &tokens).await, lists(&stage.site, &tokens).await);
    // A session that one has opened is the same session at the other.
    let opened = stage.session(&tokens[1], json!({ "mounts": { "servers": ["two"] } })).await;
    let (here, there) = (opened.client.clone(), two.agent_with(&opened.client.token));
    assert_eq!(names(&there).await, ["two__work", "two__write"]);
    assert_eq!(list_text(&there).await, list_text(&here).await);
    let mut ears = EraListeners::open(&there).await;
    let changed = stage.mount(&tokens[1], &opened.id, json!({ "servers": ["one"] })).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    becomes("the change is seen at both", || async {
        names(&there).await == ["one__work", "one__write"] && names(&here).await == names(&there).await
    })
    .await;
    ears.hear().await;
    let closed =
        two.rest(&stage.site.gateway.admin, "DELETE", &format!("/sessions/{}", opened.id), None).await;
    assert_eq!(closed.status, 200, "{closed:?}");
    ears.fall_silent().await;
    becomes("it is closed at both", || async {
        let (here, there) =
            (here.modern("tools/list", json!({})).await, there.modern("tools/list", json!({})).await);
        (here.status, there.status) == (401, 401)
    })
    .await;
}

#[tokio::test]
async fn the_order_in_which_servers_come_makes_no_difference() {
    let mut seen = Vec::new();
    for order in [["jobs", "mail", "Files.local"], ["Files.local", "mail", "jobs"]] {
        let site = Site::open_with(&format!("{AGENTS}{MORE}"));
        site.offer(
            "tools.json",
            &json!([tool("run", "Runs a job"), tool("a", "Another"), tool("Z", "Last")]),
        );
        let path = site.word("tools.json");
        let mut workers: Vec<Worker> = Vec::new();
        let everybody = site.agent_with(&site.gateway.admin);
        for (at, name) in order.into_iter().enumerate() {
            let token = site.server_token(name);
            workers.push(site.worker(&token, name, "a", &["--tools", &path]));
            becomes("it is listed", || async { names(&everybody).await.len() == 3 * (at + 1) }).await;
        }
        let tokens = ["default", "miser", "lean"]
            .map(|agent| site.token(&format!("--role agent --principal x --agent {agent}")));
        seen.push(lists(&site, &tokens).await);
    }
    assert_eq!(seen[0], seen[1]);
}
