//! Every bound the gateway keeps, by name. All of them can be set under `[limits]`.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageLimits {
    /// The largest message an agent may send.
    pub request_bytes_max: usize,
    /// The largest message a server may send.
    pub result_bytes_max: usize,
    /// The maximum depth of nested objects and arrays in any message.
    pub depth_max: usize,
    /// Calls of one client that run at once. Eight times as many may be in progress; the others wait.
    pub calls_per_client_max: usize,
    /// Older-era sessions held at once.
    pub sessions_max: usize,
    /// An older-era session without traffic is forgotten after this.
    pub session_idle: Duration,
    /// HTTP connections served at once.
    pub connections_max: usize,
    /// Entries on one page of a list.
    pub page_size: usize,
    /// Pages read from one server's list before it is called endless.
    pub upstream_pages_max: usize,
    /// Messages that wait for one slow reader before the oldest is dropped.
    pub backlog_max: usize,
    /// The time a call waits for a person at the client before it gives up.
    pub input_wait: Duration,
    /// The time the first list waits for servers that are still starting.
    pub start_wait: Duration,
    /// The time shutdown waits for calls in progress.
    pub shutdown_wait: Duration,
}

/// The number of waiting requests of a client for each one that may run.
const WAITING_PER_CALL: usize = 8;

impl MessageLimits {
    /// The maximum number of a client's requests in progress or waiting.
    pub fn requests_per_client_max(&self) -> usize {
        self.calls_per_client_max.saturating_mul(WAITING_PER_CALL)
    }
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self {
            request_bytes_max: 4 << 20,
            result_bytes_max: 16 << 20,
            depth_max: 100,
            calls_per_client_max: 128,
            sessions_max: 10_000,
            session_idle: Duration::from_secs(30 * 60),
            connections_max: 4_096,
            page_size: 1_000,
            upstream_pages_max: 1_000,
            backlog_max: 256,
            input_wait: Duration::from_secs(10 * 60),
            start_wait: Duration::from_secs(5),
            shutdown_wait: Duration::from_secs(10),
        }
    }
}
