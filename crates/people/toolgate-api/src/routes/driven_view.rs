//! The public data of what the gateway drives in a run: its model, its spending, and what it waits for.

use serde::Serialize;
use toolgate_core::model::ModelUsage;
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{ActionKind, AgentLoop, RequiredAction};
use utoipa::ToSchema;

/// The part of a run that the gateway drives itself
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DrivenRun)]
pub(crate) struct DrivenView {
    model: String,
    /// The number of the current turn, from 1; 0 before the first.
    turn: u64,
    /// The number of the last message.
    messages: u64,
    tokens: TokensView,
    /// In millionths of a currency unit.
    cost_micros: u64,
    /// The action that somebody must take before it continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<ActionView>,
}

/// Tokens that a model read and wrote
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ModelTokens)]
pub(crate) struct TokensView {
    /// All input; cached and written tokens are parts of it.
    input: u64,
    cached: u64,
    written: u64,
    output: u64,
    /// The share of the input that came from the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_percent: Option<u64>,
}

/// An action that somebody must take before a run continues
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RequiredAction)]
pub(crate) struct ActionView {
    /// approval, question, credential, captcha, budget, unknown_outcome or stuck.
    #[schema(value_type = String)]
    kind: ActionKind,
    /// The approval or the question that resolves it.
    #[schema(example = "apr_0198f5c2a4b07c3d8e1f")]
    id: String,
    since: String,
    /// The way to resolve it, in words.
    how: String,
}

impl From<AgentLoop> for DrivenView {
    fn from(driven: AgentLoop) -> Self {
        Self {
            model: driven.model.to_string(),
            turn: driven.turn,
            messages: driven.last_message,
            tokens: TokensView::from(driven.usage),
            cost_micros: driven.cost_micros,
            action: driven.action.map(ActionView::from),
        }
    }
}

impl From<ModelUsage> for TokensView {
    fn from(usage: ModelUsage) -> Self {
        let ModelUsage { input, cached, written, output } = usage;
        let cached_percent = cached.saturating_mul(100).checked_div(input);
        Self { input, cached, written, output, cached_percent }
    }
}

impl From<RequiredAction> for ActionView {
    fn from(action: RequiredAction) -> Self {
        let RequiredAction { kind, id, since_ms, how } = action;
        Self { kind, id, since: rfc3339(since_ms), how }
    }
}
