//! The port to the quotas: the rules in force, and the usage of this gateway.

use serde::Serialize;
use utoipa::ToSchema;

/// The quotas of principals and agents.
pub trait QuotaPort: Send + Sync {
    /// In the order of the configuration.
    fn rules(&self) -> Vec<QuotaRuleEntry>;
    /// Of a principal that no rule is about.
    fn usual(&self) -> QuotaLimits;
    /// Those that made a call or opened a stream in this gateway.
    fn holders(&self, now_ms: i64) -> Vec<QuotaHolderEntry>;
}

/// Principals by a pattern, or agents by a pattern
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaFor {
    Principal(String),
    Agent(String),
}

/// A rule of the configuration
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = QuotaRule)]
pub struct QuotaRuleEntry {
    #[serde(rename = "for")]
    pub who: QuotaFor,
    pub limits: QuotaLimits,
}

/// Limits; what is left out is not limited, or not changed by a rule
#[derive(Clone, PartialEq, Debug, Default, Serialize, ToSchema)]
pub struct QuotaLimits {
    /// Calls at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_max: Option<u64>,
    /// Calls that wait for others to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "600/m")]
    pub rate: Option<String>,
    /// From midnight to midnight, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_day: Option<u64>,
    /// The cost of models in a day, in millionths of a currency unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spend_per_day_micros: Option<u64>,
    /// Open streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams_max: Option<u64>,
    /// MCP sessions of the older era.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_max: Option<u64>,
    /// Calls that wait for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals_max: Option<u64>,
    /// Bytes of files that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_bytes_max: Option<u64>,
}

/// A holder of a quota, and its usage in this gateway.
#[derive(Clone, Debug)]
pub struct QuotaHolderEntry {
    pub who: QuotaFor,
    pub limits: QuotaLimits,
    pub running: u64,
    pub waiting: u64,
    pub streams: u64,
    /// `None` if they are not limited.
    pub calls_today: Option<u64>,
}
