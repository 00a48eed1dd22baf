//! The setting `models`: language models that operators add while the gateway runs. Their addresses go by the rules of servers,
//! and their keys are secrets of the vault, never values.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use toolgate_core::address::AddressRules;
use toolgate_core::codes;
use toolgate_core::model::{
    CurrencyCode, MODELS_MAX, ModelDefinition, ModelLimits, ModelName, ModelPrices, ModelProvider,
};
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::{Refusal, ServerName};
use toolgate_store::{SecretOrigin, SecretOwner};

use super::address::{self, origin_of};
use super::fields::{JsonFields, elements};
use super::invalid::invalid;
use crate::known::SettingContext;

const PROVIDERS: &str = "`openai`, `openai_responses`, `anthropic`, `gemini` or `ollama`";

/// Checks that the value may be set beside the models of the operator's file.
pub(super) fn check(value: &Value, context: &SettingContext) -> Result<(), Refusal> {
    let mut seen: Vec<ModelName> = Vec::new();
    for (at, definition) in read(value, context.file.addresses)?.into_iter().enumerate() {
        let (name, place) = (definition.name, format!("value[{at}].name"));
        if seen.contains(&name) {
            return Err(invalid(place, format!("the model \"{name}\" stands twice in the value")));
        }
        if context.file.models.iter().any(|known| known.definition.name == name) {
            let message = format!("the model \"{name}\" is configured in toolgate.toml");
            return Err(Refusal::new(&codes::NAME_TAKEN, message)
                .field(place)
                .hint("change it there, or choose another name"));
        }
        seen.push(name);
    }
    Ok(())
}

pub(super) fn read(value: &Value, rules: AddressRules) -> Result<Vec<ModelDefinition>, Refusal> {
    let elements = elements(value, "value", MODELS_MAX)?;
    elements.into_iter().map(|(place, entry)| read_entry(&JsonFields::of(entry, place)?, rules)).collect()
}

fn read_entry(fields: &JsonFields<'_>, rules: AddressRules) -> Result<ModelDefinition, Refusal> {
    fields.only(ModelDefinition::KEYS)?;
    let name = ModelName::new(fields.required_text("name")?);
    let name = name.map_err(|message| invalid(fields.place("name"), message))?;
    let provider = read_provider(fields)?;
    let context_tokens = read_context(fields)?;
    Ok(ModelDefinition {
        name,
        provider,
        model: read_model(fields)?,
        url: read_url(fields, provider, rules)?,
        key: read_key(fields)?,
        context_tokens,
        prices: read_prices(fields)?,
        limits: read_limits(fields, context_tokens)?,
    })
}

fn read_provider(fields: &JsonFields<'_>) -> Result<ModelProvider, Refusal> {
    let text = fields.required_text("provider")?;
    ModelProvider::parse(text).ok_or_else(|| {
        invalid(fields.place("provider"), format!("`provider` cannot be {text:?}")).hint(format!(
            "it is {PROVIDERS}; a server that is compatible with OpenAI's chat completions is `openai`"
        ))
    })
}

fn read_model(fields: &JsonFields<'_>) -> Result<String, Refusal> {
    let text = fields.required_text("model")?;
    if ModelDefinition::is_model_name(text) {
        return Ok(text.to_owned());
    }
    let message = format!("{text:?} is not the name of a model");
    Err(invalid(fields.place("model"), message)
        .hint("the provider's own name of the model, without spaces, such as `gpt-5-mini`"))
}

fn read_url(
    fields: &JsonFields<'_>,
    provider: ModelProvider,
    rules: AddressRules,
) -> Result<String, Refusal> {
    let text = fields.text("url")?.unwrap_or(provider.usual_url());
    let place = || fields.place("url");
    let url = address::check(text, rules).map_err(|bad| invalid(place(), bad.message).hint(bad.hint))?;
    if url.contains('?') {
        let message = "the address of a model has nothing after a `?`: paths are appended to it";
        return Err(invalid(place(), message).hint(format!("such as {}", provider.usual_url())));
    }
    Ok(url.trim_end_matches('/').to_owned())
}

fn read_key(fields: &JsonFields<'_>) -> Result<Option<String>, Refusal> {
    let Some(text) = fields.text("key")? else { return Ok(None) };
    let hint =
        format!("`toolgate secrets set {OWN_SERVER} OPENAI_KEY` stores a key; then `key` is `OPENAI_KEY`");
    if ModelDefinition::is_credential(text) {
        let message = "`key` looks like the key itself, and settings are no place for one";
        return Err(invalid(fields.place("key"), message).hint(hint));
    }
    match ModelDefinition::is_key_name(text) {
        true => Ok(Some(text.to_owned())),
        false => Err(invalid(fields.place("key"), "`key` is not the name of a secret").hint(hint)),
    }
}

fn read_context(fields: &JsonFields<'_>) -> Result<u64, Refusal> {
    let read = fields.within("context_tokens", ModelDefinition::CONTEXT_TOKENS)?;
    Ok(read.map_or(ModelDefinition::CONTEXT_TOKENS_USUAL, tokens))
}

fn read_prices(fields: &JsonFields<'_>) -> Result<ModelPrices, Refusal> {
    let Some(prices) = fields.get("prices") else { return Ok(ModelPrices::default()) };
    let prices = JsonFields::of(prices, fields.place("prices"))?;
    prices.only(ModelPrices::KEYS)?;
    Ok(ModelPrices {
        input: price(&prices, "input")?.unwrap_or_default(),
        cached: price(&prices, "cached")?,
        written: price(&prices, "written")?,
        output: price(&prices, "output")?.unwrap_or_default(),
        currency: currency(&prices)?,
    })
}

fn currency(fields: &JsonFields<'_>) -> Result<Option<CurrencyCode>, Refusal> {
    let Some(text) = fields.text("currency")? else { return Ok(None) };
    CurrencyCode::parse(text).map(Some).ok_or_else(|| {
        invalid(fields.place("currency"), format!("`currency` cannot be {text:?}"))
            .hint("three capital letters, such as \"EUR\"")
    })
}

fn price(fields: &JsonFields<'_>, key: &str) -> Result<Option<u64>, Refusal> {
    let most = ModelPrices::PRICE_MAX;
    money(fields, key, &format!("a price for a million tokens, from 0 to {most}"))
}

fn spending(fields: &JsonFields<'_>, key: &str) -> Result<Option<u64>, Refusal> {
    money(fields, key, &format!("an amount from 0 to {}", ModelPrices::PRICE_MAX))
}

fn money(fields: &JsonFields<'_>, key: &str, expected: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = fields.get(key) else { return Ok(None) };
    let wrong = || {
        invalid(fields.place(key), format!("`{key}` is not {expected}"))
            .hint("a number of currency units, such as 2.5")
    };
    value.as_f64().and_then(ModelPrices::micros).map(Some).ok_or_else(wrong)
}

fn read_limits(fields: &JsonFields<'_>, context_tokens: u64) -> Result<ModelLimits, Refusal> {
    let usual = ModelLimits::usual(context_tokens);
    let Some(limits) = fields.get("limits") else { return Ok(usual) };
    let limits = JsonFields::of(limits, fields.place("limits"))?;
    limits.only(ModelLimits::KEYS)?;
    let output = limits.within("output_tokens_max", ModelLimits::OUTPUT_TOKENS)?;
    let output_tokens_max = output.map_or(usual.output_tokens_max, tokens);
    if output_tokens_max >= context_tokens {
        let message = format!("an answer of {output_tokens_max} tokens leaves no room in {context_tokens}");
        return Err(invalid(limits.place("output_tokens_max"), message)
            .hint("a smaller `output_tokens_max`, or a larger `context_tokens`"));
    }
    let wait = |key: &str, usual: Duration| Ok::<_, Refusal>(limits.seconds(key)?.unwrap_or(usual));
    Ok(ModelLimits {
        output_tokens_max,
        parallel_max: limits.within("parallel_max", ModelLimits::PARALLEL)?.unwrap_or(usual.parallel_max),
        silence: wait("silence_seconds", usual.silence)?,
        answer: wait("answer_seconds", usual.answer)?,
        spend_per_day_micros: spending(&limits, "spend_per_day")?,
    })
}

fn tokens(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The keys that models of `after` send somewhere, and those of `before` did not.
pub(crate) fn newly_sent(before: &Value, after: &Value) -> Vec<SecretOrigin> {
    let before = sent(before);
    let new = sent(after).into_iter().filter(|one| !before.contains(one));
    let read = |(name, origin): (String, String)| {
        let server = ServerName::new(OWN_SERVER).expect("the gateway's own name is one");
        SecretOrigin { server, whose: SecretOwner::All, name, origin }
    };
    new.map(read).collect()
}

fn sent(value: &Value) -> BTreeSet<(String, String)> {
    let mut sent = BTreeSet::new();
    for entry in value.as_array().into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let usual = || text("provider").and_then(ModelProvider::parse).map(ModelProvider::usual_url);
        let origin = text("url").or_else(usual).and_then(origin_of);
        if let (Some(key), Some(origin)) = (text("key"), origin) {
            sent.insert((key.to_owned(), origin));
        }
    }
    sent
}

#[cfg(test)]
mod tests;
