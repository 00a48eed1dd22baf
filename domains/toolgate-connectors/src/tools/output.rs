//! Rates and failures as tools show them.

use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_work::WorkFault;

use crate::rate::RateRemainder;

#[derive(Serialize, JsonSchema)]
pub(super) struct RateOutput {
    /// Requests that the provider still takes
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<String>,
    seen_at: String,
}

impl From<RateRemainder> for RateOutput {
    fn from(rate: RateRemainder) -> Self {
        let RateRemainder { remaining, resets_at_ms, seen_at_ms } = rate;
        Self { remaining, resets_at: resets_at_ms.map(rfc3339), seen_at: rfc3339(seen_at_ms) }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SyncFaultOutput {
    code: String,
    message: String,
    hint: String,
}

impl From<WorkFault> for SyncFaultOutput {
    fn from(fault: WorkFault) -> Self {
        let WorkFault { code, message, hint } = fault;
        Self { code, message, hint }
    }
}
