//! Models: those in force, without keys, and a test of each. What a model answers is tested from outside.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::{Principal, Role, ServerName};

use super::gate::{Gate, Read, request, somebody};

#[tokio::test]
async fn models_are_told_without_their_keys() {
    let gate = Gate::open().await;
    let told = gate.get(&somebody("audit", Role::Auditor), "/models").await.json();
    let names: Vec<&str> =
        told["models"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["gpt", "local"]);
    let gpt = gate.get(&somebody("audit", Role::Auditor), "/models/gpt").await.json();
    let expected = json!({
        "name": "gpt", "source": "file", "provider": "openai", "model": "gpt-5", "url": "https://api.openai.com/v1",
        "key": "OPENAI_KEY", "context_tokens": 128_000,
        "prices": { "input": 2.5, "cached": 0.25, "written": 2.5, "output": 10.0, "currency": "USD" },
        "limits": { "output_tokens_max": 8192, "parallel_max": 16, "silence_seconds": 120.0, "answer_seconds": 600.0 },
    });
    assert_eq!(gpt, expected);
    let local = gate.get(&somebody("op", Role::Operator), "/models/local").await.json();
    assert_eq!((&local["source"], local.get("key")), (&json!("settings"), None));
    let missing = gate.get(&somebody("op", Role::Operator), "/models/gtp").await;
    assert_eq!((missing.status, missing.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_model"));
}

#[tokio::test]
async fn a_test_tells_what_works_and_a_fault_with_its_advice() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let good = gate.post(&operator, "/models/gpt/test", "{}").await.json();
    assert_eq!((&good["ok"], &good["calls_tools"], good.get("fault")), (&json!(true), &json!(true), None));
    assert_eq!((&good["tokens"]["input"], &good["first_piece_ms"]), (&json!(20), &json!(150)));
    let away = gate.post(&operator, "/models/local/test", "{}").await;
    assert_eq!(away.status, StatusCode::OK, "a fault is a finding");
    let away = away.json();
    assert_eq!((&away["ok"], &away["fault"]["kind"]), (&json!(false), &json!("away")));
    assert_eq!((&away["fault"]["code"], &away["hint"]), (&json!("model_fault"), &json!("start it")));
    for name in ["gtp", "ses_1"] {
        let missing = gate.post(&operator, &format!("/models/{name}/test"), "{}").await;
        assert_eq!((missing.status, missing.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_model"));
    }
    for role in [Role::Agent, Role::Auditor, Role::Approver] {
        let refused = gate.post(&somebody("someone", role), "/models/gpt/test", "{}").await;
        assert_eq!((refused.status, refused.problem().as_str()), (StatusCode::FORBIDDEN, "wrong_role"));
    }
}

async fn set(gate: &Gate, who: &Principal, value: &Value) -> Read {
    let body = json!({ "value": value }).to_string();
    gate.send(request(Method::PATCH, "/settings/models", Some(who), &body)).await
}

fn mine(url: &str) -> Value {
    json!({ "name": "mine", "provider": "openai", "model": "m", "url": url, "key": "MINE" })
}

#[tokio::test]
async fn models_are_set_while_the_gateway_runs() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let changed = set(&gate, &operator, &json!([mine("https://models.example.com/v1")])).await;
    assert_eq!(changed.status, StatusCode::OK, "{changed:?}");
    let known = gate.registry.models();
    let [known] = &known[..] else { panic!("one model: {known:?}") };
    assert_eq!((known.definition.name.as_str(), known.is_of_file()), ("mine", false));
    let twice = set(&gate, &operator, &json!([mine("https://a.example"), mine("https://b.example")])).await;
    assert_eq!(
        (twice.status, twice.problem().as_str()),
        (StatusCode::UNPROCESSABLE_ENTITY, "invalid_setting")
    );
    assert_eq!(twice.json()["field"], "value[1].name");
    let mut literal = mine("https://a.example");
    literal["key"] = json!("sk-123");
    let refused = set(&gate, &operator, &json!([literal])).await;
    assert_eq!(refused.json()["field"], "value[0].key");
    assert!(!refused.text.contains("sk-123"), "{}", refused.text);
    assert_eq!(gate.registry.models().len(), 1, "a value that is refused changes nothing");
}

#[tokio::test]
async fn a_key_goes_only_where_an_admin_lets_it_go() {
    let gate = Gate::open().await;
    let own = ServerName::new("toolgate").expect("a name");
    gate.books.put_sealed(&own, None, "MINE", b"sealed", &[], Vec::new()).await.expect("stored");
    let (admin, operator) = (somebody("root", Role::Admin), somebody("op", Role::Operator));
    let value = json!([mine("https://models.example.com/v1")]);
    let refused = set(&gate, &operator, &value).await;
    assert_eq!((refused.status, refused.problem().as_str()), (StatusCode::FORBIDDEN, "secret_bound"));
    assert_eq!(set(&gate, &admin, &value).await.status, StatusCode::OK);
    let elsewhere = set(&gate, &operator, &json!([mine("https://trap.example/v1")])).await;
    assert_eq!(elsewhere.problem(), "secret_bound");
    let there = json!([mine("https://models.example.com/v2")]);
    assert_eq!(set(&gate, &operator, &there).await.status, StatusCode::OK, "the same origin");
}
