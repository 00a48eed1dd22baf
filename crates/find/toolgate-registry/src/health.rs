//! The changes of a server's health that the ledger records. A server that flaps many times a minute is
//! recorded a few times, with the number of skipped changes.

use std::collections::BTreeMap;

use toolgate_core::ServerName;
use toolgate_core::server::{ServerHealth, ServerState};

/// Told of one server within [`WINDOW_MS`].
const TOLD_MAX: u32 = 6;
const WINDOW_MS: i64 = 60_000;

#[derive(Default)]
pub(crate) struct HealthLog {
    servers: BTreeMap<ServerName, KnownHealth>,
}

#[derive(Clone)]
struct KnownHealth {
    health: ServerHealth,
    reason: Option<String>,
    window_began_ms: i64,
    told: u32,
    untold: u32,
}

impl HealthLog {
    /// Decides whether to record this, with the number of changes skipped before it.
    pub(crate) fn note(&mut self, server: &ServerName, state: &ServerState, now_ms: i64) -> Option<u32> {
        let known = self.servers.entry(server.clone()).or_insert_with(|| KnownHealth {
            health: ServerHealth::Starting,
            reason: None,
            window_began_ms: now_ms,
            told: 0,
            untold: 0,
        });
        if known.health == state.health && known.reason == state.reason {
            return None;
        }
        known.health = state.health;
        known.reason.clone_from(&state.reason);
        known.tell(now_ms)
    }

    pub(crate) fn forget(&mut self, server: &ServerName) {
        self.servers.remove(server);
    }
}

impl KnownHealth {
    fn tell(&mut self, now_ms: i64) -> Option<u32> {
        if now_ms.saturating_sub(self.window_began_ms) > WINDOW_MS {
            self.window_began_ms = now_ms;
            self.told = 0;
        }
        if self.told >= TOLD_MAX {
            self.untold = self.untold.saturating_add(1);
            return None;
        }
        self.told += 1;
        Some(std::mem::take(&mut self.untold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(health: ServerHealth, reason: Option<&str>) -> ServerState {
        ServerState { health, reason: reason.map(str::to_owned), ..ServerState::starting() }
    }

    #[test]
    fn a_first_start_is_no_news_and_each_change_is() {
        let mut log = HealthLog::default();
        let name = ServerName::new("files").expect("a name");
        assert_eq!(log.note(&name, &ServerState::starting(), 0), None);
        assert_eq!(log.note(&name, &state(ServerHealth::Healthy, None), 1), Some(0));
        assert_eq!(log.note(&name, &state(ServerHealth::Healthy, None), 2), None);
        assert_eq!(log.note(&name, &state(ServerHealth::Degraded, Some("gone")), 3), Some(0));
        assert_eq!(log.note(&name, &state(ServerHealth::Degraded, Some("refused")), 4), Some(0));
    }

    #[test]
    fn a_server_that_flaps_is_told_of_a_few_times_and_then_counted() {
        let mut log = HealthLog::default();
        let name = ServerName::new("files").expect("a name");
        let flap = |log: &mut HealthLog, at: i64| {
            let health = if at % 2 == 0 { ServerHealth::Healthy } else { ServerHealth::Degraded };
            log.note(&name, &state(health, None), at)
        };
        let told = (0..100).filter(|at| flap(&mut log, *at).is_some()).count();
        assert_eq!(told, 6);
        assert_eq!(flap(&mut log, 70_000), Some(94));
    }
}
