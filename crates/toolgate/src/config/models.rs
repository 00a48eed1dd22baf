//! `[[models]]`: language models, for the agents that run here. More can be set while the gateway runs.

use std::ops::Range;
use std::time::Duration;

use toolgate_core::model::{
    CurrencyCode, MODELS_MAX, ModelDefinition, ModelLimits, ModelName, ModelPrices, ModelProvider,
};
use toolgate_core::platform::OWN_SERVER;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located, SecondsRange, require};
use super::server::legal_name;
use super::value::{ReadContext, UrlForm};

const NAME_EXPECTED: &str = "1 to 64 letters, digits, `-`, `_` and `.`, not beginning with `ses_`";
const PROVIDER_HINT: &str = "a server that is compatible with OpenAI's chat completions is `openai`";
const URL: UrlForm = UrlForm {
    expected: "an address that paths are appended to, such as `https://api.openai.com/v1`",
    instead_of_password: "store the key with `toolgate secrets set toolgate NAME`, and write `key = \"NAME\"`",
};
const PRICE_EXPECTED: &str = "a price for a million tokens, from 0 to 1000000, such as `2.5`";
const NEEDS: [(&str, &str); 3] =
    [("name", "\"gpt\""), ("provider", "\"openai\""), ("model", "\"gpt-5-mini\"")];

pub(super) fn read(
    sections: Vec<ConfigSection<'_>>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Vec<ModelDefinition> {
    let mut models: Vec<ModelDefinition> = Vec::new();
    let all = sections.len();
    for section in sections {
        let span = section.span.clone();
        let Some((model, name_span)) = read_model(section, ctx, problems) else { continue };
        if models.iter().any(|other| other.name == model.name) {
            let what = format!("two models are named \"{}\"", model.name);
            let hint = format!("rename one of them, for example to \"{}-2\"", model.name);
            problems.add(name_span, what, "a name that no other model has", hint);
        } else if models.len() == MODELS_MAX {
            let what = format!("there are {all} models");
            problems.add(
                span,
                what,
                format!("at most {MODELS_MAX} of them"),
                "remove those that are not used",
            );
            return models;
        } else {
            models.push(model);
        }
    }
    models
}

/// Reads one table, and where its name stands. `None` if a problem was added.
fn read_model(
    mut section: ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<(ModelDefinition, Range<usize>)> {
    match section.string("name", &mut ConfigProblems::default()) {
        Some(name) => section.rename(format!("model {:?}", name.value)),
        None => section.rename("a model".into()),
    }
    section.refuse_unknown_keys(ModelDefinition::KEYS, &[], problems);
    for (key, example) in NEEDS {
        require(&section, key, example, problems);
    }
    let name = section.string("name", problems).and_then(|name| checked_name(&section, name, problems));
    let providers = ModelProvider::ALL.map(|provider| (provider.as_str(), provider));
    let provider = section.word("provider", &providers, PROVIDER_HINT, problems);
    let model = section.string("model", problems).and_then(|model| checked_model(&section, &model, problems));
    let url = read_url(&section, ctx, problems);
    let key = section.string("key", problems).map(|key| checked_key(&section, &key, problems));
    let context = section.count("context_tokens", ModelDefinition::CONTEXT_TOKENS, problems);
    let context_tokens = context.map_or(ModelDefinition::CONTEXT_TOKENS_USUAL, tokens);
    let prices = read_prices(&section, problems);
    let limits = read_limits(&section, context_tokens, problems);
    let (name, provider, model) = (name?, provider?, model?);
    let url = match url {
        Some(read) => read?,
        None => provider.usual_url().to_owned(),
    };
    let key = match key {
        Some(read) => Some(read?),
        None => None,
    };
    let definition =
        ModelDefinition { name: name.value, provider, model, url, key, context_tokens, prices, limits };
    Some((definition, name.span))
}

fn checked_name(
    section: &ConfigSection<'_>,
    name: Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<Located<ModelName>> {
    if let Ok(value) = ModelName::new(name.value) {
        return Some(Located { value, span: name.span });
    }
    let what = format!("{} cannot have that name", section.title());
    let legal = legal_name(name.value.trim_start_matches("ses_"));
    problems.add(name.span, what, NAME_EXPECTED, format!("for example `name = {legal:?}`"));
    None
}

fn checked_model(
    section: &ConfigSection<'_>,
    model: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    if ModelDefinition::is_model_name(model.value) {
        return Some(model.value.to_owned());
    }
    let what = format!("`model` in {} cannot be {:?}", section.title(), model.value);
    let expected = "the provider's own name of the model, such as `gpt-5-mini`";
    problems.add(model.span.clone(), what, expected, "without spaces, `?`, `#`, `%` and `..`");
    None
}

/// `None` without the key; `Some(None)` if a problem was added.
fn read_url(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<Option<String>> {
    let span = section.string("url", &mut ConfigProblems::default()).map(|url| url.span);
    section.key_span("url")?;
    let Some(url) = ctx.values(section).url("url", &URL, problems) else { return Some(None) };
    if url.contains('?') && !url.contains("${") {
        let what = format!("`url` in {} has something after a `?`", section.title());
        problems.add(span.unwrap_or_default(), what, URL.expected, "remove the `?` and what follows");
        return Some(None);
    }
    Some(Some(url.trim_end_matches('/').to_owned()))
}

fn checked_key(
    section: &ConfigSection<'_>,
    key: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let is_credential = ModelDefinition::is_credential(key.value);
    if ModelDefinition::is_key_name(key.value) && !is_credential {
        return Some(key.value.to_owned());
    }
    let what = match is_credential {
        true => format!("`key` in {} looks like the key itself", section.title()),
        false => format!("`key` in {} is not the name of a secret", section.title()),
    };
    let hint = format!("`toolgate secrets set {OWN_SERVER} OPENAI_KEY` stores the key");
    problems.add(key.span.clone(), what, "the name of a secret of the gateway, such as `OPENAI_KEY`", hint);
    None
}

fn read_prices(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> ModelPrices {
    let title = format!("`prices` of {}", section.title());
    let Some(prices) = section.section("prices", &title, problems) else { return ModelPrices::default() };
    prices.refuse_unknown_keys(ModelPrices::KEYS, &[], problems);
    let mut price = |key: &str| prices.converted(key, PRICE_EXPECTED, ModelPrices::micros, problems);
    ModelPrices {
        input: price("input").unwrap_or_default(),
        cached: price("cached"),
        written: price("written"),
        output: price("output").unwrap_or_default(),
        currency: read_currency(&prices, problems),
    }
}

fn read_currency(prices: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<CurrencyCode> {
    let written = prices.string("currency", problems)?;
    let read = CurrencyCode::parse(written.value);
    if read.is_none() {
        let what = format!("`currency` in {} cannot be {:?}", prices.title(), written.value);
        problems.add(written.span, what, "three capital letters", "for example `currency = \"EUR\"`");
    }
    read
}

fn read_limits(
    section: &ConfigSection<'_>,
    context_tokens: u64,
    problems: &mut ConfigProblems,
) -> ModelLimits {
    let usual = ModelLimits::usual(context_tokens);
    let title = format!("`limits` of {}", section.title());
    let Some(limits) = section.section("limits", &title, problems) else { return usual };
    limits.refuse_unknown_keys(ModelLimits::KEYS, &[], problems);
    let output = limits.count("output_tokens_max", ModelLimits::OUTPUT_TOKENS, problems);
    let output_tokens_max = output.map_or(usual.output_tokens_max, tokens);
    if output_tokens_max >= context_tokens {
        let what = format!("`output_tokens_max` in {} leaves no room for a request", limits.title());
        let span = limits.key_span("output_tokens_max").unwrap_or_else(|| limits.span.clone());
        let expected = format!("less than the {context_tokens} tokens of the context");
        problems.add(span, what, expected, "a smaller one, or a larger `context_tokens`");
    }
    let parallel = limits.count("parallel_max", ModelLimits::PARALLEL, problems);
    let spend_per_day_micros = limits.money_micros("spend_per_day", problems);
    let mut wait = |key: &str, usual: Duration| {
        let read = limits.seconds(key, SecondsRange::Positive, problems);
        read.unwrap_or(usual).min(ModelLimits::WAIT_MAX)
    };
    ModelLimits {
        output_tokens_max,
        parallel_max: parallel.unwrap_or(usual.parallel_max),
        silence: wait("silence_seconds", usual.silence),
        answer: wait("answer_seconds", usual.answer),
        spend_per_day_micros,
    }
}

fn tokens(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
