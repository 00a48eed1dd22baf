use std::sync::Arc;

use serde_json::json;
use toolgate_core::address::Reach;
use toolgate_core::model::KnownModel;

use super::*;
use crate::source::FileState;

fn of_file(name: &str) -> KnownModel {
    let value = json!([{ "name": name, "provider": "openai", "model": "gpt-5" }]);
    let definition = read(&value, AddressRules::default()).expect("a model").remove(0);
    KnownModel { definition, reach: Reach::Anywhere, egress: Arc::default() }
}

/// `code field: message`, or `fine`.
fn told(value: &Value) -> String {
    let file = FileState { models: vec![of_file("taken")], ..FileState::default() };
    match check(value, &SettingContext { file, ..SettingContext::default() }) {
        Ok(()) => "fine".into(),
        Err(refusal) => {
            format!("{} {}: {}", refusal.code, refusal.field.as_deref().unwrap_or("-"), refusal.message)
        }
    }
}

fn model(more: Value) -> Value {
    let mut model = json!({ "name": "gpt", "provider": "openai", "model": "gpt-5" });
    let members = model.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!([model])
}

#[test]
fn a_model_needs_its_name_its_provider_and_its_own_name() {
    let read = read(&model(json!({})), AddressRules::default()).expect("a model").remove(0);
    assert_eq!((read.url.as_str(), read.context_tokens), ("https://api.openai.com/v1", 128_000));
    assert_eq!((read.key, read.prices, read.limits), (None, ModelPrices::default(), ModelLimits::default()));
    for key in ["name", "provider", "model"] {
        let mut value = model(json!({}));
        value[0].as_object_mut().expect("an object").remove(key);
        assert_eq!(told(&value), format!("invalid_setting value[0].{key}: `{key}` is missing"));
    }
}

#[test]
fn every_member_is_read() {
    let value = model(json!({
        "url": "https://models.example.com/v1/", "key": "EXAMPLE_KEY", "context_tokens": 32_000,
        "prices": { "input": 2.5, "cached": 0.25, "output": 10, "currency": "EUR" },
        "limits": { "output_tokens_max": 1000, "parallel_max": 2, "silence_seconds": 5, "answer_seconds": 60,
            "spend_per_day": 0.5 },
    }));
    let read = read(&value, AddressRules::default()).expect("a model").remove(0);
    assert_eq!(read.url, "https://models.example.com/v1", "paths are appended to it");
    assert_eq!((read.key.as_deref(), read.context_tokens), (Some("EXAMPLE_KEY"), 32_000));
    let prices = ModelPrices {
        input: 2_500_000,
        cached: Some(250_000),
        written: None,
        output: 10_000_000,
        currency: CurrencyCode::parse("EUR"),
    };
    assert_eq!(read.prices, prices);
    assert_eq!((read.limits.output_tokens_max, read.limits.parallel_max), (1_000, 2));
    assert_eq!((read.limits.silence.as_secs(), read.limits.answer.as_secs()), (5, 60));
    assert_eq!(read.limits.spend_per_day_micros, Some(500_000));
}

#[test]
fn a_value_that_cannot_be_is_refused_at_its_place() {
    for (more, said) in [
        (
            json!({ "name": "taken" }),
            "name_taken value[0].name: the model \"taken\" is configured in toolgate.toml",
        ),
        (json!({ "provider": "gpt" }), "invalid_setting value[0].provider: `provider` cannot be \"gpt\""),
        (json!({ "model": "a b" }), "invalid_setting value[0].model: \"a b\" is not the name of a model"),
        (json!({ "colour": 1 }), "invalid_setting value[0].colour: unknown key `colour`"),
        (
            json!({ "key": "sk-abc" }),
            "invalid_setting value[0].key: `key` looks like the key itself, and settings are no place for one",
        ),
        (json!({ "key": "a b" }), "invalid_setting value[0].key: `key` is not the name of a secret"),
        (
            json!({ "context_tokens": 3 }),
            "invalid_setting value[0].context_tokens: `context_tokens` is not a whole number from 1024 to 100000000",
        ),
        (
            json!({ "prices": { "input": -1 } }),
            "invalid_setting value[0].prices.input: `input` is not a price for a million tokens, from 0 to 1000000",
        ),
        (
            json!({ "limits": { "spend_per_day": "1" } }),
            "invalid_setting value[0].limits.spend_per_day: `spend_per_day` is not an amount from 0 to 1000000",
        ),
        (
            json!({ "context_tokens": 2048, "limits": { "output_tokens_max": 2048 } }),
            "invalid_setting value[0].limits.output_tokens_max: an answer of 2048 tokens leaves no room in 2048",
        ),
        (
            json!({ "url": "https://a.example/v1?key=x" }),
            "invalid_setting value[0].url: the address of a model has nothing after a `?`: paths are appended to it",
        ),
    ] {
        assert_eq!(told(&model(more)), said);
    }
}

#[test]
fn a_name_stands_once() {
    let mut value = model(json!({}));
    let second = value[0].clone();
    value.as_array_mut().expect("a list").push(second);
    assert_eq!(told(&value), "invalid_setting value[1].name: the model \"gpt\" stands twice in the value");
}

#[test]
fn addresses_go_by_the_rules_of_servers() {
    let local = model(json!({ "url": "http://127.0.0.1:11434" }));
    assert!(
        told(&local).starts_with("invalid_setting value[0].url: 127.0.0.1 is an address of this machine")
    );
    assert!(
        told(&json!([{ "name": "l", "provider": "ollama", "model": "m" }]))
            .contains("address of this machine")
    );
    let rules = AddressRules { allow_loopback: true, allow_private: false };
    assert_eq!(read(&local, rules).expect("it is allowed")[0].url, "http://127.0.0.1:11434");
}

#[test]
fn keys_that_go_elsewhere_than_before_are_news() {
    let before = model(json!({ "key": "A" }));
    let told = |after: &Value| -> Vec<String> {
        newly_sent(&before, after)
            .into_iter()
            .map(|one| format!("{} {} {}", one.server, one.name, one.origin))
            .collect()
    };
    assert_eq!(told(&before), [""; 0]);
    assert_eq!(told(&model(json!({ "key": "B" }))), ["toolgate B https://api.openai.com"]);
    assert_eq!(
        told(&model(json!({ "key": "A", "url": "https://evil.example/v1" }))),
        ["toolgate A https://evil.example"]
    );
    assert_eq!(told(&model(json!({}))), [""; 0], "no key is sent");
}
