//! `[limits]`: every bound the gateway keeps, by the name it has in `toolgate_core::MessageLimits`.

use std::ops::RangeInclusive;

use toolgate_core::MessageLimits;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &[
    "request_bytes_max",
    "result_bytes_max",
    "depth_max",
    "calls_per_client_max",
    "sessions_max",
    "session_idle_seconds",
    "connections_max",
    "page_size",
    "upstream_pages_max",
    "backlog_max",
    "input_wait_seconds",
    "start_wait_seconds",
    "shutdown_wait_seconds",
];

const MESSAGE_BYTES: RangeInclusive<usize> = 1024..=1 << 30;
/// The JSON reader itself stops at 128.
const DEPTH: RangeInclusive<usize> = 1..=127;
const COUNT: RangeInclusive<usize> = 1..=1_000_000;

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> MessageLimits {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let fallback = MessageLimits::default();
    let mut count = |key, default| section.count(key, COUNT, problems).unwrap_or(default);
    let calls_per_client_max = count("calls_per_client_max", fallback.calls_per_client_max);
    let sessions_max = count("sessions_max", fallback.sessions_max);
    let connections_max = count("connections_max", fallback.connections_max);
    let page_size = count("page_size", fallback.page_size);
    let upstream_pages_max = count("upstream_pages_max", fallback.upstream_pages_max);
    let backlog_max = count("backlog_max", fallback.backlog_max);
    let mut bytes = |key, default| section.bytes(key, MESSAGE_BYTES, problems).unwrap_or(default);
    let request_bytes_max = bytes("request_bytes_max", fallback.request_bytes_max);
    let result_bytes_max = bytes("result_bytes_max", fallback.result_bytes_max);
    let mut seconds = |key, may_be, default| section.seconds(key, may_be, problems).unwrap_or(default);
    MessageLimits {
        request_bytes_max,
        result_bytes_max,
        calls_per_client_max,
        sessions_max,
        connections_max,
        page_size,
        upstream_pages_max,
        backlog_max,
        session_idle: seconds("session_idle_seconds", SecondsRange::Positive, fallback.session_idle),
        input_wait: seconds("input_wait_seconds", SecondsRange::Positive, fallback.input_wait),
        start_wait: seconds("start_wait_seconds", SecondsRange::ZeroOrMore, fallback.start_wait),
        shutdown_wait: seconds("shutdown_wait_seconds", SecondsRange::ZeroOrMore, fallback.shutdown_wait),
        depth_max: section.count("depth_max", DEPTH, problems).unwrap_or(fallback.depth_max),
    }
}
