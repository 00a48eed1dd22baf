//! Language models: those in force, and a test. They are changed in the configuration, and in the setting `models`.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::codes;
use toolgate_core::model::{
    KnownModel, ModelDefinition, ModelFault, ModelLimits, ModelName, ModelPrices, ModelReport, ModelUsage,
};
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelsPage {
    /// Sorted by name.
    models: Vec<ModelView>,
}

/// A language model, without its key
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Model)]
pub(crate) struct ModelView {
    #[schema(example = "gpt")]
    name: String,
    /// file or settings.
    source: &'static str,
    /// The wire format: openai, openai_responses, anthropic, gemini or ollama.
    provider: &'static str,
    /// The provider's own name of the model.
    #[schema(example = "gpt-5-mini")]
    model: String,
    #[schema(example = "https://api.openai.com/v1")]
    url: String,
    /// The name of the secret that has the key; absent if none is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The number of tokens that a request and its answer may have together.
    context_tokens: u64,
    prices: ModelPricesView,
    limits: ModelLimitsView,
}

/// Prices in currency units for a million tokens
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelPricesView {
    input: f64,
    /// Input from the provider's cache.
    cached: f64,
    /// Input into the provider's cache.
    written: f64,
    output: f64,
    /// The currency of the prices, and of all that runs of this model cost, if it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "EUR")]
    currency: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelLimitsView {
    /// Tokens of one answer.
    output_tokens_max: u64,
    /// Requests at the same time.
    parallel_max: usize,
    /// The time until the first piece of an answer, and between two pieces.
    silence_seconds: f64,
    /// The time of a whole answer.
    answer_seconds: f64,
    /// The cost of a day in UTC over all runs, in currency units.
    #[serde(skip_serializing_if = "Option::is_none")]
    spend_per_day: Option<f64>,
}

/// The result of a test
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelTestView {
    name: String,
    /// True if it answered, streamed and called the tool that it was told to call.
    ok: bool,
    answers: bool,
    streams: bool,
    calls_tools: bool,
    tokens: ModelTokensView,
    /// In millionths of a currency unit.
    cost_micros: u64,
    /// The time until the first piece of the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_piece_ms: Option<u64>,
    /// The time of both questions.
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<ModelFaultView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// The tokens of both questions
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelTokensView {
    /// All input; cached and written tokens are parts of it.
    input: u64,
    cached: u64,
    written: u64,
    output: u64,
}

/// The reason why a model did not answer as it should
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelFaultView {
    #[schema(example = "model_fault")]
    code: &'static str,
    /// away, busy, overflow, refused, nonsense, unusable or cancelled.
    kind: &'static str,
    message: String,
    /// The HTTP status of the provider's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The wait that the provider asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
}

/// List models
#[utoipa::path(get, path = "/models", tag = "models",
    responses((status = 200, description = "The models of the configuration and of the setting `models`, without keys", body = ModelsPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> Response {
    let models = context.models.models().into_iter().map(ModelView::from).collect();
    json(StatusCode::OK, &ModelsPage { models })
}

/// Show a model
#[utoipa::path(get, path = "/models/{name}", tag = "models",
    params(("name" = String, Path, description = "The model's name")),
    responses((status = 200, description = "The definition in force, without its key", body = ModelView), (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    let mut models = context.models.models().into_iter();
    let found = models.find(|known| known.definition.name.as_str() == name);
    let found = found.ok_or_else(|| unknown(&name))?;
    Ok(json(StatusCode::OK, &ModelView::from(found)))
}

/// Test a model
///
/// Asks it two short questions and says whether it answers, streams and calls tools, with tokens and times. A model that
/// fails is a result too: `fault` and `hint` say what is wrong with it.
#[utoipa::path(post, path = "/models/{name}/test", tag = "models",
    params(("name" = String, Path, description = "The model's name")),
    responses((status = 200, description = "The findings", body = ModelTestView), (status = 404, description = "Not found")))]
pub(crate) async fn test(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    let read = ModelName::new(&name).map_err(|_| unknown(&name))?;
    let report = context.models.test(&read).await?;
    Ok(json(StatusCode::OK, &ModelTestView::from(report)))
}

fn unknown(name: &str) -> Box<Problem> {
    Problem::new(&codes::UNKNOWN_MODEL, format!("there is no model {name:?}"))
}

impl From<KnownModel> for ModelView {
    fn from(known: KnownModel) -> Self {
        let source = if known.is_of_file() { "file" } else { "settings" };
        let ModelDefinition { name, provider, model, url, key, context_tokens, prices, limits } =
            known.definition;
        Self {
            name: name.to_string(),
            source,
            provider: provider.as_str(),
            model,
            url,
            key,
            context_tokens,
            prices: prices.into(),
            limits: limits.into(),
        }
    }
}

impl From<ModelPrices> for ModelPricesView {
    fn from(prices: ModelPrices) -> Self {
        let ModelPrices { input, cached, written, output, currency } = prices;
        Self {
            input: ModelPrices::units(input),
            cached: ModelPrices::units(cached.unwrap_or(input)),
            written: ModelPrices::units(written.unwrap_or(input)),
            output: ModelPrices::units(output),
            currency: currency.map(String::from),
        }
    }
}

impl From<ModelLimits> for ModelLimitsView {
    fn from(limits: ModelLimits) -> Self {
        Self {
            output_tokens_max: limits.output_tokens_max,
            parallel_max: limits.parallel_max,
            silence_seconds: limits.silence.as_secs_f64(),
            answer_seconds: limits.answer.as_secs_f64(),
            spend_per_day: limits.spend_per_day_micros.map(ModelPrices::units),
        }
    }
}

impl From<ModelReport> for ModelTestView {
    fn from(report: ModelReport) -> Self {
        let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let ModelUsage { input, cached, written, output } = report.usage;
        Self {
            name: report.name.to_string(),
            ok: report.is_good(),
            answers: report.answers,
            streams: report.streams,
            calls_tools: report.calls_tools,
            tokens: ModelTokensView { input, cached, written, output },
            cost_micros: report.cost_micros,
            first_piece_ms: report.first_piece.map(ms),
            duration_ms: ms(report.duration),
            fault: report.fault.map(ModelFaultView::from),
            hint: report.hint,
        }
    }
}

impl From<ModelFault> for ModelFaultView {
    fn from(fault: ModelFault) -> Self {
        Self {
            code: codes::MODEL_FAULT.name,
            kind: fault.kind.as_str(),
            message: fault.message,
            status: fault.status,
            retry_after_seconds: fault.retry_after.map(|wait| wait.as_secs()),
        }
    }
}
