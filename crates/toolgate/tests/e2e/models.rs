//! Language models on the real binary: in the file and in the settings, their test, their faults, their addresses and their keys.

mod cassettes;
mod faults;

use serde_json::{Value, json};
use toolgate_testkit::gateway::until;
use toolgate_testkit::model::{
    ModelScript, ModelSettings, ModelStep, ScriptedModel, WireFormat, obliging, steps,
};

use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::secrets::{holds, set_secret, stored};
use crate::live::site::{Site, refused};

on_both!(
    a_model_of_the_settings_is_there_at_once_and_gone_at_once,
    the_key_reaches_the_model_and_nothing_else
);

/// It looks like no secret of the gateway's own.
const KEY: &str = "geheim-modell-0815";

fn keyed(script: ModelScript) -> ScriptedModel {
    ScriptedModel::start_with(ModelSettings { key: Some(KEY.to_owned()), ..ModelSettings::default() }, script)
}

/// A `[[models]]` entry.
fn entry(name: &str, format: WireFormat, model: &ScriptedModel, more: &str) -> String {
    let (provider, url) = (format.provider(), model.url(format));
    format!(
        "[[models]]\nname = \"{name}\"\nprovider = \"{provider}\"\nmodel = \"scripted\"\nurl = \"{url}\"\n{more}"
    )
}

/// The same for the setting.
fn setting(name: &str, format: WireFormat, url: &str) -> Value {
    json!({ "name": name, "provider": format.provider(), "model": "scripted", "url": url })
}

/// The findings of `toolgate models test`, and whether it succeeded.
fn tested(site: &Site, name: &str) -> (bool, Value) {
    let output = site.gateway.cli(&["--json", "models", "test", name]);
    let said = serde_json::from_slice(&output.stdout);
    (output.status.success(), said.unwrap_or_else(|error| panic!("no findings ({error}): {output:?}")))
}

/// The same as soon as a key that was just stored is known.
fn tested_with_key(site: &Site, name: &str) -> (bool, Value) {
    let known =
        until(WAIT, || Some(tested(site, name)).filter(|(_, said)| said["fault"]["kind"] != "unusable"));
    known.expect("a stored key is seen")
}

#[tokio::test]
async fn a_model_of_the_file_answers_streams_and_calls_tools_in_every_format() {
    let model = ScriptedModel::start(obliging());
    let entries: String =
        WireFormat::ALL.iter().map(|format| entry(format.provider(), *format, &model, "")).collect();
    let site = Site::open_with(&entries);
    for format in WireFormat::ALL {
        let (succeeded, said) = tested(&site, format.provider());
        let findings = (&said["ok"], &said["answers"], &said["streams"], &said["calls_tools"]);
        let yes = &json!(true);
        assert_eq!(findings, (yes, yes, yes, yes), "{format:?}: {said}");
        assert!(succeeded, "{format:?}: {said}");
        assert!(said["tokens"]["input"].as_u64().is_some_and(|tokens| tokens > 0), "{format:?}: {said}");
        assert!(said["tokens"]["output"].as_u64().is_some_and(|tokens| tokens > 0), "{format:?}: {said}");
        let told = site.say(&["models", "test", format.provider()]);
        assert!(told.contains("calls tools  yes"), "{told}");
    }
    let listed = site.get("/models").await;
    let names: Vec<&str> =
        listed["models"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["anthropic", "gemini", "ollama", "openai", "openai_responses"]);
    model.assert_no_problems();
}

#[tokio::test]
async fn a_model_that_calls_no_tools_is_a_finding() {
    let model = ScriptedModel::start(steps([ModelStep::say("ready")]));
    let site = Site::open_with(&entry("mute", WireFormat::Chat, &model, ""));
    let (succeeded, said) = tested(&site, "mute");
    assert!(!succeeded, "{said}");
    assert_eq!((&said["answers"], &said["calls_tools"]), (&json!(true), &json!(false)), "{said}");
    assert!(said["hint"].as_str().is_some_and(|hint| hint.contains("tools")), "{said}");
}

#[tokio::test]
async fn nothing_needs_a_model() {
    let site = Site::open();
    assert_eq!(site.get("/models").await, json!({ "models": [] }));
    let admin = site.gateway.admin.clone();
    refused(&site.rest(&admin, "GET", "/models/nobody", None).await, 404, "unknown_model");
    refused(&site.rest(&admin, "POST", "/models/nobody/test", Some(json!({}))).await, 404, "unknown_model");
    assert!(site.refuse(&["models", "test", "nobody"]).contains("nobody"));
}

async fn a_model_of_the_settings_is_there_at_once_and_gone_at_once(backing: Backing) {
    let model = ScriptedModel::start(obliging());
    let site = Site::open_on(backing, &entry("fixed", WireFormat::Chat, &model, ""));
    let value = json!([setting("added", WireFormat::Anthropic, &model.url(WireFormat::Anthropic))]);
    let set = site.set("models", value).await;
    assert_eq!(set.status, 200, "{set:?}");
    let shown = site.get("/models/added").await;
    assert_eq!((&shown["source"], &shown["provider"]), (&json!("settings"), &json!("anthropic")), "{shown}");
    assert!(tested(&site, "added").0);
    let taken =
        site.set("models", json!([setting("fixed", WireFormat::Chat, "https://models.example/v1")])).await;
    refused(&taken, 409, "name_taken");
    assert!(tested(&site, "added").0, "a refused value changes nothing");
    assert_eq!(site.set("models", json!([])).await.status, 200);
    let admin = site.gateway.admin.clone();
    refused(&site.rest(&admin, "GET", "/models/added", None).await, 404, "unknown_model");
    assert!(tested(&site, "fixed").0, "that of the file stays");
    model.assert_no_problems();
}

#[tokio::test]
async fn a_setting_that_cannot_be_is_refused_at_its_place() {
    let site = Site::open();
    let good = setting("gpt", WireFormat::Chat, "https://models.example/v1");
    for (member, value, field) in [
        ("provider", json!("gpt"), "value[0].provider"),
        ("model", json!("a b"), "value[0].model"),
        ("key", json!("sk-proj-abcdef"), "value[0].key"),
        ("context_tokens", json!(3), "value[0].context_tokens"),
        ("prices", json!({ "input": -1 }), "value[0].prices.input"),
        ("colour", json!("red"), "value[0].colour"),
        ("url", json!("not an address"), "value[0].url"),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        let answer = site.set("models", json!([bad.clone()])).await;
        assert_eq!((answer.status, answer.json()["field"].as_str()), (422, Some(field)), "{bad}: {answer:?}");
    }
    assert_eq!(site.get("/models").await, json!({ "models": [] }));
}

#[tokio::test]
async fn an_address_of_this_machine_or_a_private_network_is_for_the_operators_file() {
    let model = ScriptedModel::start(obliging());
    let toml =
        format!("[policy]\ntemplate = \"exploratory\"\n{}", entry("fixed", WireFormat::Chat, &model, ""));
    let site = Site::open_as(Backing::Sqlite, &toml);
    for url in [
        model.url(WireFormat::Chat).as_str(),
        "http://10.1.2.3/v1",
        "http://[::1]:8080/v1",
        "http://169.254.169.254/v1",
    ] {
        let answer = site.set("models", json!([setting("near", WireFormat::Chat, url)])).await;
        assert_eq!(
            (answer.status, answer.json()["field"].as_str()),
            (422, Some("value[0].url")),
            "{url}: {answer:?}"
        );
    }
    assert!(model.requests().is_empty());
    assert!(tested(&site, "fixed").0, "the operator may");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = keyed(obliging());
    let away = elsewhere.url(WireFormat::Chat) + "/chat/completions";
    let model = ScriptedModel::start(steps([ModelStep::Redirect(away)]));
    let site = Site::open_with(&entry("moved", WireFormat::Chat, &model, ""));
    let (succeeded, said) = tested(&site, "moved");
    assert!(!succeeded && said["fault"].is_object(), "{said}");
    assert_eq!(elsewhere.requests().len(), 0);
}

async fn the_key_reaches_the_model_and_nothing_else(backing: Backing) {
    let model = keyed(obliging());
    let entries: String = WireFormat::ALL
        .iter()
        .map(|format| entry(format.provider(), *format, &model, "key = \"MODEL_KEY\"\n"))
        .collect();
    let site = Site::open_on(backing, &entries);
    let (succeeded, said) = tested(&site, "openai");
    assert!(!succeeded && said["fault"]["kind"] == "unusable", "without its key it is not asked: {said}");
    assert!(said["hint"].as_str().is_some_and(|hint| hint.contains("MODEL_KEY")), "{said}");
    assert!(model.requests().is_empty());
    set_secret(&site, &["toolgate", "MODEL_KEY"], KEY);
    for format in WireFormat::ALL {
        let (succeeded, said) = tested_with_key(&site, format.provider());
        assert!(succeeded, "{format:?}: {said}");
        assert!(!said.to_string().contains(KEY), "{format:?}: {said}");
    }
    assert!(model.requests().iter().all(|asked| asked.key.as_deref() == Some(KEY)));
    model.assert_no_problems();
    // A provider that repeats the key in its refusal.
    let message = format!("Incorrect API key provided: {KEY}");
    model.follow(steps([ModelStep::Status { status: 401, retry_after: None, message }]));
    let (_, said) = tested(&site, "openai");
    assert!(said["fault"]["kind"] == "refused" && !said.to_string().contains(KEY), "{said}");
    for path in ["/models", "/models/openai", "/settings/models"] {
        let answer = site.rest(&site.gateway.admin, "GET", path, None).await;
        assert!(answer.status == 200 && !answer.text.contains(KEY), "{path}: {answer:?}");
    }
    let log = site.gateway.log();
    assert!(!log.iter().any(|line| line.contains(KEY)), "{log:?}");
    assert!(!site.say(&["ledger", "export"]).contains(KEY));
    assert!(!holds(&stored(&site), KEY), "the key is stored in plain form");
}
