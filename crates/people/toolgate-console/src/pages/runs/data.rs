//! The API's data about runs, and the wording of some parts.

use maud::{Markup, html};
use serde::Deserialize;
use toolgate_core::moment::parse_rfc3339;

use crate::address::PageAddress;
use crate::parts::{moment, picture, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Clone, Deserialize)]
pub(super) struct RunData {
    pub(super) id: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) summary: Option<String>,
    #[serde(default)]
    pub(super) task: Option<String>,
    #[serde(default)]
    pub(super) parent: Option<String>,
    pub(super) agent: String,
    pub(super) principal: String,
    pub(super) created_by: String,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) input: Vec<InputFile>,
    #[serde(default)]
    pub(super) output: Vec<OutputFile>,
    #[serde(default)]
    pub(super) input_manifest: Option<String>,
    #[serde(default)]
    pub(super) output_manifest: Option<String>,
    #[serde(default)]
    pub(super) budget: BudgetData,
    pub(super) used: BudgetUsedData,
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) started_at: Option<String>,
    #[serde(default)]
    pub(super) ended_at: Option<String>,
}

#[derive(Clone, Deserialize)]
pub(super) struct InputFile {
    pub(super) path: String,
    pub(super) file_id: String,
}

#[derive(Clone, Deserialize)]
pub(super) struct OutputFile {
    pub(super) name: String,
    pub(super) artifact: String,
    pub(super) size: u64,
    pub(super) media_type: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct BudgetData {
    #[serde(default)]
    pub(super) calls: Option<u64>,
    #[serde(default)]
    pub(super) seconds: Option<u64>,
    #[serde(default)]
    pub(super) bytes: Option<u64>,
    #[serde(default)]
    pub(super) turns: Option<u64>,
    #[serde(default)]
    pub(super) tokens: Option<u64>,
    #[serde(default)]
    pub(super) cost_micros: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct BudgetUsedData {
    pub(super) calls: u64,
    pub(super) seconds: u64,
    pub(super) bytes: u64,
    /// Of runs that the gateway drives.
    #[serde(default)]
    pub(super) turns: u64,
    #[serde(default)]
    pub(super) tokens: u64,
    #[serde(default)]
    pub(super) cost_micros: u64,
}

impl BudgetData {
    /// True if it limits what a model uses up.
    pub(super) fn is_of_models(&self) -> bool {
        self.turns.is_some() || self.tokens.is_some() || self.cost_micros.is_some()
    }
}

/// A run with the items that it waits for.
#[derive(Deserialize)]
pub(super) struct RunDetailData {
    #[serde(flatten)]
    pub(super) run: RunData,
    pub(super) waiting: RunWaitingData,
    pub(super) children: u64,
    /// Set if the gateway runs its agent.
    #[serde(default)]
    pub(super) driven: Option<DrivenData>,
}

/// The model of a run, its tokens, and what it waits for.
#[derive(Deserialize)]
pub(super) struct DrivenData {
    pub(super) model: String,
    pub(super) turn: u64,
    /// The number of the last message.
    #[serde(default)]
    pub(super) messages: u64,
    pub(super) tokens: TokensData,
    #[serde(default)]
    pub(super) action: Option<ActionData>,
}

#[derive(Clone, Deserialize)]
pub(super) struct TokensData {
    pub(super) input: u64,
    pub(super) output: u64,
    #[serde(default)]
    pub(super) cached_percent: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ActionData {
    pub(super) kind: String,
    pub(super) id: String,
    pub(super) how: String,
}

#[derive(Deserialize)]
pub(super) struct RunWaitingData {
    #[serde(default)]
    pub(super) approvals: Vec<RunApprovalData>,
}

#[derive(Clone, Deserialize)]
pub(super) struct RunApprovalData {
    pub(super) id: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) call: Option<String>,
    pub(super) tool: String,
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) resolved_at: Option<String>,
}

/// A part of a result that was too large or too binary for the context.
#[derive(Clone, Deserialize)]
pub(super) struct RunRefData {
    pub(super) ref_id: String,
    #[serde(default)]
    pub(super) media_type: String,
    #[serde(default)]
    pub(super) size: u64,
}

impl RunRefData {
    /// True if it is shown by itself beside its call.
    pub(super) fn is_picture(&self) -> bool {
        picture::is_shown(&self.media_type, self.size)
    }
}

/// A request to the model, and its answer.
#[derive(Clone, Deserialize)]
pub(super) struct RunTurnData {
    pub(super) turn: u64,
    /// asked, answered, acted or failed.
    pub(super) phase: String,
    pub(super) model: String,
    pub(super) tokens: TokensData,
    pub(super) cost_micros: u64,
    #[serde(default)]
    pub(super) fault: Option<String>,
    pub(super) asked_at: String,
    #[serde(default)]
    pub(super) answered_at: Option<String>,
}

/// A definition of work.
#[derive(Clone, Deserialize)]
pub(super) struct TaskData {
    pub(super) id: String,
    pub(super) name: String,
}

impl TaskData {
    /// The task of a run; `None` if it is gone.
    pub(super) async fn of(visit: &PageVisit, id: Option<&str>) -> PageResult<Option<TaskData>> {
        match id {
            Some(id) => visit.find(PageAddress::of(["tasks", id])).await,
            None => Ok(None),
        }
    }
}

/// Whole seconds as people say them.
pub(super) fn seconds(count: u64) -> String {
    match count {
        0..60 => format!("{count} s"),
        _ => moment::span(i64::try_from(count).unwrap_or(i64::MAX / 1_000).saturating_mul(1_000)),
    }
}

#[derive(Clone, Deserialize)]
pub(super) struct RunCallData {
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) kind: String,
    pub(super) state: String,
    pub(super) started_at: String,
    #[serde(default)]
    pub(super) ended_at: Option<String>,
}

#[derive(Clone, Deserialize)]
pub(super) struct RunQuestionData {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) prompt_key: String,
    #[serde(default)]
    pub(super) answer: Option<serde_json::Value>,
    #[serde(default)]
    pub(super) answered_by: Option<String>,
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) resolved_at: Option<String>,
}

impl RunData {
    pub(super) fn is_over(&self) -> bool {
        self.ended_at.is_some()
    }

    /// The reason why it is paused or has ended, in a line below its state.
    pub(super) fn why(&self) -> Markup {
        html! { @if let Some(reason) = &self.reason { div.help { (text::short(&said(reason))) } } }
    }

    /// The time that it worked.
    pub(super) fn time_used(&self) -> String {
        seconds(self.used.seconds)
    }
}

/// The currency of a model's prices; `None` if it has none, or the model is gone.
pub(super) async fn currency(visit: &PageVisit, driven: Option<&DrivenData>) -> PageResult<Option<String>> {
    #[derive(Deserialize)]
    struct ModelCurrencyData {
        prices: PricesCurrencyData,
    }
    #[derive(Deserialize)]
    struct PricesCurrencyData {
        #[serde(default)]
        currency: Option<String>,
    }
    let Some(driven) = driven else { return Ok(None) };
    let model = visit.find::<ModelCurrencyData>(PageAddress::of(["models", &driven.model])).await?;
    Ok(model.and_then(|model| model.prices.currency))
}

/// A moment of the API, in milliseconds since 1970.
pub(super) fn ms(moment: &str) -> i64 {
    parse_rfc3339(moment).unwrap_or_default()
}

/// The gateway's own reasons, in words.
pub(super) fn said(reason: &str) -> String {
    let words = match reason {
        "input" | "question" => "waits for an answer",
        "approval" => "waits for an approval",
        "operator" => "paused by an operator",
        "complete_workflow" => "reported completion",
        "budget.calls" => "budget for calls is used up",
        "budget.seconds" => "budget for time is used up",
        "budget.bytes" => "budget for bytes is used up",
        "budget.turns" => "budget for turns is used up",
        "budget.tokens" => "budget for tokens is used up",
        "budget.cost" => "budget for money is used up",
        "credential" => "waits for a person to sign in",
        "captcha" => "waits for a person to solve a CAPTCHA",
        "budget" => "waits for a larger budget",
        "unknown_outcome" => "waits for a person to say whether a call took effect",
        "stuck" => "repeats itself, and waits for a person",
        other => other,
    };
    words.to_owned()
}
