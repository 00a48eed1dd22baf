//! Secrets that are kept elsewhere: they reach their server and nothing else, and a new value is picked up.

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::openbao::StandIn;

use super::secrets::{holds, stored};
use super::site::{Site, done, failure};
use super::worker::Worker;
use crate::doors::WAIT;
use crate::kit::{call, remote};

const OF_FILE: &str = "geheim-datei-0815";
const OF_COMMAND: &str = "geheim-befehl-4711";
const OF_BAO: &str = "geheim-bao-1234";

/// A server at this address with a token that is kept elsewhere.
fn entry(name: &str, url: &str, source: &str) -> String {
    format!(
        "{}headers = {{ Authorization = \"Bearer ${{vault:TOKEN}}\" }}\n\
         [[secrets]]\nserver = {name:?}\nname = \"TOKEN\"\n{source}\n",
        remote(name, url)
    )
}

fn worker(name: &str, bearer: &str) -> Worker {
    Worker::start(&["--name", name, "--instance", "a", "--bearer", bearer])
}

/// A folder that outlives the gateway of a test.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[tokio::test]
async fn a_file_a_command_and_openbao_give_secrets_that_stand_nowhere() {
    let folder = folder();
    let file = folder.path().join("token");
    std::fs::write(&file, format!("{OF_FILE}\n")).expect("written");
    let id = folder.path().join("secret-id");
    std::fs::write(&id, StandIn::SECRET_ID).expect("written");
    let bao = StandIn::start();
    bao.put("team/three", "token", OF_BAO);
    let (one, two, three) = (worker("one", OF_FILE), worker("two", OF_COMMAND), worker("three", OF_BAO));
    let site = Site::open_with(
        &[
            entry("one", &one.url, &format!("file = {file:?}")),
            entry("two", &two.url, &format!("command = [\"/bin/echo\", {OF_COMMAND:?}]")),
            entry("three", &three.url, "openbao = \"team/three#token\"\ncache_seconds = 60"),
            format!(
                "[openbao]\naddress = {:?}\nrole_id = {:?}\nsecret_id_file = {id:?}\n",
                bao.address,
                StandIn::ROLE_ID
            ),
        ]
        .concat(),
    );
    for name in ["one", "two", "three"] {
        site.server_is(name, |server| server["health"] == "healthy").await;
        let there = until_async(WAIT, || async {
            let result = call(&site.agent(), &format!("{name}__work"), json!({ "n": 1 })).await;
            (result["structuredContent"]["bearer"] == 0).then_some(())
        });
        there.await.unwrap_or_else(|| panic!("{name} was never called with its secret"));
    }
    assert_eq!(bao.logins(), 1, "one login is enough");

    let listed = site.say(&["secrets", "list", "--json"]);
    let kept: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let kinds: Vec<_> = kept.as_array().expect("a list").iter().map(|one| one["kept"].clone()).collect();
    assert_eq!(kinds, [json!("file"), json!("command"), json!("openbao")]);
    let doctor = site.say(&["doctor"]);
    for name in ["one", "two", "three"] {
        assert!(doctor.contains(&format!("secret TOKEN of {name}: its source (")), "{doctor}");
    }
    let mut everything = site.gateway.log().join("\n") + &listed + &doctor;
    for path in ["/settings", "/servers", "/servers/one", "/secrets/one", "/ledger?limit=1000"] {
        everything += &site.get(path).await.to_string();
    }
    let bytes = stored(&site);
    for secret in [OF_FILE, OF_BAO, StandIn::SECRET_ID] {
        assert!(!everything.contains(secret), "{secret} was shown");
        assert!(!holds(&bytes, secret), "{secret} is stored");
    }
    assert!(!everything.contains(OF_COMMAND) && !holds(&bytes, OF_COMMAND));
}

#[tokio::test]
async fn a_value_that_was_replaced_is_used_as_soon_as_the_old_one_is_refused() {
    let folder = folder();
    let (file, wanted) = (folder.path().join("token"), folder.path().join("wanted"));
    for path in [&file, &wanted] {
        std::fs::write(path, "geheim-alt").expect("written");
    }
    let words = ["--name", "one", "--instance", "a", "--bearer-file"];
    let one = Worker::start(&[&words[..], &[wanted.to_str().expect("text")]].concat());
    let site = Site::open_with(&entry("one", &one.url, &format!("file = {file:?}\ncache_seconds = 86400")));
    site.server_is("one", |server| server["health"] == "healthy").await;
    let agent = site.agent();
    done(&call(&agent, "one__work", json!({ "n": 1 })).await);
    for path in [&file, &wanted] {
        std::fs::write(path, "geheim-neu").expect("written");
    }
    // The first refusals may come too soon for the source to be asked again.
    let there = until_async(WAIT, || async {
        let result = call(&agent, "one__work", json!({ "n": 2 })).await;
        result["structuredContent"]["instance"].is_string().then_some(())
    });
    there.await.expect("the new value is read");
}

#[tokio::test]
async fn a_source_that_fails_is_the_gateways_fault_and_recovers() {
    let folder = folder();
    let file = folder.path().join("token-of-one");
    std::fs::write(&file, OF_FILE).expect("written");
    let one = worker("one", OF_FILE);
    let site = Site::open_with(&entry("one", &one.url, &format!("file = {file:?}\ncache_seconds = 1")));
    site.server_is("one", |server| server["health"] == "healthy").await;
    let agent = site.agent();
    done(&call(&agent, "one__work", json!({ "n": 1 })).await);

    std::fs::remove_file(&file).expect("removed");
    let failed = until_async(WAIT, || async {
        let result = call(&agent, "one__work", json!({ "n": 2 })).await;
        (result["isError"] == true).then_some(result)
    });
    let failed = failed.await.expect("what ran out is not used any more");
    let said = failure(&failed);
    assert!(said.contains("TOKEN") && said.contains("toolgate doctor") && said.contains("hint"), "{said}");
    assert!(!said.contains("token-of-one"), "callers are not told where it is kept: {said}");
    let fault = failed["_meta"].to_string();
    assert!(fault.contains("\"gateway\""), "{failed}");
    let output = site.gateway.cli(&["doctor"]);
    let doctor = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(doctor.contains("WRONG secret TOKEN of one"), "{doctor}");

    std::fs::write(&file, OF_FILE).expect("written");
    let there = until_async(WAIT, || async {
        let result = call(&agent, "one__work", json!({ "n": 3 })).await;
        result["structuredContent"]["instance"].is_string().then_some(())
    });
    there.await.expect("it is read again");
}
