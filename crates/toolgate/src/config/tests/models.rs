//! `[[models]]`.

use std::time::Duration;

use insta::assert_snapshot;
use toolgate_core::model::{CurrencyCode, ModelLimits, ModelPrices, ModelProvider};

use super::{accepted, refused};

const LEAST: &str = "[[models]]\nname = \"gpt\"\nprovider = \"openai\"\nmodel = \"gpt-5-mini\"\n";

#[test]
fn a_model_that_says_little_is_the_providers_own_without_a_key() {
    let models = accepted(LEAST).models;
    let [model] = &models[..] else { panic!("one model: {models:?}") };
    assert_eq!((model.name.as_str(), model.provider), ("gpt", ModelProvider::Openai));
    assert_eq!((model.url.as_str(), &model.key), ("https://api.openai.com/v1", &None));
    assert_eq!((model.prices, model.limits), (ModelPrices::default(), ModelLimits::default()));
}

#[test]
fn every_key_of_a_model_is_read() {
    let text = "[[models]]\nname = \"local\"\nprovider = \"ollama\"\nmodel = \"llama3.2:3b\"\n\
        url = \"http://10.0.0.7:11434/\"\nkey = \"OLLAMA\"\ncontext_tokens = 4096\n\
        prices = { input = 0.5, written = 1, output = 2.25, currency = \"EUR\" }\n\
        limits = { parallel_max = 1, silence_seconds = 5, answer_seconds = 60.5, spend_per_day = 0.25 }\n";
    let model = accepted(text).models.remove(0);
    assert_eq!((model.url.as_str(), model.key.as_deref()), ("http://10.0.0.7:11434", Some("OLLAMA")));
    let prices = ModelPrices {
        input: 500_000,
        cached: None,
        written: Some(1_000_000),
        output: 2_250_000,
        currency: CurrencyCode::parse("EUR"),
    };
    assert_eq!(model.prices, prices);
    assert_eq!(model.limits.output_tokens_max, 2_048, "half of the context");
    assert_eq!((model.limits.parallel_max, model.limits.silence.as_secs()), (1, 5));
    assert_eq!(model.limits.answer, Duration::from_millis(60_500));
    assert_eq!(model.limits.spend_per_day_micros, Some(250_000));
}

#[test]
fn what_is_wrong_with_a_model_is_told_with_its_name() {
    for (lines, expected) in [
        ("url = \"ftp://a.example\"", "`url` in model \"gpt\" has the scheme `ftp`"),
        ("url = \"https://me:pw@a.example\"", "holds a user name or password"),
        ("url = \"https://a.example/v1?key=1\"", "`url` in model \"gpt\" has something after a `?`"),
        ("key = \"sk-proj-0123\"", "`key` in model \"gpt\" looks like the key itself"),
        ("key = \"${OPENAI_KEY}\"", "`key` in model \"gpt\" is not the name of a secret"),
        ("context_tokens = 10", "`context_tokens` in model \"gpt\" is out of range"),
        ("prices = { input = -1 }", "`input` in `prices` of model \"gpt\" is out of range"),
        ("prices = { input = \"3\" }", "remove the quotes"),
        ("prices = { in = 3 }", "did you mean"),
        ("prices = { currency = \"euro\" }", "`currency` in `prices` of model \"gpt\" cannot be \"euro\""),
        ("limits = { spend_per_day = -1 }", "`spend_per_day` in `limits` of model \"gpt\" is out of range"),
        ("limits = { parallel_max = 0 }", "`parallel_max` in `limits` of model \"gpt\" is out of range"),
        (
            "context_tokens = 2048\nlimits = { output_tokens_max = 4096 }",
            "`output_tokens_max` in `limits` of model \"gpt\" leaves no room for a request",
        ),
        ("apikey = \"x\"", "unknown key `apikey` in model \"gpt\""),
    ] {
        let told = refused(&format!("{LEAST}{lines}\n"));
        assert!(told.contains(expected) && told.contains("hint: "), "{lines}: {told}");
    }
    let twice = refused(&LEAST.repeat(2));
    assert!(twice.contains("two models are named \"gpt\""), "{twice}");
    let odd = refused(&LEAST.replace("\"gpt\"", "\"my model\""));
    assert!(odd.contains("model \"my model\" cannot have that name"), "{odd}");
    let other = refused(&LEAST.replace("gpt-5-mini", "gpt 5"));
    assert!(other.contains("`model` in model \"gpt\" cannot be \"gpt 5\""), "{other}");
}

#[test]
fn a_provider_is_named_and_never_guessed() {
    assert_snapshot!(refused(&LEAST.replace("\"openai\"", "\"open-ai\"")), @r#"
    toolgate.toml:3:12: `provider` in model "gpt" cannot be "open-ai"
    3 | provider = "open-ai"
      |            ^^^^^^^^^
    expected: `openai`, `openai_responses`, `anthropic`, `gemini` or `ollama`
    hint: did you mean `openai`?
    "#);
}
