//! The API's data about the whole gateway.

use serde::Deserialize;
use toolgate_core::event::Outcome;
use toolgate_core::moment::{parse_rfc3339, rfc3339};

use crate::address::PageAddress;
use crate::pages::counted;
use crate::pages::models::SpendSumsData;

/// The number of recent minutes.
const LATELY: usize = 5;
const MINUTE_MS: i64 = 60_000;

#[derive(Deserialize)]
pub(super) struct OverviewData {
    pub(super) waiting: WaitingData,
    /// The places where the configuration file does not load.
    #[serde(default)]
    pub(super) config_refused: Option<String>,
    /// Not for approvers, and so is all that follows.
    #[serde(default)]
    pub(super) servers: Option<Vec<TrafficServerData>>,
    #[serde(default)]
    pub(super) traffic: Option<TrafficData>,
    #[serde(default)]
    pub(super) tokens: Option<TokenCostData>,
    #[serde(default)]
    pub(super) spend_today: Option<SpendSumsData>,
    #[serde(default)]
    pub(super) ledger: Option<LedgerStateData>,
}

#[derive(Deserialize)]
pub(super) struct WaitingData {
    pub(super) approvals: u64,
    pub(super) inputs: u64,
    pub(super) reviews: u64,
}

#[derive(Deserialize)]
pub(super) struct TrafficServerData {
    pub(super) name: String,
    pub(super) health: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    pub(super) tools: u64,
    pub(super) instances: u64,
    pub(super) instances_healthy: u64,
}

#[derive(Default, Deserialize)]
pub(super) struct TrafficData {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) refused: u64,
    pub(super) latency: TrafficLatencyData,
    pub(super) minutes: Vec<MinuteData>,
    pub(super) principals_total: u64,
    pub(super) principals: Vec<TrafficPrincipalData>,
    pub(super) edges: Vec<EdgeData>,
    pub(super) servers: Vec<ServerSumsData>,
}

#[derive(Default, Deserialize)]
pub(super) struct TrafficLatencyData {
    pub(super) count: u64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
}

#[derive(Clone, Default, Deserialize)]
pub(super) struct MinuteData {
    pub(super) at: String,
    pub(super) succeeded: u64,
    pub(super) failed: u64,
    pub(super) refused: u64,
    pub(super) other: u64,
}

#[derive(Default, Deserialize)]
pub(super) struct TrafficPrincipalData {
    pub(super) id: String,
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) refused: u64,
    pub(super) last_call_at: String,
}

#[derive(Default, Deserialize)]
pub(super) struct EdgeData {
    pub(super) principal: String,
    #[serde(default)]
    pub(super) server: Option<String>,
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) refused: u64,
}

#[derive(Clone, Default, Deserialize)]
pub(super) struct ServerSumsData {
    server: String,
    pub(super) calls: u64,
    pub(super) failed: u64,
}

#[derive(Deserialize)]
pub(super) struct TokenCostData {
    pub(super) catalogue: u64,
    pub(super) sessions: u64,
    pub(super) saved: u64,
}

#[derive(Deserialize)]
pub(super) struct LedgerStateData {
    pub(super) events: u64,
    #[serde(default)]
    pub(super) verified: Option<LastVerifiedData>,
}

#[derive(Deserialize)]
pub(super) struct LastVerifiedData {
    pub(super) at: String,
    pub(super) intact: bool,
}

impl MinuteData {
    pub(super) fn calls(&self) -> u64 {
        self.succeeded + self.failed + self.refused + self.other
    }

    /// The calls that ended in this minute with one of these outcomes.
    pub(super) fn list(&self, outcomes: &[Outcome]) -> PageAddress {
        let until = parse_rfc3339(&self.at).map(|at_ms| rfc3339(at_ms + MINUTE_MS));
        counted::calls(outcomes, &self.at, until.as_deref())
    }
}

impl TrafficData {
    /// The beginning of the hour.
    pub(super) fn from(&self) -> &str {
        self.minutes.first().map_or("", |minute| minute.at.as_str())
    }

    /// The calls of the hour that ended with one of these outcomes.
    pub(super) fn list(&self, outcomes: &[Outcome]) -> PageAddress {
        counted::calls(outcomes, self.from(), None)
    }

    /// The calls that ran, or should have.
    pub(super) fn ran(&self) -> u64 {
        self.minutes.iter().map(|minute| minute.succeeded + minute.failed).sum()
    }

    /// The calls of the last minutes.
    pub(super) fn lately(&self) -> u64 {
        self.minutes.iter().rev().take(LATELY).map(MinuteData::calls).sum()
    }

    /// The traffic to one server.
    pub(super) fn to_server(&self, name: &str) -> ServerSumsData {
        self.servers.iter().find(|one| one.server == name).cloned().unwrap_or_default()
    }
}
