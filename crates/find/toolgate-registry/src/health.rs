//! The changes of a server's health and the restarts of its process that the ledger records. A server that flaps many times a
//! minute is recorded a few times, with the number of skipped changes.

use std::collections::BTreeMap;

use toolgate_core::ServerName;
use toolgate_core::server::{ServerHealth, ServerState};

/// Changes, and as many restarts, that are told of one server within [`WINDOW_MS`].
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
    changes: ToldWindow,
    untold: u32,
    /// The number of restarts when it worked last, as far as that is told; nothing before it worked for the first time.
    worked: Option<u32>,
    /// The reason why it works no more, or why it did not before its restart.
    ended: Option<String>,
    restarts: ToldWindow,
}

/// How often something was told in the current stretch of time.
#[derive(Clone)]
struct ToldWindow {
    began_ms: i64,
    told: u32,
}

/// The process of a server works again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ServerRestart {
    pub(crate) reason: Option<String>,
    /// Starts since the restart that was told before this one.
    pub(crate) count: u32,
}

impl HealthLog {
    /// Decides whether to record this, with the number of changes skipped before it.
    pub(crate) fn note(&mut self, server: &ServerName, state: &ServerState, now_ms: i64) -> Option<u32> {
        let known = self.known(server, now_ms);
        if known.health == state.health && known.reason == state.reason {
            return None;
        }
        known.health = state.health;
        known.reason.clone_from(&state.reason);
        known.tell(now_ms)
    }

    /// Says whether to record that the server works again in another process. Of several within a short time, the next one that is
    /// recorded has the count. To be asked before [`Self::note`] is.
    pub(crate) fn note_restart(
        &mut self,
        server: &ServerName,
        state: &ServerState,
        now_ms: i64,
    ) -> Option<ServerRestart> {
        let known = self.known(server, now_ms);
        if state.health != ServerHealth::Healthy {
            if known.health == ServerHealth::Healthy {
                known.ended.clone_from(&state.reason);
            }
            return None;
        }
        // One that is reached by its address has no process here, and a new configuration counts from the start.
        let count = known.worked.map_or(0, |worked| state.restarts.saturating_sub(worked));
        if count == 0 || state.pid.is_none() {
            known.worked = Some(state.restarts);
            return None;
        }
        if !known.restarts.takes(now_ms) {
            return None;
        }
        known.worked = Some(state.restarts);
        Some(ServerRestart { reason: known.ended.take(), count })
    }

    fn known(&mut self, server: &ServerName, now_ms: i64) -> &mut KnownHealth {
        let window = ToldWindow { began_ms: now_ms, told: 0 };
        self.servers.entry(server.clone()).or_insert_with(|| KnownHealth {
            health: ServerHealth::Starting,
            reason: None,
            changes: window.clone(),
            untold: 0,
            worked: None,
            ended: None,
            restarts: window,
        })
    }

    pub(crate) fn forget(&mut self, server: &ServerName) {
        self.servers.remove(server);
    }
}

impl KnownHealth {
    fn tell(&mut self, now_ms: i64) -> Option<u32> {
        if !self.changes.takes(now_ms) {
            self.untold = self.untold.saturating_add(1);
            return None;
        }
        Some(std::mem::take(&mut self.untold))
    }
}

impl ToldWindow {
    /// True if one more may be told, which counts then.
    fn takes(&mut self, now_ms: i64) -> bool {
        if now_ms.saturating_sub(self.began_ms) > WINDOW_MS {
            *self = Self { began_ms: now_ms, told: 0 };
        }
        let takes = self.told < TOLD_MAX;
        self.told += u32::from(takes);
        takes
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

    /// What a log says of a process that ends at each of these times and works again at once.
    fn restarts(
        log: &mut HealthLog,
        name: &ServerName,
        times: impl Iterator<Item = (u32, i64)>,
    ) -> Vec<ServerRestart> {
        let mut told = Vec::new();
        for (restarts, at) in times {
            let gone = state(ServerHealth::Degraded, Some("exited with code 1"));
            assert_eq!(log.note_restart(name, &gone, at), None);
            log.note(name, &gone, at);
            let again = ServerState { restarts, pid: Some(7), ..state(ServerHealth::Healthy, None) };
            told.extend(log.note_restart(name, &again, at));
            log.note(name, &again, at);
        }
        told
    }

    #[test]
    fn a_process_that_works_again_is_told_of_with_the_reason() {
        let mut log = HealthLog::default();
        let name = ServerName::new("files").expect("a name");
        // It failed twice before it worked for the first time.
        let first = ServerState { restarts: 2, pid: Some(6), ..state(ServerHealth::Healthy, None) };
        assert_eq!(log.note_restart(&name, &first, 0), None);
        log.note(&name, &first, 0);
        let told = restarts(&mut log, &name, [(3, 1)].into_iter());
        assert_eq!(told, [ServerRestart { reason: Some("exited with code 1".into()), count: 1 }]);
        let again = ServerState { restarts: 3, pid: Some(7), ..state(ServerHealth::Healthy, None) };
        assert_eq!(log.note_restart(&name, &again, 2), None, "nothing new");
        let remote = ServerState { restarts: 9, pid: None, ..again };
        assert_eq!(log.note_restart(&name, &remote, 3), None, "it has no process here");
    }

    #[test]
    fn a_crash_loop_is_told_of_a_few_times_and_then_counted() {
        let mut log = HealthLog::default();
        let name = ServerName::new("files").expect("a name");
        let told = restarts(&mut log, &name, (0..60).map(|at| (at, i64::from(at) * 1_000)));
        assert_eq!(told.len(), 6);
        let later = restarts(&mut log, &name, [(60, 70_000)].into_iter());
        assert_eq!(later.iter().map(|one| one.count).collect::<Vec<_>>(), [54]);
    }
}
