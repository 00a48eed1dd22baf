//! Credentials of an API: from the vault to its origin, and to nobody else.

use serde_json::json;
use tempfile::TempDir;
use toolgate_testkit::gateway::{Gateway, until_async};
use toolgate_testkit::web_api::{WebAnswer, WebApi};

use super::stage::{ApiStage, OPEN, failure, operation};
use crate::doors::WAIT;
use crate::kit::{file, listed};
use crate::toolgate;

const TOKEN: &str = "tok-0815-very-secret";
const KEY: &str = "key+4711/secret";

const LINES: &str =
    "headers = { Authorization = \"Bearer ${vault:TOKEN}\" }\nquery = { api_key = \"${vault:KEY}\" }";

#[tokio::test]
async fn secrets_reach_the_api_and_stand_nowhere_else() {
    let paths = json!({ "/echo": { "get": operation("echo") }, "/fail": { "get": operation("fail") } });
    let stage = ApiStage::open_with(paths, "echo", LINES, |heard| {
        let said = json!({ "target": heard.target, "authorization": heard.header("authorization") });
        WebAnswer::json(if heard.path() == "/v1/fail" { 400 } else { 200 }, &said)
    })
    .await;
    let listed = stage.agent.modern("tools/list", json!({})).await.text;
    assert!(!listed.contains("api_key") && !listed.contains("TOKEN"), "secrets are no arguments: {listed}");
    let without = stage.call("echo", json!({})).await;
    assert_eq!(without["_meta"]["dev.toolgate/fault"]["code"], "server_unauthorized", "{without}");
    assert!(stage.api.heard().is_empty(), "nothing is sent without its credential");
    stage.store("TOKEN", TOKEN);
    stage.store("KEY", KEY);
    let there = until_async(WAIT, || async {
        let result = stage.call("echo", json!({})).await;
        (result["isError"] != true).then_some(result)
    });
    let result = there.await.expect("the secrets are taken up").to_string();
    let heard = stage.api.heard_at("/v1/echo");
    let last = heard.last().expect("a request");
    assert_eq!(last.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    assert!(last.target.contains("api_key=key%2B4711%2Fsecret"), "{last:?}");
    let failed = failure(&stage.call("fail", json!({})).await);
    let ledger = stage.gateway.cli(&["ledger", "tail", "--json"]);
    let ledger = String::from_utf8(ledger.stdout).expect("text");
    assert!(ledger.contains("pets:echo"), "{ledger}");
    let log = stage.gateway.log().join("\n");
    for (place, text) in
        [("the result", result), ("the error", failed), ("the ledger", ledger), ("the log", log)]
    {
        for secret in [TOKEN, KEY, "key%2B4711%2Fsecret"] {
            assert!(!text.contains(secret), "{place} has {secret}: {text}");
        }
    }
}

#[tokio::test]
async fn a_credential_that_the_api_refuses_is_told_as_such() {
    let paths = json!({ "/echo": { "get": operation("echo") } });
    let stage =
        ApiStage::open(paths, "echo", |_| WebAnswer::json(401, &json!({ "message": "expired" }))).await;
    let refused = stage.call("echo", json!({})).await;
    assert_eq!(refused["_meta"]["dev.toolgate/fault"]["code"], "server_unauthorized", "{refused}");
    assert!(refused.to_string().contains("expired"), "{refused}");
}

#[tokio::test]
async fn secrets_do_not_follow_a_redirect() {
    let elsewhere = WebApi::start(|_| WebAnswer::json(200, &json!({})));
    let other = elsewhere.url("/");
    let paths = json!({ "/away": { "get": operation("away") } });
    let stage = ApiStage::open_with(paths, "away", LINES, move |_| WebAnswer::redirect(302, &other)).await;
    stage.store("TOKEN", TOKEN);
    stage.store("KEY", KEY);
    let there = until_async(WAIT, || async {
        let result = stage.call("away", json!({})).await;
        result.to_string().contains("not followed").then_some(result)
    });
    let result = there.await.expect("the redirect is told");
    assert_eq!(result["isError"], true, "{result}");
    assert!(elsewhere.heard().is_empty(), "{:?}", elsewhere.heard());
}

/// A connector whose two actions ask at `/near` and `/far` where to put a text, and put it there.
fn drop_file() -> String {
    let mut file = String::from(
        "schema = 1\nprovider = \"drop\"\ntitle = \"Drop\"\nversion = \"1\"\n[auth]\nkind = \"bearer\"\nsecret = \"TOKEN\"\n",
    );
    for name in ["near", "far"] {
        file.push_str(&format!(
            "[[actions]]\nname = {name:?}\ntitle = \"Put\"\ndescription = \"Puts a text.\"\nidempotency = \"ledger\"\n\
             [actions.arguments.text]\nrequired = true\nschema = {{ type = \"string\" }}\n\
             [[actions.steps]]\nmethod = \"POST\"\npath = \"/{name}\"\neffects = \"read\"\ntake = {{ where = \"/url\" }}\n\
             [[actions.steps]]\nmethod = \"PUT\"\naddress = \"where\"\nanswer = \"any\"\n\
             [actions.steps.values.text]\nargument = \"text\"\nplace = \"raw\"\n"
        ));
    }
    file
}

#[tokio::test]
async fn an_address_that_an_answer_names_gets_no_secret_and_another_origin_gets_nothing() {
    let elsewhere = WebApi::start(|_| WebAnswer::json(200, &json!({})));
    let other = elsewhere.url("/take");
    let api = WebApi::start(move |heard| match heard.path() {
        "/v1/near" => {
            let host = heard.header("host").unwrap_or_default();
            WebAnswer::json(200, &json!({ "url": format!("http://{host}/v1/take") }))
        }
        "/v1/far" => WebAnswer::json(200, &json!({ "url": other })),
        _ => WebAnswer::json(200, &json!({})),
    });
    let folder = TempDir::new().expect("a folder");
    file(folder.path(), "drop.toml", &drop_file());
    let base = api.url("/v1");
    let toml =
        format!("{OPEN}[[servers]]\nname = \"pets\"\nconnector = \"drop.toml\"\nbase_url = {base:?}\n");
    let gateway = Gateway::boot_in(toolgate(), &toml, folder);
    listed(&gateway, "pets__far").await;
    let agent = gateway.client();
    let stage = ApiStage { gateway, api, agent };
    stage.store("TOKEN", TOKEN);
    let put = until_async(WAIT, || async {
        let result = stage.call("near", json!({ "text": "hello" })).await;
        (result["isError"] != true).then_some(())
    });
    put.await.expect("the secret is taken up");
    let [begun, ..] = &stage.api.heard_at("/v1/near")[..] else { panic!("it was not asked") };
    assert_eq!(begun.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    let [taken] = &stage.api.heard_at("/v1/take")[..] else { panic!("one upload") };
    assert_eq!((taken.text().as_str(), taken.header("authorization")), ("hello", None));
    let far = stage.call("far", json!({ "text": "hello" })).await;
    assert_eq!(far["isError"], true, "{far}");
    assert!(elsewhere.heard().is_empty(), "{:?}", elsewhere.heard());
}
