//! The health of a server, its instances and its tools, in numbers.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::server::InstanceId;

use super::Fleet;
use crate::latency::LatencySnapshot;

/// The current health of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerVitals {
    /// Requests at its instances.
    pub under_way: usize,
    /// Requests that wait for a place.
    pub waiting: usize,
    /// Over everything that got an answer, or should have.
    pub latency: LatencySnapshot,
    /// By id; a process that the gateway starts is the only instance of its server.
    pub instances: Vec<InstanceVitals>,
    /// The called tools, by their own names.
    pub tools: Vec<ToolVitals>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstanceVitals {
    pub id: InstanceId,
    pub under_way: usize,
    pub resting: Option<ServerPause>,
    pub latency: LatencySnapshot,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolVitals {
    pub own: Arc<str>,
    pub under_way: usize,
    pub resting: Option<ServerPause>,
    pub latency: LatencySnapshot,
}

/// A pause because of repeated failures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerPause {
    pub reason: String,
    pub retry_after: Duration,
}

impl From<crate::breaker::BreakerPaused> for ServerPause {
    fn from(resting: crate::breaker::BreakerPaused) -> Self {
        Self { reason: resting.reason, retry_after: resting.retry_after }
    }
}

impl Fleet {
    pub(crate) fn vitals(&self) -> ServerVitals {
        let roll = self.roll.load_full();
        let mut instances: Vec<InstanceVitals> = roll
            .members
            .iter()
            .map(|member| InstanceVitals {
                id: member.id.clone(),
                under_way: member.under_way(),
                resting: member.breaker.resting().map(ServerPause::from),
                latency: member.latency.snapshot(),
            })
            .collect();
        instances.sort_by(|one, other| one.id.cmp(&other.id));
        let tools = self.tools.all().into_iter().map(|(own, tended)| ToolVitals {
            own,
            under_way: tended.pulse.under_way(),
            resting: tended.pulse.breaker.resting().map(ServerPause::from),
            latency: tended.pulse.latency.snapshot(),
        });
        let gates = roll.members.iter().filter_map(|member| member.gate.as_ref());
        ServerVitals {
            under_way: instances.iter().map(|instance| instance.under_way).sum(),
            waiting: roll.gate.waiting() + gates.map(|gate| gate.waiting()).sum::<usize>(),
            latency: self.latency.snapshot(),
            instances,
            tools: tools.collect(),
        }
    }
}
