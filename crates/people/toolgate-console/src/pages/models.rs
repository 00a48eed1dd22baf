//! Language models: those in force, and what they cost.

mod data;
mod spend;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;
use toolgate_core::moment::rfc3339;

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::task_names::TaskNames;
use crate::parts::{self, links, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
pub(crate) use data::SpendSumsData;
use data::{ModelData, ModelPricesData, ModelsData, SpendData};
use spend::KnownModels;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
const DAYS_USUAL: i64 = 30;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/models", get(list)).route("/console/models/{name}", get(show))
}

#[derive(Default, Deserialize)]
struct ModelsPageQuery {
    #[serde(default)]
    by: Option<String>,
    #[serde(default)]
    days: Option<String>,
}

impl ModelsPageQuery {
    /// The grouping and the number of days. Odd words count as none.
    fn choice(&self) -> (&'static str, i64) {
        let by =
            spend::GROUPINGS.map(|(word, _)| word).into_iter().find(|word| self.by.as_deref() == Some(word));
        let asked = self.days.as_deref().and_then(|days| days.parse::<i64>().ok());
        let days = spend::SPANS.map(|(days, _)| days).into_iter().find(|days| asked == Some(*days));
        (by.unwrap_or("day"), days.unwrap_or(DAYS_USUAL))
    }
}

async fn list(visit: PageVisit, Query(wanted): Query<ModelsPageQuery>) -> PageResult<Response> {
    let (by, days) = wanted.choice();
    let page: ModelsData = visit.get(PageAddress::of(["models"])).await?;
    let spent = spent(&visit, by, days).await?;
    let tasks = if by == "task" { TaskNames::read(&visit).await? } else { TaskNames::default() };
    let known = KnownModels::of(&page.models);
    let body = html! {
        (parts::heading(html! { "Models" }, html! { a.button href="/console/metrics?by=model" { "Metrics" } }))
        section.card #models data-live="setting" aria-labelledby="models-title" {
            h2 #models-title { "Configured" }
            @if page.models.is_empty() { (nothing()) } @else { (table(&page.models)) }
        }
        section.card #spend data-live="run" aria-labelledby="spend-title" {
            h2 #spend-title { "What they cost" }
            p.help { "Model answers in runs that the gateway drives, in the last " (days) " days. Days are in UTC." }
            (spend::tiles(&spent.total, known.currency))
            (spend::choice(by, days))
            @if spent.rows.is_empty() { p.help { "No model was used in this period." } }
            @else { (spend::table(by, days, &spent, &tasks, &known)) }
        }
    };
    Ok(visit.page("Models", ConsolePage::Metrics, body).await)
}

async fn spent(visit: &PageVisit, by: &str, days: i64) -> PageResult<SpendData> {
    let from = rfc3339(visit.now_ms - days * DAY_MS);
    visit.get(PageAddress::of(["spend"]).with("by", by).with("from", from)).await
}

fn nothing() -> Markup {
    parts::empty(
        "No model is configured.",
        html! { p { "Add " code { "[[models]]" } " to the configuration; "
        a href="/docs/how-to/models" { "configure models" } " says how." } },
    )
}

fn table(models: &[ModelData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Name" } th scope="col" { "Provider" } th scope="col" { "Model" }
                th.number scope="col" { "Context" } th scope="col" { "Price of a million tokens" }
            } }
            tbody {
                @for model in models {
                    tr data-entry=(model.name) {
                        td data-name="Name" { (links::model(&model.name)) }
                        td data-name="Provider" { (text::short(&model.provider)) }
                        td data-name="Model" { (text::short(&model.model)) }
                        td.number data-name="Context" { (number(model.context_tokens)) " tokens" }
                        td data-name="Price of a million tokens" { (price(model.prices.input)) " input, " (price(model.prices.output)) " output" }
                    }
                }
            }
        }
    }
}

/// A price without needless digits.
fn price(units: f64) -> String {
    format!("{units}")
}

/// One model, without its key.
async fn show(visit: PageVisit, Path(name): Path<String>) -> PageResult<Response> {
    let model: ModelData = visit.get(PageAddress::of(["models", &name])).await?;
    let spent = spent(&visit, "model", DAYS_USUAL).await?;
    let own = spent.rows.into_iter().find(|row| row.key == model.name).map(|row| row.sums);
    let metrics = PageAddress::of(["console", "metrics"])
        .with("range", "30d")
        .with("by", "model")
        .with("name", &model.name);
    let actions =
        html! { a.button href=(metrics) { "Metrics" } a.button href="/console/models" { "All models" } };
    let body = html! {
        (parts::heading(html! { "Model " (text::short(&model.name)) }, actions))
        section.card #spend data-live="run" aria-labelledby="spend-title" {
            h2 #spend-title { "Last 30 days" }
            (spend::tiles(&own.unwrap_or_default(), model.prices.currency.as_deref()))
        }
        section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(&model)) }
    };
    Ok(visit.page(&format!("Model {}", model.name), ConsolePage::Metrics, body).await)
}

fn about(model: &ModelData) -> Markup {
    let key = html! {
        @match &model.key { Some(key) => { "secret " (text::short(key)) }, None => span.soft { "none is sent" } }
    };
    let limits = &model.limits;
    parts::facts([
        ("Provider", text::short(&model.provider)),
        ("Name at the provider", text::short(&model.model)),
        ("Address", text::short(&model.url)),
        ("Key", key),
        (
            "Configured in",
            html! { @if model.source == "file" { "the configuration file" } @else { "the settings" } },
        ),
        ("Context", html! { (number(model.context_tokens)) " tokens" }),
        ("Price of a million tokens", prices(&model.prices)),
        ("Longest answer", html! { (number(limits.output_tokens_max)) " tokens" }),
        ("Concurrent requests", html! { (number(limits.parallel_max)) }),
        (
            "Daily cost",
            html! { @match limits.spend_per_day { Some(units) => { "at most " (price(units)) }, None => span.soft { "not limited" } } },
        ),
        (
            "Time limits",
            html! { (limits.silence_seconds) " s between two pieces, " (limits.answer_seconds) " s for an answer" },
        ),
    ])
}

fn prices(prices: &ModelPricesData) -> Markup {
    let ModelPricesData { input, cached, written, output, currency } = prices;
    html! {
        (price(*input)) " input, " (price(*cached)) " from the cache, " (price(*written)) " into the cache, " (price(*output)) " output"
        @if let Some(currency) = currency { ", in " (text::short(currency)) }
    }
}
